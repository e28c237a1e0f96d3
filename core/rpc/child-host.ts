/** ChildHost: runs a service in a child process, which can be killed inside SQLite, where a thread cannot. */
import { EventEmitter } from 'node:events';
import type { Clock } from '../contract/clock.ts';
import { END, PING, PONG, STARTED } from './child-signals.ts';
import { toErrorData } from './error-data.ts';
import type { Host } from './host.ts';
import type { FromThread } from './protocol.ts';

/** A child process as its host uses it. */
export interface Child {
  /** Raises for a message that cannot be cloned. Does nothing once the process has ended. */
  postMessage(message: unknown): void;
  /** Ends the process at once, also while it starts. */
  kill(): void;
  /** Whether it keeps this process alive. */
  setRef(isRef: boolean): void;
}

export interface ChildEvents {
  onMessage(message: unknown): void;
  /** Called once. `why` continues "The process ended: ". */
  onExit(why: string): void;
}

/** Starts a process that runs `file`, which calls `serve`. `argument`, the data as JSON, is its last argument. */
export type StartChild = (file: URL, argument: string, events: ChildEvents) => Child;

export interface ChildHostOptions {
  readonly startChild: StartChild;
  readonly file: URL;
  /** What a thread gets as its workerData. Plain JSON. */
  readonly data: unknown;
  /** The longest time without an answer to PING while the client has an open call. */
  readonly timeLimitMs: number;
  /** The error of the open calls when the limit is over. */
  timeLimitError(): Error;
  readonly clock: Clock;
}

/**
 * The limit is counted in parts. After a sleep of the machine, or a long task of this process, only one part has passed for
 * the child as well, whatever the clock says.
 */
const PARTS = 10;

/** The least time for the start of the process. Only our own code runs until then, on a machine that may be busy. */
const START_LIMIT_MS = 30_000;

export class ChildHost extends EventEmitter implements Host {
  readonly #options: ChildHostOptions;
  readonly #child: Child;
  readonly #partMs: number;
  #hasStarted = false;
  #isOpen = false;
  #isEnded = false;
  #isAsked = false;
  /** Parts of the limit without an answer. */
  #missed = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: ChildHostOptions) {
    super();
    this.#options = options;
    this.#partMs = options.timeLimitMs / PARTS;
    this.#child = options.startChild(options.file, JSON.stringify(options.data), {
      onMessage: (message) => this.#receive(message),
      onExit: (why) => this.#exit(why),
    });
  }

  /** The service has opened: the process has answered since. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  postMessage(message: unknown): void {
    this.#child.postMessage(message);
  }

  /** The limit holds while the client waits for something. */
  ref(): void {
    this.#child.setRef(true);
    if (this.#cancelTimer || this.#isEnded) return;
    if (!this.#isAsked) this.#ask();
    this.#cancelTimer = this.#options.clock.after(this.#partMs, this.#onPart);
  }

  unref(): void {
    this.#child.setRef(false);
    this.#stopTimer();
  }

  terminate(): void {
    this.#isEnded = true;
    this.#stopTimer();
    this.#child.kill();
  }

  #receive(message: unknown): void {
    if (this.#isEnded) return;
    if (message === STARTED) {
      this.#hasStarted = true;
      this.#missed = 0;
    } else if (message === PONG) {
      this.#isOpen = true;
      this.#isAsked = false;
    } else if (message === END) this.terminate();
    else this.emit('message', message);
  }

  #ask(): void {
    this.#isAsked = true;
    this.#missed = 0;
    this.#child.postMessage(PING);
  }

  readonly #onPart = (): void => {
    this.#cancelTimer = this.#options.clock.after(this.#partMs, this.#onPart);
    if (!this.#isAsked) this.#ask();
    else if (++this.#missed >= this.#mostMissed) this.#endLate();
  };

  get #mostMissed(): number {
    return this.#hasStarted ? PARTS : Math.max(PARTS, START_LIMIT_MS / this.#partMs);
  }

  #endLate(): void {
    const failed = toErrorData(this.#options.timeLimitError());
    this.terminate();
    this.emit('message', { failed } satisfies FromThread);
  }

  #exit(why: string): void {
    this.#isEnded = true;
    this.#stopTimer();
    this.emit('exit', why);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
