/** Commits the answers that cannot share a transaction with the next claim: everything but "done". */
import { LeaseLost } from '../../contract/errors.ts';
import type { Awaitable, Transport } from '../../contract/transport.ts';
import { isPromise } from '../../contract/when-done.ts';
import { describeFailure } from '../contract/outcome.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Reporter } from '../reporting/reporter.ts';
import type { Run } from './execution.ts';
import type { Runs } from './executions.ts';

/** An asynchronous transport commits these together; more at once would only hold the next claim up. */
const AT_ONCE = 64;

export class Settler<Event> {
  readonly #transport: Transport<Event>;
  readonly #runs: Runs<Event>;
  readonly #config: Configuration;
  readonly #reporter: Reporter;

  constructor(transport: Transport<Event>, runs: Runs<Event>, config: Configuration, reporter: Reporter) {
    this.#transport = transport;
    this.#runs = runs;
    this.#config = config;
    this.#reporter = reporter;
  }

  /** Settles what it can until `sliceEnd`; says whether a group may have become claimable. Raises the transport's errors. */
  settle(sliceEnd: number): Awaitable<boolean> {
    const queue = this.#runs.others;
    const kept: Run<Event>[] = [];
    this.#runs.others = kept;
    const waits: Promise<void>[] = [];
    let freed = false;
    let next = 0;
    try {
      for (; next < queue.length && waits.length < AT_ONCE; next++) {
        if (next > 0 && this.#config.clock.monotonic() >= sliceEnd) break;
        const run = queue[next] as Run<Event>;
        // Lost meanwhile.
        if (run.stage === 'over') continue;
        // A transport is at work on its lease: what that returns is what settles.
        if (run.extending !== null) {
          kept.push(run);
          continue;
        }
        freed ||= !(run.answer?.as === 'parked' && run.answer.delayMs > 0);
        const settled = this.#settleOne(run);
        if (isPromise(settled)) waits.push(this.#keepOnFailure(run, settled));
      }
    } finally {
      // What was not reached, or raised, is tried again: the message stays held until its answer is committed.
      for (; next < queue.length; next++) kept.push(queue[next] as Run<Event>);
    }
    return waits.length === 0 ? freed : settleAll(waits).then(() => freed);
  }

  async #keepOnFailure(run: Run<Event>, settled: Promise<void>): Promise<void> {
    try {
      await settled;
    } catch (error) {
      this.#runs.others.push(run);
      throw error;
    }
  }

  #settleOne(run: Run<Event>): Awaitable<void> {
    const { say, verb } = this.#decide(run);
    let committed: Awaitable<void>;
    try {
      committed = verb();
    } catch (error) {
      this.#refused(run, error);
      return;
    }
    if (!isPromise(committed)) {
      this.#committed(run, say);
      return;
    }
    return committed.then(
      () => this.#committed(run, say),
      (error) => this.#refused(run, error),
    );
  }

  /** The verb that commits the answer, and what is said afterwards. */
  #decide(run: Run<Event>): { verb: () => Awaitable<void>; say: () => void } {
    const { lease } = run;
    const answer = run.answer ?? { as: 'returned' };
    if (answer.as === 'parked') {
      const { delayMs, reason } = answer;
      return {
        verb: () => this.#transport.nack(lease, delayMs, { countAttempt: false }),
        say: () => this.#reporter.parked(run, delayMs, reason),
      };
    }
    if (answer.as !== 'failed' && answer.as !== 'buried')
      return {
        verb: () => this.#transport.nack(lease, 0, { countAttempt: false }),
        say: () => this.#reporter.released(run),
      };
    const error = describeFailure(answer.error, this.#config.maxErrorLength);
    if (answer.as === 'buried' || lease.attempt >= this.#config.maxAttempts)
      return {
        verb: () => this.#transport.bury(lease, { error }),
        say: () => this.#reporter.buried(run, answer.error),
      };
    const delayMs = this.#delayAfter(lease.attempt, answer.error);
    return {
      verb: () => this.#transport.nack(lease, delayMs, { error }),
      say: () => this.#reporter.failed(run, answer.error, delayMs),
    };
  }

  #committed(run: Run<Event>, say: () => void): void {
    this.#runs.forget(run);
    say();
  }

  #refused(run: Run<Event>, error: unknown): void {
    if (!(error instanceof LeaseLost)) throw error;
    this.#runs.lose(run, error);
  }

  /** A rule of the caller's own may throw or answer nonsense; the message must not suffer for it. */
  #delayAfter(attempt: number, error: unknown): number {
    try {
      const delayMs = Math.round(this.#config.backoff(attempt, error));
      if (delayMs >= 0 && Number.isFinite(delayMs)) return delayMs;
      throw new TypeError(`backoff answered ${delayMs} for attempt ${attempt}: it must be 0 ms or more.`);
    } catch (problem) {
      this.#reporter.misbehaved('the backoff rule', problem);
      return 1000;
    }
  }
}

/** Waits for all of them, then raises the first error: none is left running unseen. */
async function settleAll(waits: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(waits);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
