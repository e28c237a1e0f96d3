/**
 * Acks what is completed and claims for the free slots, in one transaction: half the commits of doing it one by one.
 * The transport's own pace limits how much one call takes on, since a synchronous transport blocks the event loop.
 */
import { LeaseLost } from '../../contract/errors.ts';
import type {
  AckedAndClaimed,
  Awaitable,
  ClaimManyOptions,
  Lease,
  Transport,
} from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';
import type { Configuration, Settings } from '../contract/worker-options.ts';
import type { Execution } from '../executions/execution.ts';
import type { Executions } from '../executions/executions.ts';
import type { HandlerRunner } from '../executions/handler-runner.ts';
import { concernsOneMessage } from '../executions/message-errors.ts';
import type { Reporter } from '../reporting/reporter.ts';

/**
 * What one transaction claims at most and at least. A call that takes too long makes the next ones smaller, and quick
 * calls make them larger again. Rejected: a limit computed from the time per message. Where every commit waits for the
 * disk it shrank to nothing, because smaller batches made each message slower still.
 */
const MAX_AT_ONCE = 256;
const MIN_AT_ONCE = 16;
const SLOW_MS = 4;
const QUICK_MS = 2;

export class AckAndClaim<E> {
  readonly #transport: Transport<E>;
  readonly #workerId: string;
  readonly #executions: Executions<E>;
  readonly #handlers: HandlerRunner<E>;
  readonly #reporter: Reporter;
  readonly #config: Configuration;
  /** Which groups to claim. Replaced as a whole, so that a pending claim can tell that they changed. */
  options: Pick<Settings, 'minPriority' | 'routingKeys'>;
  /** False while the worker starts, is paused or stops: it only acks. */
  claims = false;
  /** A group may be claimable. */
  claimable = false;
  /** What a claim that is on its way will return has been released already. */
  #discardsClaims = false;
  /** How many to claim at once. */
  #atOnce = MIN_AT_ONCE * 4;

  constructor(
    transport: Transport<E>,
    workerId: string,
    executions: Executions<E>,
    handlers: HandlerRunner<E>,
    config: Configuration,
    reporter: Reporter,
  ) {
    this.#transport = transport;
    this.#workerId = workerId;
    this.#executions = executions;
    this.#handlers = handlers;
    this.#config = config;
    this.#reporter = reporter;
    const { minPriority, routingKeys } = config;
    this.options = { minPriority, routingKeys };
  }

  /** It may claim, and a claimed message would be started soon. */
  get canClaim(): boolean {
    return this.claims && this.#handlers.room > 0 && !this.#executions.holdsSuspect;
  }

  /** For a worker that ends: everything that it holds was released, also what a pending claim will return. */
  discardClaims(): void {
    this.claims = false;
    this.#discardsClaims = true;
  }

  /** Raises the transport's errors; the acks then stay pending. After an error that one of the acks may have caused, each is settled alone. */
  run(): Awaitable<void> {
    const { options } = this;
    const acks = this.#executions.readyAcks(MAX_AT_ONCE);
    const room = Math.max(0, this.#handlers.room + acks.length);
    const limit = this.claims && !this.#executions.holdsSuspect ? Math.min(room, this.#atOnce) : 0;
    if (acks.length === 0 && (limit === 0 || !this.claimable)) return;
    // Reset before the call: an event that arrives while the call is pending must still count after it.
    this.claimable = false;
    for (const execution of acks) execution.setSent(true);
    const { clock, visibilityMs } = this.#config;
    const term = { monotonic: clock.monotonic(), now: clock.now(), forMs: visibilityMs };
    return whenDone(
      () => this.#call(acks, limit, { ...options, startNow: Math.min(limit, this.#handlers.freeSlots) }),
      ({ claimed, lost }, waited) => {
        if (!waited) this.#adaptTo(clock.monotonic() - term.monotonic);
        for (const execution of acks) this.#acked(execution, lost);
        for (const lease of this.#discardsClaims ? [] : claimed) this.#handlers.take(lease, term);
        this.#executions.releaseBesideSuspects();
        // An ack frees its group, and what did not fit into this claim may be claimable.
        this.claimable ||= limit === 0 || claimed.length === limit;
        // Paused, stopped or configured while the claim was pending.
        if (!this.claims || options !== this.options) this.#executions.releaseWaiting();
      },
      (error) => {
        for (const execution of acks) execution.setSent(false);
        if (acks.length === 0 || !concernsOneMessage(error)) throw error;
        // Nothing was acked. If the claim is the cause, the next turn's claim raises it again.
        this.#executions.settleAlone(acks);
        this.claimable = true;
      },
    );
  }

  #call(
    acks: readonly Execution<E>[],
    limit: number,
    options: ClaimManyOptions,
  ): Awaitable<AckedAndClaimed<E>> {
    const { visibilityMs } = this.#config;
    if (acks.length > 0) {
      const leases = acks.map(({ lease }) => lease);
      return this.#transport.ackAndClaimMany(leases, this.#workerId, visibilityMs, limit, options);
    }
    return whenDone(
      () => this.#transport.claimMany(this.#workerId, visibilityMs, limit, options),
      (claimed) => ({ claimed, lost: [] }),
    );
  }

  #acked(execution: Execution<E>, lost: readonly Lease<E>[]): void {
    const { seq } = execution.lease;
    // By seq: a lease that crossed a thread is a copy.
    if (lost.length > 0 && lost.some((lease) => lease.seq === seq)) {
      const message = `Message ${seq} was taken by another worker before it was acked.`;
      this.#executions.lose(execution, new LeaseLost(message));
    } else {
      this.#executions.finish(execution);
      this.#reporter.completed(execution);
    }
  }

  #adaptTo(tookMs: number): void {
    if (tookMs > SLOW_MS) this.#atOnce = Math.max(MIN_AT_ONCE, Math.floor(this.#atOnce * 0.75));
    else if (tookMs < QUICK_MS) this.#atOnce = Math.min(MAX_AT_ONCE, Math.ceil(this.#atOnce * 1.25));
  }
}
