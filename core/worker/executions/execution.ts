/** One claimed message, its lease and its stage (stages.ts). Only Executions changes the stage, since it keeps lists by stage. */
import type { Lease } from '../../contract/transport.ts';
import type { MessageRef, RunningMessage } from '../contract/worker-types.ts';
import type { AbortCause, Outcome, Stage, Term } from './stages.ts';

const OVER = { name: 'over', lost: null } as const;

/** The wait after the first failure of a message's own call; doubled by each further one. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 30_000;

export class Execution<E> {
  /** The call that commits its outcome is on its way. */
  isSent = false;
  /** Its ack must not share a transaction with those of other messages. */
  settlesAlone = false;
  /** Until this monotonic time the end of the process is blamed on its handler. */
  probationEndsAt = Number.POSITIVE_INFINITY;
  /** A failure buries it. Its attempt is not counted by the claim, but just before its handler is called. */
  readonly isLastAttempt: boolean;
  /** How long the handler ran, once it has ended. */
  tookMs = 0;
  #lease: Lease<E>;
  #term: Term;
  #renewAt: number;
  #stage: Stage<E>;
  #failures = 0;
  #isReported = false;
  #progress: number | null = null;
  #note: string | null = null;
  #call: PromiseWithResolvers<void> | null = null;
  #controller: AbortController | null = null;
  #abortReason: Error | null = null;

  constructor(lease: Lease<E>, term: Term, stage: Stage<E>, maxAttempts: number) {
    this.isLastAttempt = lease.attempt >= maxAttempts;
    this.#lease = lease;
    this.#term = term;
    this.#renewAt = renewalOf(term);
    this.#stage = stage;
  }

  get lease(): Lease<E> {
    return this.#lease;
  }

  /** When its lease must be renewed; never when its outcome cannot be committed, so that its group is not held up forever. */
  get renewAt(): number {
    const { name } = this.#stage;
    const cannotSettle = this.#failures > 0 && (name === 'settling' || name === 'aside');
    return cannotSettle ? Number.POSITIVE_INFINITY : this.#renewAt;
  }

  /** When its lease lapses, if both clocks go on alike. */
  get lapsesAt(): number {
    return this.#term.monotonic + this.#term.forMs;
  }

  /** How often a call for this message alone has failed. */
  get failures(): number {
    return this.#failures;
  }

  get stage(): Stage<E> {
    return this.#stage;
  }

  get progress(): number | null {
    return this.#progress;
  }

  get note(): string | null {
    return this.#note;
  }

  get ref(): MessageRef {
    return { seq: this.#lease.seq, groupId: this.#lease.groupId, attempt: this.#lease.attempt };
  }

  /** Made when first asked for: most handlers never ask, and a controller costs more than the rest of an execution. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#abortReason) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /** Resolves when the pending extend or countAttempt has ended; null when none is pending. */
  get calling(): Promise<void> | null {
    return this.#call?.promise ?? null;
  }

  /** It was held by a process that died, or its lease lapsed: its handler may be what ended that process. */
  get isSuspect(): boolean {
    return this.#lease.crashes > 0;
  }

  get hasLease(): boolean {
    return this.#stage.name !== 'lost' && this.#stage.name !== 'over';
  }

  /** Why the lease is lost; null while it is held, and after a settle. */
  get lostBy(): Error | null {
    const stage = this.#stage;
    if (stage.name === 'lost') return stage.reason;
    return stage.name === 'over' ? stage.lost : null;
  }

  /** Its outcome can be committed now, and is not on its way. */
  get canSettle(): boolean {
    return this.#stage.name === 'settling' && this.#call === null && !this.isSent;
  }

  /** The handler was called, has not ended, and was not given up. */
  get handlerRuns(): boolean {
    const { name } = this.#stage;
    return name === 'running' || name === 'aborted' || name === 'lost';
  }

  /** When it next needs something done. */
  get dueAt(): number {
    const stage = this.#stage;
    switch (stage.name) {
      case 'waiting':
        return Math.min(stage.releaseAt, this.#renewAt);
      case 'running':
        return Math.min(stage.timeoutAt, this.#renewAt, this.probationEndsAt);
      case 'aborted':
        return Math.min(stage.giveUpAt, this.#renewAt, this.probationEndsAt);
      case 'lost':
        return Math.min(stage.giveUpAt, this.probationEndsAt);
      case 'settling':
        return this.renewAt;
      case 'aside':
        return stage.retryAt;
      default:
        return Number.POSITIVE_INFINITY;
    }
  }

  /** When it next needs something done that takes no transport. */
  get timeoutAt(): number {
    const stage = this.#stage;
    if (stage.name === 'running') return stage.timeoutAt;
    return 'giveUpAt' in stage ? stage.giveUpAt : Number.POSITIVE_INFINITY;
  }

  /** By either clock: a process may have been suspended, or the computer may have slept. */
  hasLapsed(monotonic: number, now: number): boolean {
    return monotonic >= this.lapsesAt || now - this.#term.now >= this.#term.forMs;
  }

  /** Null unless its handler runs. `now` and `monotonic`: both clocks at the same moment. */
  describe(now: number, monotonic: number): RunningMessage | null {
    const stage = this.#stage;
    if (!('startedAt' in stage)) return null;
    return {
      ...this.ref,
      since: now - (monotonic - stage.startedAt),
      progress: this.#progress,
      note: this.#note,
      aborted: stage.name !== 'running',
    };
  }

  start(startedAt: number, timeoutAt: number): void {
    this.#stage = { name: 'running', startedAt, timeoutAt };
  }

  /** False when no handler runs. A further reason to stop cannot lengthen the time that is left. */
  abort(cause: AbortCause, reason: Error, giveUpAt: number): boolean {
    const stage = this.#stage;
    if (stage.name === 'running')
      this.#stage = { name: 'aborted', startedAt: stage.startedAt, giveUpAt, cause, reason };
    else if (stage.name === 'aborted' || stage.name === 'lost')
      this.#stage = { ...stage, giveUpAt: Math.min(stage.giveUpAt, giveUpAt) };
    else return false;
    this.#fireSignal(reason);
    return true;
  }

  /** The lease is lost: the handler goes on without it until `giveUpAt`; without a handler it is over. */
  lose(reason: Error, giveUpAt: number): void {
    const stage = this.#stage;
    if (stage.name !== 'running' && stage.name !== 'aborted') {
      this.end();
      return;
    }
    const earliest = stage.name === 'aborted' ? Math.min(stage.giveUpAt, giveUpAt) : giveUpAt;
    this.#stage = { name: 'lost', startedAt: stage.startedAt, giveUpAt: earliest, reason };
    this.#fireSignal(reason);
  }

  setOutcome(outcome: Outcome, tookMs: number): void {
    this.#stage = { name: 'settling', outcome };
    this.tookMs = tookMs;
  }

  /** Its outcome could not be committed. Returns when it is tried again. */
  setAside(monotonic: number): number {
    const retryAt = this.#fail(monotonic);
    const stage = this.#stage;
    if (stage.name === 'settling') this.#stage = { name: 'aside', outcome: stage.outcome, retryAt };
    return retryAt;
  }

  /** True the first time: a failure is told once. */
  reportFailure(): boolean {
    const isFirst = !this.#isReported;
    this.#isReported = true;
    return isFirst;
  }

  /** The wait is over: its outcome is to be committed again. */
  retry(): void {
    const stage = this.#stage;
    if (stage.name === 'aside') this.#stage = { name: 'settling', outcome: stage.outcome };
  }

  /** Its lease could not be renewed. Returns when that is tried again. */
  renewLater(monotonic: number): number {
    this.#renewAt = this.#fail(monotonic);
    return this.#renewAt;
  }

  end(): void {
    const { lostBy } = this;
    this.#stage = lostBy ? { name: 'over', lost: lostBy } : OVER;
  }

  /** Ends it, and fires the signal of a handler that runs. */
  drop(reason: Error): void {
    const ran = this.handlerRuns;
    this.#stage = OVER;
    if (ran) this.#fireSignal(reason);
  }

  /** False when its handler does not run any more. */
  setProgress(fraction: number, note: string | undefined): boolean {
    if (!this.handlerRuns) return false;
    if (Number.isFinite(fraction)) this.#progress = Math.min(1, Math.max(0, fraction));
    if (note !== undefined) this.#note = String(note).slice(0, 200);
    return true;
  }

  /** A call with its lease begins. Until endCall it is neither started nor settled. */
  beginCall(): void {
    this.#call = Promise.withResolvers();
  }

  endCall(): void {
    this.#call?.resolve();
    this.#call = null;
  }

  /** `lease`: what an extend for this term has returned. */
  extended(lease: Lease<E>, term: Term): void {
    this.#lease = lease;
    this.#term = term;
    this.#renewAt = renewalOf(term);
  }

  #fail(monotonic: number): number {
    return monotonic + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++);
  }

  /** A signal fires once: the first reason stays. */
  #fireSignal(reason: Error): void {
    if (this.#abortReason) return;
    this.#abortReason = reason;
    try {
      this.#controller?.abort(reason);
    } catch {
      // The signal is the handler's: it may have replaced what its signal is dispatched with. Listeners that raise do not end here.
    }
  }
}

function renewalOf({ monotonic, forMs }: Term): number {
  return monotonic + forMs / 2;
}
