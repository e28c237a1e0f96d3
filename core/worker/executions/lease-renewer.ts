/**
 * Renews leases.
 *
 * A lease is renewed at half of its visibility, by the monotonic clock. After a gap that this clock did not see (the
 * computer slept) the loop renews all leases. It renews before it claims, so that this worker cannot claim a message on which
 * its own handler still works. Another worker may still claim it first; the handler then gets LeaseLost.
 */
import { codeOf } from '../../contract/errors.ts';
import type { Awaitable } from '../../contract/transport.ts';
import { forEachDone, whenDone } from '../../contract/when-done.ts';
import type { Execution } from './execution.ts';
import { concernsOneMessage } from './message-errors.ts';
import type { Shared } from './shared.ts';

export class LeaseRenewer<E> {
  readonly #shared: Shared<E>;
  /** Renew every lease next, whether or not it is due. */
  #all = false;
  /** A renewal may have fallen due while the transport was not used. */
  #wasPostponed = false;

  constructor(shared: Shared<E>) {
    this.#shared = shared;
  }

  /** The next renewal takes all leases. */
  requestAll(): void {
    this.#all = true;
  }

  /** The transport cannot be used now. Until it can, the timer is only for the time limits of handlers. */
  postpone(): void {
    this.#wasPostponed = true;
    this.#shared.executions.resetTimeouts();
  }

  isDue(monotonic: number): boolean {
    return this.#all || this.#wasPostponed || this.#shared.executions.timer.isDue(monotonic);
  }

  /**
   * Renews the leases that are due soon, or all if that was requested. Raises the transport's first error; the renewal is
   * then still due.
   */
  renew(): Awaitable<void> {
    const all = this.#all;
    this.#all = false;
    return whenDone(
      () => this.#renewDue(all),
      // Only now: until it succeeds, the renewal stays due.
      () => {
        this.#wasPostponed = false;
        this.#shared.executions.resetTimer();
      },
      (error) => {
        this.#all ||= all;
        throw error;
      },
    );
  }

  /** Extends one lease. A lost lease is handled here; every other error is raised. */
  extend(execution: Execution<E>, forMs: number): Awaitable<void> {
    const { transport, executions, config } = this.#shared;
    const { clock } = config;
    const term = { monotonic: clock.monotonic(), now: clock.now(), forMs };
    execution.beginCall();
    return whenDone(
      () => transport.extend(execution.lease, forMs),
      (lease) => executions.extended(execution, lease, term),
      (error) => {
        executions.endCall(execution);
        if (codeOf(error) !== 'LEASE_LOST') throw error;
        executions.lose(execution, error as Error);
      },
    );
  }

  #renewDue(all: boolean): Awaitable<void> {
    const { executions, held, config, callersTransaction } = this.#shared;
    const { clock, visibilityMs } = config;
    // Those due soon are renewed too, so that leases claimed one after the other come to share a wake-up.
    const dueBy = all ? Number.POSITIVE_INFINITY : clock.monotonic() + visibilityMs / 8;
    const due = held.all.filter(
      ({ hasLease, calling, renewAt }) => hasLease && calling === null && renewAt <= dueBy,
    );
    return forEachDone(due, (execution) => {
      // A listener of the one before has begun a transaction.
      if (callersTransaction.isOpen) return this.requestAll();
      // A handler may have extended its lease for longer than the visibility. Renewing must not shorten that. Computed from
      // the lease's expiry, it would be an hour more after the wall clock has stepped back by an hour.
      const forMs = Math.max(visibilityMs, execution.lapsesAt - clock.monotonic());
      return whenDone(
        () => this.extend(execution, forMs),
        () => {},
        (error) => {
          if (!concernsOneMessage(error)) throw error;
          executions.renewLater(execution, error);
        },
      );
    });
  }
}
