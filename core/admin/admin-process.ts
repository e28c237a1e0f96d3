/** AdminProcess: the admin of a file that somebody else made, in a process that is killed when it does not respond. */
import type { QueueAdminCalls } from '../contract/admin.ts';
import { systemClock } from '../contract/clock.ts';
import { Closed, codeOf, LeaseholdError } from '../contract/errors.ts';
import { ChildHost, type ChildHostOptions } from '../rpc/child-host.ts';
import { RpcClient, type RpcClientOptions } from '../rpc/client.ts';
import { fromStartError } from '../sqlite/file/system-errors.ts';
import type { AdminMethod, AdminThreadOptions } from './admin-protocol.ts';

/** What openAdmin calls: an RpcClient of a thread, or an AdminProcess. */
export type AdminCalls = Pick<RpcClient<AdminMethod>, 'call' | 'subscribe' | 'unsubscribe' | 'close'>;

export type AdminEvents = Required<Pick<RpcClientOptions, 'onEvent' | 'onEnd'>>;

export interface AdminProcessOptions extends Pick<ChildHostOptions, 'startChild' | 'file' | 'timeLimitMs'> {
  readonly data: AdminThreadOptions;
}

/** Whether a call changes nothing, and may so be made again. */
const IS_READ: Readonly<Record<keyof QueueAdminCalls, boolean>> = {
  overview: true,
  groups: true,
  messages: true,
  message: true,
  operate: false,
  purge: false,
};

/**
 * One crafted index must not make everything else unreadable. So the end of a process rejects only the oldest call in
 * progress, which probably caused it, and operations. Younger reads are made again in a new process. Each end rejects one call at
 * least, so this ends. A file whose opening ended the process is not opened again: no call could ever succeed.
 */
export class AdminProcess implements AdminCalls {
  readonly #options: AdminProcessOptions;
  readonly #events: AdminEvents;
  /** Undefined between the end of a process and the next call. */
  #client: RpcClient<AdminMethod> | undefined;
  /** The errors of ended processes with which a call was rejected. */
  readonly #blamed = new WeakSet<object>();
  readonly #subscribed = new Set<string>();
  /** It could not be opened, or was replaced: the client rejects every call. */
  #isRefused = false;
  #isClosed = false;

  constructor(options: AdminProcessOptions, events: AdminEvents) {
    this.#options = options;
    this.#events = events;
    this.#client = this.#start();
  }

  async call<T>(method: AdminMethod, argument?: unknown): Promise<T> {
    for (;;) {
      try {
        return await this.#running().call<T>(method, argument);
      } catch (error) {
        if (!this.#mayRepeat(method, error)) throw error;
      }
    }
  }

  subscribe(event: string): void {
    this.#subscribed.add(event);
    this.#client?.subscribe(event);
  }

  unsubscribe(event: string): void {
    this.#subscribed.delete(event);
    this.#client?.unsubscribe(event);
  }

  /** A process that does not end by itself is killed when the limit is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.close();
  }

  #running(): RpcClient<AdminMethod> {
    if (this.#isClosed && !this.#client) throw new Closed('This admin is closed. Open a new one.');
    this.#client ??= this.#start();
    return this.#client;
  }

  #start(): RpcClient<AdminMethod> {
    const host = new ChildHost({
      ...this.#options,
      clock: systemClock,
      timeLimitError: () => this.#timedOut(host.isOpen),
    });
    const client = new RpcClient<AdminMethod>(host, {
      owner: 'admin',
      place: 'process',
      startError: (why) => fromStartError(why, this.#options.data.path),
      get remedy() {
        return host.isOpen ? 'The next call starts a new process.' : 'Open a new admin.';
      },
      onEvent: this.#events.onEvent,
      onEnd: (error) => {
        if (host.isOpen && !this.#isClosed && isEndOfProcess(error)) {
          this.#client = undefined;
          return;
        }
        this.#isRefused = true;
        this.#events.onEnd(error);
      },
    });
    for (const event of this.#subscribed) client.subscribe(event);
    return client;
  }

  /** The calls in progress learn of an end with one error, in the order in which they were made. */
  #mayRepeat(method: AdminMethod, error: unknown): boolean {
    if (!isEndOfProcess(error) || this.#isClosed || this.#isRefused) return false;
    if (this.#blamed.has(error)) return IS_READ[method];
    this.#blamed.add(error);
    return false;
  }

  #timedOut(isOpen: boolean): LeaseholdError {
    const { timeLimitMs, data } = this.#options;
    return new LeaseholdError(
      'TIMED_OUT',
      isOpen
        ? `${data.path}: A call took longer than ${timeLimitMs} ms (timeLimitMs), and its process was killed. The file may be damaged, or made to be read without end. Other calls can still be made. If it is only large, pass a longer timeLimitMs.`
        : `${data.path}: The file could not be opened within ${timeLimitMs} ms (timeLimitMs), and the process was killed. It may be damaged, or made to be read without end: do not use it. If the disk is only slow, open it again with a longer timeLimitMs.`,
    );
  }
}

function isEndOfProcess(error: unknown): error is Error {
  const code = codeOf(error);
  return code === 'TIMED_OUT' || code === 'THREAD_FAILED';
}
