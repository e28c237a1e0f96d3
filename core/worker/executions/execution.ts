/**
 * One claimed message, from its claim until its outcome is committed.
 *
 * | stage    | until                                                         | then                                   |
 * | -------- | ------------------------------------------------------------- | -------------------------------------- |
 * | waiting  | its handler is called                                         | running                                |
 * |          | it is released: the worker pauses, or it has waited too long  | settling                               |
 * | running  | the handler ends                                              | settling                               |
 * |          | its time is over, or the worker stops                         | aborted: the signal has fired          |
 * | aborted  | the handler ends or is given up                               | settling                               |
 * | settling | the outcome is committed                                      | over                                   |
 * | lost     | the handler ends or is given up                               | over                                   |
 * | any      | the lease is lost                                             | lost while its handler runs, else over |
 *
 * A message that must not run (unknown kind, too many attempts) begins with settling. Only Executions changes the stage, since
 * it keeps lists by stage.
 */
import type { Lease } from '../../contract/transport.ts';
import type { Handler, MessageRef, RunningMessage } from '../contract/worker-types.ts';

/** What is to be done with the message. */
export type Outcome =
  | { readonly action: 'ack' }
  | { readonly action: 'retry'; readonly error: unknown; readonly delayMs: number }
  | { readonly action: 'park'; readonly delayMs: number; readonly reason: string | null }
  | { readonly action: 'bury'; readonly error: unknown }
  | { readonly action: 'release' };

export const RELEASE: Outcome = { action: 'release' };

/** Why a signal fired while the lease was still held. */
export type AbortCause = 'timeout' | 'stop';

/** Every time is monotonic ms: the wall clock may step while a handler runs. */
export type Stage<E> =
  /** Claimed ahead, its handler not called yet. */
  | { readonly name: 'waiting'; readonly handler: Handler<E>; readonly releaseAt: number }
  | { readonly name: 'running'; readonly startedAt: number; readonly timeoutAt: number }
  /** The signal has fired, and the handler has until `giveUpAt` to settle. */
  | {
      readonly name: 'aborted';
      readonly startedAt: number;
      readonly giveUpAt: number;
      readonly cause: AbortCause;
      readonly reason: Error;
    }
  /** The lease is lost, and the handler has until `giveUpAt` to settle. */
  | { readonly name: 'lost'; readonly startedAt: number; readonly giveUpAt: number; readonly reason: Error }
  /** The outcome is known and not committed yet. */
  | { readonly name: 'settling'; readonly outcome: Outcome }
  /** `lost`: the reason when it ended without a lease. */
  | { readonly name: 'over'; readonly lost: Error | null };

const OVER = { name: 'over', lost: null } as const;

export class Execution<E> {
  #lease: Lease<E>;
  #renewAt: number;
  #stage: Stage<E>;
  #progress: number | null = null;
  #note: string | null = null;
  #tookMs = 0;
  #extend: PromiseWithResolvers<void> | null = null;
  #controller: AbortController | null = null;
  #abortReason: Error | null = null;

  /** `renewAt`: when the lease must be renewed. */
  constructor(lease: Lease<E>, renewAt: number, stage: Stage<E>) {
    this.#lease = lease;
    this.#renewAt = renewAt;
    this.#stage = stage;
  }

  get lease(): Lease<E> {
    return this.#lease;
  }

  get renewAt(): number {
    return this.#renewAt;
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

  /** How long the handler ran, once it has ended. */
  get tookMs(): number {
    return this.#tookMs;
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

  /** Resolves when the pending extend has ended; null when none is pending. */
  get extending(): Promise<void> | null {
    return this.#extend?.promise ?? null;
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

  /** Its outcome can be committed now. */
  get canSettle(): boolean {
    return this.#stage.name === 'settling' && this.#extend === null;
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
        return Math.min(stage.timeoutAt, this.#renewAt);
      case 'aborted':
        return Math.min(stage.giveUpAt, this.#renewAt);
      case 'lost':
        return stage.giveUpAt;
      case 'settling':
        return this.#renewAt;
      default:
        return Number.POSITIVE_INFINITY;
    }
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
    this.#tookMs = tookMs;
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

  /** An extend of its lease begins. Until endExtend neither the old lease nor the new one settles. */
  beginExtend(): void {
    this.#extend = Promise.withResolvers();
  }

  /** `lease`: what the extend returned, to be renewed at `renewAt`; null when it failed. */
  endExtend(lease: Lease<E> | null, renewAt: number): void {
    if (lease) {
      this.#lease = lease;
      this.#renewAt = renewAt;
    }
    this.#extend?.resolve();
    this.#extend = null;
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
