/**
 * Looks after the runs: renews leases, fires signals whose time is over, gives up handlers that ignore theirs. One timer
 * for all of them, and none while nothing is held.
 *
 * Leases are renewed at half of their visibility, by the monotonic clock. Where that clock did not tell (the computer
 * slept), `tend` is called with `all`. The loop tends before it claims: a lapsed lease of ours whose handler still runs
 * is then renewed before any claim, ours included, can take it.
 */
import { LeaseLost } from '../../contract/errors.ts';
import type { Awaitable, Lease, Transport } from '../../contract/transport.ts';
import { isPromise } from '../../contract/when-done.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Run } from './execution.ts';
import type { Runs } from './executions.ts';

export class Watch<Event> {
  readonly #transport: Transport<Event>;
  readonly #config: Configuration;
  readonly #due: () => void;
  #dueAt = Number.POSITIVE_INFINITY;
  #fired = false;
  #cancel: (() => void) | null = null;

  constructor(transport: Transport<Event>, config: Configuration, due: () => void) {
    this.#transport = transport;
    this.#config = config;
    this.#due = due;
  }

  /** The timer has fired and nothing was looked after since: it will not fire again by itself. */
  get fired(): boolean {
    return this.#fired;
  }

  isDue(monotonic: number): boolean {
    return this.#fired || monotonic >= this.#dueAt;
  }

  /** Makes sure that the timer fires at this monotonic time or before. */
  expect(at: number): void {
    if (at >= this.#dueAt) return;
    this.disarm();
    this.#dueAt = at;
    // A timer may fire a little early by the monotonic clock: `fired` counts, not the time it fires at.
    this.#cancel = this.#config.clock.after(Math.max(1, at - this.#config.clock.monotonic()), () => {
      this.#fired = true;
      this.#due();
    });
  }

  disarm(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#fired = false;
  }

  /** Does what is due, or renews everything; raises the transport's errors once all were tried. */
  tend(runs: Runs<Event>, all: boolean): Awaitable<void> {
    const { clock, visibilityMs } = this.#config;
    const monotonic = clock.monotonic();
    // Those due soon go along, so that leases claimed one after the other come to share a wake-up.
    const soon = monotonic + visibilityMs / 8;
    const waits: Promise<void>[] = [];
    const failures: unknown[] = [];
    this.disarm();
    for (const run of [...runs.held.values(), ...runs.strays]) {
      if (monotonic + 1 >= run.timeoutAt) {
        const message = `The handler took longer than ${this.#config.timeoutMs} ms.`;
        runs.abort(run, 'timeout', new DOMException(message, 'TimeoutError'), this.#config.abortGraceMs);
      }
      if (monotonic + 1 >= run.giveUpAt) runs.abandon(run);
      if (run.stage === 'waiting' && monotonic + 1 >= run.renewAt) {
        runs.giveBackLate(run);
        continue;
      }
      if (run.stage === 'over' || run.abortedFor === 'lost' || run.extending !== null) continue;
      if (!all && run.renewAt > soon) continue;
      try {
        // A handler may have asked for longer than that: renewing must not take it back.
        const forMs = Math.max(visibilityMs, run.lease.expiresAt - clock.now());
        const renewed = this.extend(runs, run, forMs);
        if (isPromise(renewed)) waits.push(renewed.catch((error: unknown) => void failures.push(error)));
      } catch (error) {
        failures.push(error);
      }
    }
    const finish = () => {
      this.rearm(runs);
      if (failures.length > 0) throw failures[0];
    };
    return waits.length === 0 ? finish() : Promise.all(waits).then(finish);
  }

  /** Sets the timer for the earliest of all runs; no earlier than `notBefore`, while the transport is in trouble. */
  rearm(runs: Runs<Event>, notBefore = 0): void {
    let next = Number.POSITIVE_INFINITY;
    for (const run of runs.held.values()) next = Math.min(next, run.dueAt);
    for (const run of runs.strays) next = Math.min(next, run.dueAt);
    this.disarm();
    if (next < Number.POSITIVE_INFINITY) this.expect(Math.max(next, notBefore));
  }

  /** Extends one lease. A lost one is dealt with here; every other error is raised. */
  extend(runs: Runs<Event>, run: Run<Event>, forMs: number): Awaitable<void> {
    const monotonic = this.#config.clock.monotonic();
    const keep = (lease: Lease<Event>) => {
      run.lease = lease;
      run.renewAt = monotonic + forMs / 2;
      if (run.stage !== 'over') this.expect(run.dueAt);
    };
    const refuse = (error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error;
      runs.lose(run, error);
    };
    let extended: Awaitable<Lease<Event>>;
    try {
      extended = this.#transport.extend(run.lease, forMs);
    } catch (error) {
      refuse(error);
      return;
    }
    if (!isPromise(extended)) {
      keep(extended);
      return;
    }
    // Until it is answered neither lease may settle: the old one may be gone, the new one is not here yet.
    const extending = extended.then(keep, refuse).finally(() => {
      run.extending = null;
      this.#due();
    });
    run.extending = extending;
    return extending;
  }
}
