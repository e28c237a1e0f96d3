/**
 * Moves the messages that this worker holds from stage to stage (stages.ts), and keeps the timer for what falls due meanwhile.
 *
 * At most one message of each group is held, and none is started while a handler of its group still runs. An outcome stays
 * pending until it is committed: a crash before that leaves the message leased, and it is delivered again.
 */
import { LeaseLost } from '../../contract/errors.ts';
import type { Lease } from '../../contract/transport.ts';
import type { TurnSignal } from '../contract/turn-signal.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Handler } from '../contract/worker-types.ts';
import type { Reporter } from '../reporting/reporter.ts';
import { DueTimer } from './due-timer.ts';
import { Execution } from './execution.ts';
import { HeldMessages, type HeldView } from './held-messages.ts';
import { MAX_WAIT_MS } from './prefetch.ts';
import { MAX_SUSPECT_WAIT_MS } from './probation.ts';
import { type AbortCause, type Outcome, RELEASE, type Stage, type Term } from './stages.ts';

export class Executions<E> {
  /** Fires when a held message next needs something done: a renewal, a timeout, a release. */
  readonly timer: DueTimer;
  readonly #config: Configuration;
  readonly #reporter: Reporter;
  readonly #signal: TurnSignal;
  readonly #held: HeldMessages<E>;

  constructor(config: Configuration, reporter: Reporter, signal: TurnSignal) {
    this.#config = config;
    this.#reporter = reporter;
    this.#signal = signal;
    this.#held = new HeldMessages(config.clock);
    this.timer = new DueTimer(config.clock, () => signal.requestTurn());
  }

  get held(): HeldView<E> {
    return this.#held;
  }

  /** Takes in what was claimed for this term, to be run or to be settled at once. */
  take(lease: Lease<E>, term: Term, next: Handler<E> | Outcome): void {
    const { clock, visibilityMs, abortGraceMs, maxAttempts } = this.#config;
    const earlier = this.#held.ofGroup(lease.groupId);
    if (earlier)
      this.lose(earlier, new LeaseLost(`Message ${earlier.lease.seq} lapsed and was claimed again.`));
    // From now: the claim's answer may have come late. A suspect waits for running handlers to end.
    const maxWaitMs = lease.crashes > 0 ? MAX_SUSPECT_WAIT_MS : Math.min(MAX_WAIT_MS, visibilityMs / 2);
    const releaseAt = clock.monotonic() + maxWaitMs;
    let stage: Stage<E>;
    // After the earlier one was lost: its handler may still run.
    if (this.#held.isBusy(lease.groupId)) {
      const reason = 'a handler of its group still runs';
      stage = { name: 'settling', outcome: { action: 'park', delayMs: abortGraceMs, reason } };
    } else if (typeof next === 'function') stage = { name: 'waiting', handler: next, releaseAt };
    else stage = { name: 'settling', outcome: next };
    this.#held.add(new Execution(lease, term, stage, maxAttempts));
  }

  /** Its handler is about to be called. `probationMs`: 0 unless it is a suspect. */
  start(execution: Execution<E>, startedAt: number, timeoutAt: number, probationMs: number): void {
    this.#held.remove(execution);
    execution.start(startedAt, timeoutAt);
    if (probationMs > 0) {
      this.#held.onProbation = execution;
      execution.probationEndsAt = startedAt + probationMs;
    }
    this.timer.fireBy(execution.dueAt);
    this.#held.running++;
  }

  /** The suspect has outlived its probation, or its handler has ended: others are started and claimed again. */
  endProbation(execution: Execution<E>): void {
    if (this.#held.onProbation !== execution) return;
    execution.probationEndsAt = Number.POSITIVE_INFINITY;
    this.#held.onProbation = null;
    this.#signal.requestClaim();
  }

  /** Its handler has ended or is given up, and the slot is free. `outcome`: null when the lease is lost. */
  endHandler(execution: Execution<E>, outcome: Outcome | null, tookMs: number): void {
    this.#held.running--;
    this.endProbation(execution);
    if (outcome) {
      this.#setOutcome(execution, outcome, tookMs);
      return;
    }
    execution.end();
    this.#held.forgetLost(execution);
    this.#signal.requestTurn();
  }

  /** Fires the signal of a handler that runs, and sets the time at which it is given up. */
  abort(execution: Execution<E>, cause: AbortCause, reason: Error, graceMs: number): void {
    if (execution.abort(cause, reason, this.#config.clock.monotonic() + graceMs))
      this.timer.fireBy(execution.dueAt);
  }

  release(execution: Execution<E>): void {
    this.#held.remove(execution);
    this.#setOutcome(execution, RELEASE);
  }

  /** Messages that wait beside a suspect would be held up by it, or hurt: others may have them. */
  releaseBesideSuspects(): void {
    for (const execution of this.#held.besideSuspects) this.release(execution);
  }

  releaseWaiting(): void {
    for (const execution of this.#held.waiting) this.release(execution);
  }

  /** The lease is lost: the result is discarded, and nothing of this message may be settled any more. */
  lose(execution: Execution<E>, error: Error): void {
    if (!execution.hasLease) return;
    this.#held.letGo(execution);
    execution.lose(error, this.#config.clock.monotonic() + this.#config.abortGraceMs);
    if (execution.handlerRuns) {
      this.#held.keepLost(execution);
      this.timer.fireBy(execution.dueAt);
    }
    this.#reporter.leaseLost(execution, error);
    // While it held the message, this worker ignored the transport events about it. The group may therefore be free.
    this.#signal.requestClaim();
  }

  /** Its outcome is committed, or given up. */
  finish(execution: Execution<E>): void {
    this.#held.letGo(execution);
    execution.end();
  }

  /** By default of all acks: each is settled by a call of its own, since one of them may make a common one fail. */
  settleAlone(acks: readonly Execution<E>[] = this.#held.readyAcks()): void {
    for (const execution of acks)
      this.#move(execution, () => {
        execution.settlesAlone = true;
      });
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
    for (const execution of this.#held.aside) {
      const { stage } = execution;
      if (stage.name !== 'aside' || monotonic < stage.retryAt) continue;
      this.#move(execution, () => execution.retry());
    }
  }

  /** Gives up the outcomes that are not committed: their leases lapse. */
  dropPending(): void {
    for (const execution of this.#held.unsettled) this.finish(execution);
  }

  /** Everything that is held was released at once: forgets what no call is on its way for. */
  forgetReleased(): void {
    for (const execution of this.#held.all) {
      if (execution.isSent || !execution.hasLease) continue;
      this.finish(execution);
      this.#reporter.released(execution);
    }
  }

  /** The transport is closed, and every lease with it: signals fire, and nothing is settled any more. */
  dropAll(reason: Error): void {
    for (const execution of this.#held.all) execution.drop(reason);
    this.#held.clear();
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

  /** Makes sure of a turn when the message that has waited longest must be released. */
  watchWaiting(): void {
    const { firstWaiting, firstSuspect } = this.#held;
    if (firstWaiting) this.timer.fireBy(firstWaiting.dueAt);
    if (firstSuspect) this.timer.fireBy(firstSuspect.dueAt);
  }

  /** Sets the timer for whatever is due first, but no earlier than `notBefore` (monotonic ms). */
  resetTimer(notBefore = 0): void {
    this.timer.reset(
      this.#held.all.map(({ dueAt }) => dueAt),
      notBefore,
    );
  }

  /** Sets the timer for what takes no transport: the time limits of handlers. */
  resetTimeouts(): void {
    this.timer.reset(this.#held.all.map(({ timeoutAt }) => timeoutAt));
  }

  #setOutcome(execution: Execution<E>, outcome: Outcome, tookMs = 0): void {
    execution.setOutcome(outcome, tookMs);
    this.#held.replace(execution);
    this.#signal.requestTurn();
  }

  #move<T>(execution: Execution<E>, change: () => T): T {
    this.#held.remove(execution);
    const result = change();
    this.#held.replace(execution);
    return result;
  }

  /** Once for each message, however often it fails. */
  #reportFailure(execution: Execution<E>, error: unknown, retryAt: number): void {
    if (!execution.reportFailure()) return;
    this.#reporter.messageError(execution, error, retryAt - this.#config.clock.monotonic());
  }
}
