/**
 * Renews leases.
 *
 * A lease is renewed at half of its visibility, by the monotonic clock. After a gap that this clock did not see (the
 * computer slept) the loop renews all of them. It does so before it claims: a lapsed lease whose handler still runs here
 * is then renewed before any claim, of this worker or another, can take the message.
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

  constructor(transport: Transport<E>, executions: Executions<E>, config: Configuration) {
    this.#transport = transport;
    this.#executions = executions;
    this.#config = config;
  }

  /** Renews the leases that are due soon, or all. Raises the transport's first error. */
  renew(all: boolean): Awaitable<void> {
    const { clock, visibilityMs } = this.#config;
    // Those due soon are renewed too, so that leases claimed one after the other come to share a wake-up.
    const dueBy = all ? Number.POSITIVE_INFINITY : clock.monotonic() + visibilityMs / 8;
    return forEachDone(this.#executions.leasesDueBy(dueBy), (execution) => {
      // A handler may have extended its lease for longer than the visibility. Renewing must not shorten that.
      const forMs = Math.max(visibilityMs, execution.lease.expiresAt - clock.now());
      return this.extend(execution, forMs);
    });
  }

  /** Extends one lease. A lost lease is handled here; every other error is raised. */
  extend(execution: Execution<E>, forMs: number): Awaitable<void> {
    const renewAt = this.#config.clock.monotonic() + forMs / 2;
    this.#executions.beginExtend(execution);
    return whenDone(
      () => this.#transport.extend(execution.lease, forMs),
      (lease) => this.#executions.endExtend(execution, lease, renewAt),
      (error) => {
        this.#executions.endExtend(execution, null, renewAt);
        this.#executions.refused(execution, error);
      },
    );
  }
}
