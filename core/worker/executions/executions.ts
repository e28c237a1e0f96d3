/**
 * The messages this worker holds, from claim to settle, and the handlers at work on them.
 *
 * At most one message of each group is held, and none is started while a handler of its group still runs. An answer
 * waits in `acks` or `others` until the loop has committed it; only `forget` lets the message go.
 */
import { LeaseholdError, LeaseLost } from '../../contract/errors.ts';
import type { Lease } from '../../contract/transport.ts';
import type { Dispatch } from '../contract/dispatch.ts';
import { Bury, Park } from '../contract/outcome.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Reporter } from '../reporting/reporter.ts';
import { type AbortCause, type Answer, Run, RunContext, type RunHost } from './execution.ts';
import { Ahead, WAIT_AT_MOST_MS } from './prefetch.ts';

const DONE: Answer = { as: 'done' };
const RETURNED: Answer = { as: 'returned' };

export interface RunsHost<Event> extends RunHost<Event> {
  readonly config: Configuration;
  readonly reporter: Reporter;
  /** Something can be settled or started. */
  changed(): void;
  /** Something may be claimable. */
  lookAgain(): void;
  /** A run needs looking after at this monotonic time. */
  expect(at: number): void;
}

export class Runs<Event> {
  /** By group. */
  readonly held = new Map<string, Run<Event>>();
  /** Their lease is lost and their handler still runs. */
  readonly strays = new Set<Run<Event>>();
  acks: Run<Event>[] = [];
  others: Run<Event>[] = [];
  concurrency: number;
  /** Monotonic ms at which the turn at hand must give the event loop back. */
  sliceEnd = 0;
  #waiting: Run<Event>[] = [];
  #running = 0;
  #starting = false;
  readonly #ahead = new Ahead();
  readonly #dispatch: Dispatch<Event>;
  readonly #host: RunsHost<Event>;

  constructor(dispatch: Dispatch<Event>, host: RunsHost<Event>) {
    this.#dispatch = dispatch;
    this.#host = host;
    this.concurrency = host.config.concurrency;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get empty(): boolean {
    return this.held.size === 0 && this.strays.size === 0;
  }

  /** How many messages may be held at once. */
  get capacity(): number {
    return this.#ahead.capacity(this.concurrency);
  }

  /** Takes in what was claimed at this monotonic time. */
  take(lease: Lease<Event>, at: number): void {
    const run = new Run(lease, at + Math.min(WAIT_AT_MOST_MS, this.#host.config.visibilityMs / 2));
    const earlier = this.held.get(lease.groupId);
    if (earlier)
      this.lose(earlier, new LeaseLost(`Message ${earlier.lease.seq} lapsed and was claimed again.`));
    this.held.set(lease.groupId, run);
    if (this.#isAstray(lease.groupId)) {
      this.#answer(run, {
        as: 'parked',
        delayMs: this.#host.config.abortGraceMs,
        reason: 'its group is still busy',
      });
      return;
    }
    const handler = this.#dispatch(lease.event);
    if (typeof handler !== 'function') this.#answer(run, { as: 'buried', error: handler });
    else if (lease.attempt > this.#host.config.maxAttempts)
      this.#answer(run, { as: 'buried', error: handedOutTooOften(lease) });
    else {
      run.handler = handler;
      this.#waiting.push(run);
    }
  }

  /** Calls the handlers of what waits, while there are free slots and time in this turn. */
  start(): void {
    // A handler that returns at once comes back here; the loop below goes on with the next one.
    if (this.#starting) return;
    this.#starting = true;
    while (this.#waiting.length > 0 && this.#running < this.concurrency) {
      const monotonic = this.#host.config.clock.monotonic();
      if (monotonic >= this.sliceEnd) {
        this.#host.changed();
        break;
      }
      this.#call(this.#waiting.shift() as Run<Event>, monotonic);
    }
    this.#starting = false;
  }

  giveBackWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) this.#answer(run, RETURNED);
  }

  /** This one waited too long: handlers are slower than they were, and nothing is claimed ahead for a while. */
  giveBackLate(run: Run<Event>): void {
    this.#ahead.noteWaited();
    this.#waiting = this.#waiting.filter((other) => other !== run);
    this.#answer(run, RETURNED);
  }

  abort(run: Run<Event>, cause: AbortCause, reason: Error, stopTimeoutMs: number): void {
    if (run.stage !== 'running') return;
    run.timeoutAt = Number.POSITIVE_INFINITY;
    // A second reason to stop cannot lengthen what is left.
    run.giveUpAt = Math.min(run.giveUpAt, this.#host.config.clock.monotonic() + stopTimeoutMs);
    this.#host.expect(run.giveUpAt);
    run.abort(cause, reason);
  }

  /** Waits no longer for a handler whose signal fired. Its slot is free; should it settle after all, that is said. */
  abandon(run: Run<Event>): void {
    if (run.stage !== 'running' || run.abandoned) return;
    run.abandoned = true;
    this.#running--;
    this.#host.reporter.abandoned(run);
    this.#end(run, RETURNED);
  }

  /** Somebody else has the message, or nobody knows: nothing of this run may be settled any more. */
  lose(run: Run<Event>, error: Error): void {
    if (run.stage === 'over' || run.abortedFor === 'lost') return;
    if (this.held.get(run.lease.groupId) === run) this.held.delete(run.lease.groupId);
    this.#host.reporter.leaseLost(run, error);
    // News of what this worker believed to hold was passed over: its group may have been free for a while.
    this.#host.lookAgain();
    if (run.stage === 'running') {
      this.strays.add(run);
      // A signal that fired for another reason fires once only; the cause is what its answer is judged by.
      this.abort(run, 'lost', error, this.#host.config.abortGraceMs);
      run.abortedFor = 'lost';
      run.renewAt = Number.POSITIVE_INFINITY;
    } else {
      if (run.stage === 'waiting') this.#waiting = this.#waiting.filter((other) => other !== run);
      run.stage = 'over';
    }
  }

  /** What is answered and cannot be committed is let go; its leases lapse. */
  dropAnswered(): void {
    for (const run of [...this.acks, ...this.others]) this.forget(run);
    this.acks = [];
    this.others = [];
  }

  /** The transport is gone, and with it every lease: what runs hears of it, and nothing is settled any more. */
  dropAll(reason: Error): void {
    for (const run of [...this.held.values(), ...this.strays]) {
      const ran = run.stage === 'running';
      run.stage = 'over';
      if (ran) run.abort('lost', reason);
    }
    this.held.clear();
    this.strays.clear();
    this.#waiting = [];
    this.acks = [];
    this.others = [];
    this.#running = 0;
  }

  /** The run's answer is committed. */
  forget(run: Run<Event>): void {
    run.stage = 'over';
    if (this.held.get(run.lease.groupId) === run) this.held.delete(run.lease.groupId);
  }

  #isAstray(groupId: string): boolean {
    if (this.strays.size === 0) return false;
    for (const run of this.strays) if (run.lease.groupId === groupId) return true;
    return false;
  }

  #call(run: Run<Event>, monotonic: number): void {
    const { config, reporter } = this.#host;
    run.stage = 'running';
    run.startedAt = monotonic;
    const half = config.visibilityMs / 2;
    run.renewAt = Math.min(monotonic + half, run.renewAt + Math.max(0, half - WAIT_AT_MOST_MS));
    if (config.timeoutMs > 0) {
      run.timeoutAt = monotonic + config.timeoutMs;
      this.#host.expect(run.timeoutAt);
    }
    this.#host.expect(run.renewAt);
    this.#running++;
    reporter.started(run);
    let result: unknown;
    try {
      // Not as a method of the run, which is none of the handler's business.
      const { handler } = run;
      result = handler?.(run.lease, new RunContext(run, this.#host));
    } catch (error) {
      this.#threw(run, error);
      return;
    }
    if (isThenable(result))
      Promise.resolve(result).then(
        (value) => this.#returned(run, value),
        (error) => this.#threw(run, error),
      );
    else this.#returned(run, result);
  }

  #returned(run: Run<Event>, value: unknown): void {
    if (value instanceof Park || value instanceof Bury) this.#threw(run, value);
    else this.#settled(run, DONE);
  }

  #threw(run: Run<Event>, error: unknown): void {
    if (error instanceof Park) {
      const delayMs = error.delayMs ?? Math.max(0, (error.until ?? 0) - this.#host.config.clock.now());
      this.#settled(run, { as: 'parked', delayMs, reason: error.reason });
    } else this.#settled(run, { as: error instanceof Bury ? 'buried' : 'failed', error });
  }

  #settled(run: Run<Event>, answer: Answer): void {
    if (run.stage !== 'running' || run.abandoned) {
      this.#host.reporter.settledLate(run, answer.as === 'failed');
      return;
    }
    this.#running--;
    run.tookMs = this.#host.config.clock.monotonic() - run.startedAt;
    this.#ahead.note(run.tookMs);
    this.#end(run, answer);
    this.start();
  }

  /** Once its signal has fired, a handler that returns may have finished or given up: that is not taken as done. */
  #end(run: Run<Event>, answer: Answer): void {
    const decided = answer.as === 'parked' || answer.as === 'buried';
    if (run.abortedFor === 'lost') {
      run.stage = 'over';
      this.strays.delete(run);
      this.#host.changed();
    } else if (run.abortedFor === null || decided) this.#answer(run, answer);
    else if (run.abortedFor === 'timeout') this.#answer(run, { as: 'failed', error: run.reason });
    else this.#answer(run, RETURNED);
  }

  #answer(run: Run<Event>, answer: Answer): void {
    run.stage = 'settling';
    run.answer = answer;
    run.timeoutAt = Number.POSITIVE_INFINITY;
    run.giveUpAt = Number.POSITIVE_INFINITY;
    (answer.as === 'done' ? this.acks : this.others).push(run);
    this.#host.changed();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

function handedOutTooOften(lease: Lease<unknown>): LeaseholdError {
  return new LeaseholdError(
    'STALE',
    `Handed out ${lease.attempt - 1} times without an outcome: each time its process ended or its lease lapsed.`,
  );
}
