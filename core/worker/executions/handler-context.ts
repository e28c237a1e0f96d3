/** What a handler can ask and report while it runs. */
import { LeaseLost } from '../../contract/errors.ts';
import { checkNumber } from '../../validate/checks.ts';
import type { HandlerContext } from '../contract/worker-types.ts';
import type { Execution } from './execution.ts';

/** What a context needs besides its execution. */
export interface ContextHost<E> {
  readonly config: { readonly maxAttempts: number; readonly visibilityMs: number };
  reportProgress(execution: Execution<E>, fraction: number, note: string | undefined): void;
  extend(execution: Execution<E>, forMs: number): Promise<void>;
}

/** The getters make what they return, so that a handler can destructure the context and pays only for what it takes. */
export class ExecutionContext<E> implements HandlerContext {
  readonly #execution: Execution<E>;
  readonly #host: ContextHost<E>;

  constructor(execution: Execution<E>, host: ContextHost<E>) {
    this.#execution = execution;
    this.#host = host;
  }

  get signal(): AbortSignal {
    return this.#execution.signal;
  }

  get attempt(): number {
    return this.#execution.lease.attempt;
  }

  get lastAttempt(): boolean {
    return this.#execution.lease.attempt >= this.#host.config.maxAttempts;
  }

  get progress(): HandlerContext['progress'] {
    return (fraction, note) => this.#host.reportProgress(this.#execution, fraction, note);
  }

  get extend(): HandlerContext['extend'] {
    return async (forMs = this.#host.config.visibilityMs) => {
      checkNumber('the time to extend for', forMs, 1);
      const { stage, lease } = this.#execution;
      if (stage.name === 'lost') throw stage.reason;
      if (!this.#execution.handlerRuns)
        throw new LeaseLost(`Message ${lease.seq} is settled or given up: there is nothing to extend.`);
      await this.#host.extend(this.#execution, forMs);
    };
  }
}
