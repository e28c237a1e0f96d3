/** One claimed message from its claim to its settle, and the context its handler sees. */
import { LeaseLost } from '../../contract/errors.ts';
import type { Lease } from '../../contract/transport.ts';
import { checkNumber } from '../../validate/checks.ts';
import type { Handler, HandlerContext, MessageRef, RunningMessage } from '../contract/worker-types.ts';

/** What is to be done with the message. */
export type Answer =
  | { readonly as: 'done' }
  | { readonly as: 'failed'; readonly error: unknown }
  | { readonly as: 'parked'; readonly delayMs: number; readonly reason: string | null }
  | { readonly as: 'buried'; readonly error: unknown }
  | { readonly as: 'returned' };

/**
 * waiting: claimed, its handler not called yet · running · settling: its answer is known and not committed yet ·
 * over: settled, or not ours any more.
 */
export type Stage = 'waiting' | 'running' | 'settling' | 'over';

export type AbortCause = 'lost' | 'timeout' | 'stop';

export class Run<Event> {
  lease: Lease<Event>;
  handler: Handler<Event> | null = null;
  stage: Stage = 'waiting';
  answer: Answer | null = null;
  /** Monotonic ms, like every time here: the wall clock may step while a handler runs. */
  startedAt = 0;
  tookMs = 0;
  /** The lease must be renewed; for a message that still waits: it must be given back. */
  renewAt: number;
  timeoutAt = Number.POSITIVE_INFINITY;
  giveUpAt = Number.POSITIVE_INFINITY;
  abortedFor: AbortCause | null = null;
  /** Its signal fired and nobody waits for the handler any more. */
  abandoned = false;
  /** The transport is at work on this lease: what it returns settles, the lease as it was does not. */
  extending: Promise<void> | null = null;
  progress: number | null = null;
  note: string | null = null;
  #controller: AbortController | null = null;
  #reason: Error | null = null;

  constructor(lease: Lease<Event>, renewAt: number) {
    this.lease = lease;
    this.renewAt = renewAt;
  }

  /** Made when first asked for: most handlers never look, and a controller costs more than the rest of a run. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(cause: AbortCause, reason: Error): void {
    if (this.abortedFor) return;
    this.abortedFor = cause;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  get reason(): Error | null {
    return this.#reason;
  }

  get ref(): MessageRef {
    return { seq: this.lease.seq, groupId: this.lease.groupId, attempt: this.lease.attempt };
  }

  /** When it next needs looking after. */
  get dueAt(): number {
    return Math.min(this.renewAt, this.timeoutAt, this.giveUpAt);
  }

  /** `now` and `monotonic`: both clocks at the same moment. */
  describe(now: number, monotonic: number): RunningMessage {
    return {
      ...this.ref,
      since: now - (monotonic - this.startedAt),
      progress: this.progress,
      note: this.note,
      aborted: this.abortedFor !== null,
    };
  }
}

/** What a context needs of its worker. */
export interface RunHost<Event> {
  readonly config: { readonly maxAttempts: number; readonly visibilityMs: number };
  progressed(run: Run<Event>): void;
  extend(run: Run<Event>, forMs: number): Promise<void>;
}

/** Getters that make what they return, so that a handler can take the context apart and pays for what it takes. */
export class RunContext<Event> implements HandlerContext {
  readonly #run: Run<Event>;
  readonly #host: RunHost<Event>;

  constructor(run: Run<Event>, host: RunHost<Event>) {
    this.#run = run;
    this.#host = host;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get attempt(): number {
    return this.#run.lease.attempt;
  }

  get lastAttempt(): boolean {
    return this.#run.lease.attempt >= this.#host.config.maxAttempts;
  }

  get progress(): HandlerContext['progress'] {
    return (fraction, note) => {
      const run = this.#run;
      if (run.stage !== 'running') return;
      run.progress = Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : run.progress;
      if (note !== undefined) run.note = String(note).slice(0, 200);
      this.#host.progressed(run);
    };
  }

  get extend(): HandlerContext['extend'] {
    return async (forMs = this.#host.config.visibilityMs) => {
      checkNumber('the time to extend for', forMs, 1);
      const run = this.#run;
      if (run.abortedFor === 'lost' && run.reason) throw run.reason;
      if (run.stage !== 'running')
        throw new LeaseLost(`Message ${run.lease.seq} was settled or given up: there is nothing to extend.`);
      await this.#host.extend(run, forMs);
    };
  }
}
