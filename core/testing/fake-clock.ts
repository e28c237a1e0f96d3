import type { Clock } from '../contract/clock.ts';

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** 2023-11-14T22:13:20Z: a whole number of seconds, large enough to reveal a loss of precision. */
const START = 1_700_000_000_000;

/** A clock that moves only when a test moves it. Timers follow the monotonic clock, as setTimeout does. */
export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 0;
  readonly #timers = new Set<Timer>();
  readonly #watchers: (() => void)[] = [];

  constructor(start = START) {
    this.#wall = start;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { due: this.#monotonic + Math.max(ms, 0), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** The number of pending timers: 0 after everything that uses this clock has stopped. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Ms until the next timer is due; null when none is pending. */
  get nextTimerIn(): number | null {
    const next = this.#next();
    return next ? next.due - this.#monotonic : null;
  }

  /** Calls `listener` now and whenever a reading has changed: for a copy of this clock on another thread. */
  watch(listener: () => void): void {
    this.#watchers.push(listener);
    listener();
  }

  /** Lets time pass on both clocks. Timers that become due run in order, each at its own time. */
  advance(ms: number): void {
    const until = this.#monotonic + ms;
    for (let timer = this.#next(); timer && timer.due <= until; timer = this.#next()) {
      this.#move(timer.due - this.#monotonic);
      this.#timers.delete(timer);
      timer.run();
    }
    this.#move(until - this.#monotonic);
  }

  /** Sets the wall clock forward, or back by a negative `ms`. No time passes and no timer runs. */
  step(ms: number): void {
    this.#wall += ms;
    this.#changed();
  }

  #move(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#watchers) listener();
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (!next || timer.due < next.due) next = timer;
    return next;
  }
}
