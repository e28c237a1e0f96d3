/**
 * Renews leases.
 *
 * A lease is renewed at half of its visibility, by the monotonic clock. After a gap that this clock did not see (the
 * computer slept) the loop renews all leases. It renews before it claims, so that this worker cannot claim a message on which
 * its own handler still works. Another worker may still claim it first; the handler then gets LeaseLost.
 */
import type { Awaitable, Transport } from '../../contract/transport.ts';
import { forEachDone, whenDone } from '../../contract/when-done.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Execution } from './execution.ts';
import type { Executions } from './executions.ts';

export class LeaseRenewer<E> {
  readonly #transport: Transport<E>;
  readonly #executions: Executions<E>;
  readonly #config: Configuration;
  /** Renew every lease next, whether or not it is due. */
  #all = false;

  constructor(transport: Transport<E>, executions: Executions<E>, config: Configuration) {
    this.#transport = transport;
    this.#executions = executions;
    this.#config = config;
  }

  /** The next renewal takes all leases. */
  requestAll(): void {
    this.#all = true;
  }

  isDue(monotonic: number): boolean {
    return this.#all || this.#executions.timer.isDue(monotonic);
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
      // Only now: until it succeeds, the timer stays due.
      () => this.#executions.resetTimer(),
      (error) => {
        this.#all ||= all;
        throw error;
      },
    );
  }

  /** Extends one lease. A lost lease is handled here; every other error is raised. */
  extend(execution: Execution<E>, forMs: number): Awaitable<void> {
    const renewAt = this.#config.clock.monotonic() + forMs / 2;
    execution.beginExtend();
    return whenDone(
      () => this.#transport.extend(execution.lease, forMs),
      (lease) => this.#executions.endExtend(execution, lease, renewAt),
      (error) => {
        this.#executions.endExtend(execution, null, renewAt);
        this.#executions.refused(execution, error);
      },
    );
  }

  #renewDue(all: boolean): Awaitable<void> {
    const { clock, visibilityMs } = this.#config;
    // Those due soon are renewed too, so that leases claimed one after the other come to share a wake-up.
    const dueBy = all ? Number.POSITIVE_INFINITY : clock.monotonic() + visibilityMs / 8;
    return forEachDone(this.#executions.leasesDueBy(dueBy), (execution) => {
      // A handler may have extended its lease for longer than the visibility. Renewing must not shorten that.
      const forMs = Math.max(visibilityMs, execution.lease.expiresAt - clock.now());
      return this.extend(execution, forMs);
    });
  }
}
