/**
 * The messages that this worker holds, from claim to settle. This class alone moves them from stage to stage.
 *
 * At most one message of each group is held, and none is started while a handler of its group still runs. An outcome stays
 * pending until it is committed: a crash before that leaves the message leased, and it is delivered again.
 */
import { LeaseLost } from '../../contract/errors.ts';
import type { Lease } from '../../contract/transport.ts';
import type { TurnSignal } from '../contract/turn-signal.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Handler, RunningMessage } from '../contract/worker-types.ts';
import type { Reporter } from '../reporting/reporter.ts';
import { DueTimer } from './due-timer.ts';
import { Execution } from './execution.ts';
import { MAX_WAIT_MS } from './prefetch.ts';
import { MAX_SUSPECT_WAIT_MS } from './probation.ts';
import { StageLists } from './stage-lists.ts';
import { type AbortCause, type Outcome, RELEASE, type Stage, type Term } from './stages.ts';

export class Executions<E> {
  /** Fires when a held message next needs something done: a renewal, a timeout, a release. */
  readonly timer: DueTimer;
  readonly #config: Configuration;
  readonly #reporter: Reporter;
  readonly #signal: TurnSignal;
  /** By group. */
  readonly #held = new Map<string, Execution<E>>();
  /** Their lease is lost and their handler still runs. */
  readonly #lost = new Set<Execution<E>>();
  readonly #lists = new StageLists<E>();
  /** The suspect whose handler runs alone. */
  #onProbation: Execution<E> | null = null;
  #running = 0;

  constructor(config: Configuration, reporter: Reporter, signal: TurnSignal) {
    this.#config = config;
    this.#reporter = reporter;
    this.#signal = signal;
    this.timer = new DueTimer(config.clock, () => signal.requestTurn());
  }

  /** Those that occupy a place. What is set aside must not keep the worker from claiming. */
  get held(): number {
    return this.#held.size - this.#lists.aside.length;
  }

  get waiting(): number {
    return this.#lists.waiting.length + this.#lists.suspects.length;
  }

  /** The suspect that has waited longest. */
  get firstSuspect(): Execution<E> | undefined {
    return this.#lists.suspects[0];
  }

  get onProbation(): Execution<E> | null {
    return this.#onProbation;
  }

  /** A suspect is held that has not outlived its probation: no other handler is called, and nothing is claimed. */
  get holdsSuspect(): boolean {
    return this.#lists.suspects.length > 0 || this.#onProbation !== null;
  }

  /** The first waiting message whose handler may be called now: its lease is held by both clocks. */
  nextToStart(monotonic: number): Execution<E> | undefined {
    if (this.#lists.waiting.length === 0) return undefined;
    const now = this.#config.clock.now();
    return this.#lists.waiting.find(
      (execution) => execution.calling === null && !execution.hasLapsed(monotonic, now),
    );
  }

  /** A waiting message must be renewed before its handler is called. */
  hasLapsedWaiting(monotonic: number): boolean {
    if (this.waiting === 0) return false;
    const now = this.#config.clock.now();
    const hasLapsed = (execution: Execution<E>) =>
      execution.calling === null && execution.hasLapsed(monotonic, now);
    return this.#lists.waiting.some(hasLapsed) || this.#lists.suspects.some(hasLapsed);
  }

  /** Handlers that occupy a slot. */
  get running(): number {
    return this.#running;
  }

  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#lost.size === 0;
  }

  /** An outcome can be committed now. */
  get canSettle(): boolean {
    return this.#lists.canSettle;
  }

  holds(groupId: string, seq: number): boolean {
    return this.#held.get(groupId)?.lease.seq === seq;
  }

  all(): Execution<E>[] {
    return [...this.#held.values(), ...this.#lost];
  }

  /** `now` and `monotonic`: both clocks at the same moment. */
  describeRunning(now: number, monotonic: number): RunningMessage[] {
    return this.all()
      .map((execution) => execution.describe(now, monotonic))
      .filter((running) => running !== null);
  }

  /** Takes in what was claimed for this term, to be run or to be settled at once. */
  take(lease: Lease<E>, term: Term, next: Handler<E> | Outcome): void {
    const earlier = this.#held.get(lease.groupId);
    if (earlier)
      this.lose(earlier, new LeaseLost(`Message ${earlier.lease.seq} lapsed and was claimed again.`));
    // From now: the claim's answer may have come late. A suspect waits for running handlers to end.
    const maxWaitMs =
      lease.crashes > 0 ? MAX_SUSPECT_WAIT_MS : Math.min(MAX_WAIT_MS, this.#config.visibilityMs / 2);
    const releaseAt = this.#config.clock.monotonic() + maxWaitMs;
    // After the earlier one was lost: its handler may still run.
    const first = this.#parkIfBusy(lease.groupId) ?? next;
    const stage: Stage<E> =
      typeof first === 'function'
        ? { name: 'waiting', handler: first, releaseAt }
        : { name: 'settling', outcome: first };
    const execution = new Execution(lease, term, stage);
    this.#held.set(lease.groupId, execution);
    this.#lists.add(execution);
  }

  /** The suspect has outlived its probation, or its handler has ended: others are started and claimed again. */
  endProbation(execution: Execution<E>): void {
    if (this.#onProbation !== execution) return;
    execution.endProbation();
    this.#onProbation = null;
    this.#signal.requestClaim();
  }

  /** Its handler is about to be called. `probationMs`: 0 unless it is a suspect. */
  start(execution: Execution<E>, startedAt: number, timeoutAt: number, probationMs: number): void {
    this.#lists.remove(execution);
    execution.start(startedAt, timeoutAt);
    if (probationMs > 0) {
      this.#onProbation = execution;
      execution.beginProbation(startedAt + probationMs);
    }
    this.timer.fireBy(execution.dueAt);
    this.#running++;
  }

  /** Its handler has ended or is given up, and the slot is free. `outcome`: null when the lease is lost. */
  endHandler(execution: Execution<E>, outcome: Outcome | null, tookMs: number): void {
    this.#running--;
    this.endProbation(execution);
    if (outcome) {
      this.#setOutcome(execution, outcome, tookMs);
      return;
    }
    execution.end();
    this.#lost.delete(execution);
    this.#signal.requestTurn();
  }

  /** Fires the signal of a handler that runs, and sets the time at which it is given up. */
  abort(execution: Execution<E>, cause: AbortCause, reason: Error, graceMs: number): void {
    if (execution.abort(cause, reason, this.#config.clock.monotonic() + graceMs))
      this.timer.fireBy(execution.dueAt);
  }

  /** Messages that wait beside a suspect would be held up by it, or hurt: others may have them. */
  releaseBesideSuspects(): void {
    if (this.#lists.suspects.length === 0) return;
    for (const execution of [...this.#lists.waiting]) this.release(execution);
  }

  releaseWaiting(): void {
    for (const execution of [...this.#lists.waiting, ...this.#lists.suspects]) this.release(execution);
  }

  release(execution: Execution<E>): void {
    this.#lists.remove(execution);
    this.#setOutcome(execution, RELEASE);
  }

  /** The lease is lost: the result is discarded, and nothing of this message may be settled any more. */
  lose(execution: Execution<E>, error: Error): void {
    if (!execution.hasLease) return;
    this.#letGo(execution);
    execution.lose(error, this.#config.clock.monotonic() + this.#config.abortGraceMs);
    if (execution.handlerRuns) {
      this.#lost.add(execution);
      this.timer.fireBy(execution.dueAt);
    }
    this.#reporter.leaseLost(execution, error);
    // While it held the message, this worker ignored the transport events about it. The group may therefore be free.
    this.#signal.requestClaim();
  }

  /** Up to `limit` acks that can be committed. Each stays pending until `finish` or `lose`. */
  readyAcks(limit: number): Execution<E>[] {
    return this.#lists.readyAcks(limit);
  }

  /** All acks that can be committed, each to be settled by a call of its own. */
  settleAllAlone(): void {
    this.settleAlone(this.readyAcks(Number.POSITIVE_INFINITY));
  }

  /** Up to `limit` other outcomes that can be committed. Each stays pending until `finish` or `lose`. */
  readySettles(limit: number): Execution<E>[] {
    return this.#lists.readySettles(limit);
  }

  /** Its outcome is committed, or given up. */
  finish(execution: Execution<E>): void {
    this.#letGo(execution);
    execution.end();
  }

  /** A commit of these acks failed, and one of them may be the cause: each is settled by a call of its own. */
  settleAlone(acks: readonly Execution<E>[]): void {
    for (const execution of acks) {
      this.#move(execution, () => execution.settleAlone());
    }
  }

  /**
   * Its outcome could not be committed, and all others can: it is tried again later, and its lease is not renewed. `isCertain`:
   * false while the transport may be the cause. After the last try it is let go.
   */
  setAside(execution: Execution<E>, error: unknown, isCertain: boolean, isLastTry = false): void {
    if (isLastTry) {
      this.#reporter.messageError(execution, error, null);
      this.finish(execution);
      return;
    }
    const retryAt = this.#move(execution, () => execution.setAside(this.#config.clock.monotonic()));
    this.timer.fireBy(execution.dueAt);
    if (isCertain) this.#reportFailure(execution, error, retryAt);
  }

  /** Its lease could not be renewed, and all others can: that is tried again later, and it is not started meanwhile. */
  renewLater(execution: Execution<E>, error: unknown): void {
    const retryAt = execution.renewLater(this.#config.clock.monotonic());
    this.#reportFailure(execution, error, retryAt);
    if (execution.stage.name === 'waiting') this.release(execution);
  }

  /** Tries again what was set aside until this monotonic time; by default all of it. */
  retryAside(monotonic = Number.POSITIVE_INFINITY): void {
    for (const execution of [...this.#lists.aside]) {
      const { stage } = execution;
      if (stage.name !== 'aside' || monotonic < stage.retryAt) continue;
      this.#move(execution, () => execution.retry());
    }
  }

  /** Gives up the outcomes that are not committed: their leases lapse. */
  dropPending(): void {
    for (const execution of this.#lists.unsettled) this.finish(execution);
  }

  /** Everything that is held was released at once: forgets what no call is on its way for. */
  forgetReleased(): void {
    for (const execution of this.#held.values()) {
      if (execution.isSent) continue;
      this.finish(execution);
      this.#reporter.released(execution);
    }
  }

  /** The transport is closed, and every lease with it: signals fire, and nothing is settled any more. */
  dropAll(reason: Error): void {
    for (const execution of this.all()) execution.drop(reason);
    this.#held.clear();
    this.#lost.clear();
    this.#lists.clear();
    this.#onProbation = null;
    this.#running = 0;
  }

  /** A call with its lease has ended. */
  endCall(execution: Execution<E>): void {
    execution.endCall();
    if (execution.canSettle) this.#signal.requestTurn();
  }

  /** `lease`: what an extend for this term has returned. */
  extended(execution: Execution<E>, lease: Lease<E>, term: Term): void {
    execution.extended(lease, term);
    if (execution.hasLease) this.timer.fireBy(execution.dueAt);
    this.endCall(execution);
  }

  /** Leases to renew by this monotonic time. */
  leasesDueBy(monotonic: number): Execution<E>[] {
    return this.all().filter(
      ({ hasLease, calling, renewAt }) => hasLease && calling === null && renewAt <= monotonic,
    );
  }

  /** Makes sure of a turn when the message that has waited longest must be released. */
  watchWaiting(): void {
    for (const first of [this.#lists.waiting[0], this.#lists.suspects[0]])
      if (first) this.timer.fireBy(first.dueAt);
  }

  /** Sets the timer for whatever is due first, but no earlier than `notBefore` (monotonic ms). */
  resetTimer(notBefore = 0): void {
    this.timer.reset(
      this.all().map(({ dueAt }) => dueAt),
      notBefore,
    );
  }

  /** Sets the timer for what takes no transport: the time limits of handlers. */
  resetTimeouts(): void {
    this.timer.reset(this.all().map(({ timeoutAt }) => timeoutAt));
  }

  /** For a group in which a handler still works on a message whose lease is lost. */
  #parkIfBusy(groupId: string): Outcome | null {
    for (const { lease } of this.#lost)
      if (lease.groupId === groupId)
        return {
          action: 'park',
          delayMs: this.#config.abortGraceMs,
          reason: 'a handler of its group still runs',
        };
    return null;
  }

  #setOutcome(execution: Execution<E>, outcome: Outcome, tookMs = 0): void {
    execution.setOutcome(outcome, tookMs);
    this.#lists.add(execution);
    this.#signal.requestTurn();
  }

  #move<T>(execution: Execution<E>, change: () => T): T {
    this.#lists.remove(execution);
    const result = change();
    this.#lists.add(execution);
    return result;
  }

  /** Once for each message, however often it fails. */
  #reportFailure(execution: Execution<E>, error: unknown, retryAt: number): void {
    if (!execution.reportFailure()) return;
    this.#reporter.messageError(execution, error, retryAt - this.#config.clock.monotonic());
  }

  #letGo(execution: Execution<E>): void {
    this.#lists.remove(execution);
    const { groupId } = execution.lease;
    if (this.#held.get(groupId) === execution) this.#held.delete(groupId);
  }
}
