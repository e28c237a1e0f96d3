/**
 * Acks what is done and claims for what is free, in one transaction: half the commits of doing it one by one. What one
 * call takes on is limited by the transport's own pace, since a synchronous one holds the event loop meanwhile.
 */
import { LeaseLost } from '../../contract/errors.ts';
import type { AckedAndClaimed, Awaitable, ClaimOptions, Lease, Transport } from '../../contract/transport.ts';
import { isPromise } from '../../contract/when-done.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Run } from '../executions/execution.ts';
import type { Runs } from '../executions/executions.ts';
import type { Reporter } from '../reporting/reporter.ts';

/**
 * What one transaction claims at most and at least. In between, a call that took too long makes the next ones smaller, and
 * quick ones make them larger again. (A limit worked out from the time for each message shrank to nothing where every
 * commit waits for the disk: smaller batches made each message dearer still.)
 */
const MOST_AT_ONCE = 256;
const LEAST_AT_ONCE = 16;
const LONG_MS = 4;
const SHORT_MS = 2;

export class Exchange<Event> {
  readonly #transport: Transport<Event>;
  readonly #workerId: string;
  readonly #runs: Runs<Event>;
  readonly #config: Configuration;
  readonly #reporter: Reporter;
  /** How many to claim at once now. */
  #atOnce = LEAST_AT_ONCE * 4;

  constructor(
    transport: Transport<Event>,
    workerId: string,
    runs: Runs<Event>,
    config: Configuration,
    reporter: Reporter,
  ) {
    this.#transport = transport;
    this.#workerId = workerId;
    this.#runs = runs;
    this.#config = config;
    this.#reporter = reporter;
  }

  /**
   * Says whether there may be more to claim. `options`: null claims nothing; `look`: whether anything might be there, which
   * is what decides when there is nothing to ack. Raises the transport's errors; the acks are then still to be done.
   */
  run(options: ClaimOptions | null, look: boolean): Awaitable<boolean> {
    const acks = this.#takeAcks();
    const free = this.#runs.capacity - this.#runs.held.size + acks.length;
    const limit = options ? Math.min(Math.max(free, 0), this.#atOnce) : 0;
    if (acks.length === 0 && (limit === 0 || !look)) return look;
    const began = this.#config.clock.monotonic();
    const keep = ({ claimed, lost }: AckedAndClaimed<Event>) => {
      for (const run of acks) this.#acked(run, lost);
      for (const lease of claimed) this.#runs.take(lease, began);
      // An ack frees its group, and what could not be claimed this time may be claimable.
      return limit === 0 || claimed.length === limit;
    };
    const restore = (error: unknown) => {
      this.#runs.acks.push(...acks);
      throw error;
    };
    let result: Awaitable<AckedAndClaimed<Event>>;
    try {
      result = this.#call(acks, limit, options ?? {});
    } catch (error) {
      return restore(error);
    }
    if (isPromise(result)) return result.then(keep, restore);
    this.#notePace(this.#config.clock.monotonic() - began);
    return keep(result);
  }

  #call(acks: Run<Event>[], limit: number, options: ClaimOptions): Awaitable<AckedAndClaimed<Event>> {
    const { visibilityMs } = this.#config;
    if (acks.length > 0) {
      const leases = acks.map((run) => run.lease);
      return this.#transport.ackAndClaimMany(leases, this.#workerId, visibilityMs, limit, options);
    }
    const claimed = this.#transport.claimMany(this.#workerId, visibilityMs, limit, options);
    return isPromise(claimed)
      ? claimed.then((leases) => ({ claimed: leases, lost: [] }))
      : { claimed, lost: [] };
  }

  #takeAcks(): Run<Event>[] {
    const acks: Run<Event>[] = [];
    const kept: Run<Event>[] = [];
    for (const run of this.#runs.acks) {
      // Lost meanwhile.
      if (run.stage === 'over') continue;
      // A transport is at work on its lease: what that returns is what settles.
      if (run.extending !== null || acks.length === MOST_AT_ONCE) kept.push(run);
      else acks.push(run);
    }
    this.#runs.acks = kept;
    return acks;
  }

  #acked(run: Run<Event>, lost: readonly Lease<Event>[]): void {
    // By seq: a lease that crossed a thread is a copy.
    if (lost.length > 0 && lost.some(({ seq }) => seq === run.lease.seq)) {
      const message = `Message ${run.lease.seq} was done when its lease had lapsed and somebody else had taken it.`;
      this.#runs.lose(run, new LeaseLost(message));
    } else {
      this.#runs.forget(run);
      this.#reporter.completed(run);
    }
  }

  #notePace(tookMs: number): void {
    if (tookMs > LONG_MS) this.#atOnce = Math.max(LEAST_AT_ONCE, Math.floor(this.#atOnce * 0.75));
    else if (tookMs < SHORT_MS) this.#atOnce = Math.min(MOST_AT_ONCE, Math.ceil(this.#atOnce * 1.25));
  }
}
