/** Notices what other connections write to the file: compares its data version at an interval while the worker is idle. */
import type { Clock } from '../../contract/clock.ts';
import type { Awaitable, Transport } from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';

export interface WritePollHandlers {
  /** Called at every interval, before the look. */
  onTick(): void;
  /** Another connection has written. */
  onWrite(): void;
  onError(error: unknown): void;
}

export class WritePoll {
  readonly #transport: Pick<Transport, 'dataVersion'>;
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #handlers: WritePollHandlers;
  #version: number | null = null;
  #isOn = false;
  #looks = true;
  /** A look waits for its answer. While the file is locked by another program, further looks would only queue up behind it. */
  #isLooking = false;
  #cancel: (() => void) | null = null;

  /** `everyMs` 0: never. */
  constructor(
    transport: Pick<Transport, 'dataVersion'>,
    clock: Clock,
    everyMs: number,
    handlers: WritePollHandlers,
  ) {
    this.#transport = transport;
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#handlers = handlers;
  }

  /** Call before the first claim: whatever another process writes from then on is noticed. */
  noteVersion(): Awaitable<void> {
    if (this.#everyMs === 0) return;
    return whenDone(
      () => this.#transport.dataVersion(),
      (version) => {
        this.#version = version;
      },
    );
  }

  /** `looks`: false for the ticks alone, while nothing would be claimed. */
  start(looks = true): void {
    this.#isOn = this.#everyMs > 0;
    this.#looks = looks;
    this.#arm();
  }

  stop(): void {
    this.#isOn = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  #arm(): void {
    if (!this.#isOn || this.#cancel || this.#isLooking) return;
    this.#cancel = this.#clock.after(this.#everyMs, () => {
      this.#cancel = null;
      this.#handlers.onTick();
      if (this.#looks) void this.#look();
      else this.#arm();
    });
  }

  #look(): Awaitable<void> {
    this.#isLooking = true;
    return whenDone(
      () => this.#transport.dataVersion(),
      (version) => {
        this.#looked();
        // The version is read only here. If a claim read it too, a write just after that claim would be missed.
        if (version !== this.#version) this.#handlers.onWrite();
        this.#version = version;
      },
      (error) => {
        this.#looked();
        this.#handlers.onError(error);
      },
    );
  }

  #looked(): void {
    this.#isLooking = false;
    this.#arm();
  }
}
