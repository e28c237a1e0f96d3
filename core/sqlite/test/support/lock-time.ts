/**
 * A time for tests that passes only while the thread of a transport sleeps for a lock: 1 ms at each sleep. The thread stops
 * when it has slept until the moment that the test names.
 */
import { getEnvironmentData, type Serializable, setEnvironmentData } from 'node:worker_threads';
import { systemClock } from '../../../contract/clock.ts';

const TIME = 0;
/** Where the thread stops. */
const STOP = 1;
/** Where the thread stopped last. */
const STOPPED = 2;
const NEVER = 2 ** 31 - 1;
const { load, store, notify, waitAsync, wait, add } = Atomics;

const ENVIRONMENT_KEY = 'lock-time';
/** How long an opening takes. */
export const OPENING_MS = 30;

export class LockTime {
  readonly #memory: Int32Array<SharedArrayBuffer>;

  /** For the test: the next thread can take it over. */
  static share(): LockTime {
    const memory = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
    setEnvironmentData(ENVIRONMENT_KEY, memory as unknown as Serializable);
    return new LockTime(memory);
  }

  /** In the thread: it sleeps in this time from now on. */
  static takeOver(): LockTime {
    const time = new LockTime(getEnvironmentData(ENVIRONMENT_KEY) as unknown as SharedArrayBuffer);
    systemClock.monotonic = () => time.now;
    Object.assign(Atomics, { wait: () => time.#sleep() });
    return time;
  }

  private constructor(memory: SharedArrayBuffer) {
    this.#memory = new Int32Array(memory);
  }

  get now(): number {
    return load(this.#memory, TIME);
  }

  /** Resolves when the thread sleeps at `ms`, where it stays. */
  async until(ms: number): Promise<void> {
    await this.#letSleepUntil(ms);
    for (let at = load(this.#memory, STOPPED); at < ms; at = load(this.#memory, STOPPED))
      await waitAsync(this.#memory, STOPPED, at).value;
  }

  goOn(): Promise<void> {
    return this.#letSleepUntil(NEVER);
  }

  async #letSleepUntil(ms: number): Promise<void> {
    // The client sends the calls that were made just now in a microtask, and with the time of the sending.
    await Promise.resolve();
    store(this.#memory, STOP, ms);
    notify(this.#memory, STOP);
  }

  #sleep(): void {
    add(this.#memory, TIME, 1);
    for (let stop = load(this.#memory, STOP); this.now >= stop; stop = load(this.#memory, STOP)) {
      store(this.#memory, STOPPED, this.now);
      notify(this.#memory, STOPPED);
      wait(this.#memory, STOP, stop);
    }
  }

  /** In the thread. */
  pass(ms: number): void {
    add(this.#memory, TIME, ms);
  }
}
