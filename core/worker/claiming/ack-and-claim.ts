/**
 * Acks what is completed and claims for the free slots, in one transaction: half the commits of doing it one by one.
 * The transport's own pace limits how much one call takes on, since a synchronous transport blocks the event loop.
 */
import { LeaseLost } from '../../contract/errors.ts';
import type { AckedAndClaimed, Awaitable, ClaimManyOptions, Lease } from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';
import type { Settings } from '../contract/worker-options.ts';
import type { Execution } from '../executions/execution.ts';
import type { HandlerRunner } from '../executions/handler-runner.ts';
import { concernsOneMessage } from '../executions/message-errors.ts';
import type { Shared } from '../executions/shared.ts';

/**
 * What one transaction of a synchronous transport claims at most and at least. It begins with the least, since the first call
 * reads a cold file. A call that takes too long makes the next ones smaller, and quick calls make them larger again. Rejected:
 * a limit computed from the time per message. Where every commit waits for the disk it shrank to nothing, because smaller
 * batches made each message slower still.
 */
const MAX_AT_ONCE = 256;
const MIN_AT_ONCE = 16;
const SLOW_MS = 2.5;
const QUICK_MS = 1.25;

/** The same for an asynchronous transport, which does not block the event loop. */
const AT_ONCE_ELSEWHERE = 64;

export class AckAndClaim<E> {
  readonly #shared: Shared<E>;
  readonly #handlers: HandlerRunner<E>;
  /** Which groups to claim. Replaced as a whole, so that a pending claim can tell that they changed. */
  options: Pick<Settings, 'minPriority' | 'routingKeys'>;
  /** False while the worker starts, is paused or stops: it only acks. */
  claims = false;
  /** A group may be claimable. */
  claimable = false;
  /** What a claim that is on its way will return has been released already. */
  #discardsClaims = false;
  /** How many to claim at once. */
  #atOnce = MIN_AT_ONCE;

  constructor(shared: Shared<E>, handlers: HandlerRunner<E>) {
    this.#shared = shared;
    this.#handlers = handlers;
    const { minPriority, routingKeys } = shared.config;
    this.options = { minPriority, routingKeys };
  }

  /** It may claim, and a claimed message would be started soon. */
  get canClaim(): boolean {
    return this.claims && this.#handlers.room > 0 && !this.#shared.held.holdsSuspect;
  }

  /** For a worker that ends: everything that it holds was released, also what a pending claim will return. */
  discardClaims(): void {
    this.claims = false;
    this.#discardsClaims = true;
  }

  /** Raises the transport's errors; the acks then stay pending. After an error that one of the acks may have caused, each is settled alone. */
  run(): Awaitable<void> {
    const { options } = this;
    const { held, executions, config } = this.#shared;
    const acks = held.readyAcks(MAX_AT_ONCE);
    const room = this.claims && !held.holdsSuspect ? this.#handlers.room + acks.length : 0;
    const limit = Math.min(Math.max(0, room), this.#atOnce);
    if (acks.length === 0 && (limit === 0 || !this.claimable)) return;
    // Reset before the call: an event that arrives while the call is pending must still count after it.
    this.claimable = false;
    for (const execution of acks) execution.isSent = true;
    const { clock, visibilityMs, maxAttempts } = config;
    const term = { monotonic: clock.monotonic(), now: clock.now(), forMs: visibilityMs };
    return whenDone(
      () => {
        const startNow = Math.min(limit, this.#handlers.freeSlots);
        return this.#call(acks, limit, { ...options, startNow, maxAttempts });
      },
      ({ claimed, lost }, waited) => {
        if (waited) this.#atOnce = AT_ONCE_ELSEWHERE;
        else this.#adaptTo(clock.monotonic() - term.monotonic);
        for (const execution of acks) this.#acked(execution, lost);
        for (const lease of this.#discardsClaims ? [] : claimed) this.#handlers.take(lease, term);
        executions.releaseBesideSuspects();
        // An ack frees its group, and what did not fit into this claim may be claimable.
        this.claimable ||= limit === 0 || claimed.length === limit;
        // Paused, stopped or configured while the claim was pending.
        if (!this.claims || options !== this.options) executions.releaseWaiting();
      },
      (error) => {
        for (const execution of acks) execution.isSent = false;
        if (acks.length === 0 || !concernsOneMessage(error)) throw error;
        // Nothing was acked. If the claim is the cause, the next turn's claim raises it again.
        executions.settleAlone(acks);
        this.claimable = true;
      },
    );
  }

  #call(
    acks: readonly Execution<E>[],
    limit: number,
    options: ClaimManyOptions,
  ): Awaitable<AckedAndClaimed<E>> {
    const { transport, workerId, config } = this.#shared;
    const { visibilityMs } = config;
    if (acks.length > 0) {
      const leases = acks.map(({ lease }) => lease);
      return transport.ackAndClaimMany(leases, workerId, visibilityMs, limit, options);
    }
    return whenDone(
      () => transport.claimMany(workerId, visibilityMs, limit, options),
      (claimed) => ({ claimed, lost: [] }),
    );
  }

  #acked(execution: Execution<E>, lost: readonly Lease<E>[]): void {
    const { executions, reporter } = this.#shared;
    const { seq } = execution.lease;
    // By seq: a lease that crossed a thread is a copy.
    if (lost.length > 0 && lost.some((lease) => lease.seq === seq)) {
      const message = `Message ${seq} was taken by another worker before it was acked.`;
      executions.lose(execution, new LeaseLost(message));
    } else {
      executions.finish(execution);
      reporter.completed(execution);
    }
  }

  #adaptTo(tookMs: number): void {
    if (tookMs > SLOW_MS) this.#atOnce = Math.max(MIN_AT_ONCE, Math.floor(this.#atOnce * 0.75));
    else if (tookMs < QUICK_MS) this.#atOnce = Math.min(MAX_AT_ONCE, Math.ceil(this.#atOnce * 1.25));
  }
}
