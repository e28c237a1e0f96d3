/** Decides what becomes of a message whose handler has ended. */
import { Bury, Park } from '../contract/outcome.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Reporter } from '../reporting/reporter.ts';
import type { HandlerResult } from './call-handler.ts';
import type { Execution, Outcome } from './execution.ts';

const ACK: Outcome = { action: 'ack' };
const RELEASE: Outcome = { action: 'release' };

/** The wait after a failure whose backoff rule itself failed. */
const FALLBACK_BACKOFF_MS = 1000;

export class OutcomeRules {
  readonly #config: Configuration;
  readonly #reporter: Reporter;

  constructor(config: Configuration, reporter: Reporter) {
    this.#config = config;
    this.#reporter = reporter;
  }

  /**
   * Null for a message whose lease is lost. `result` is null when the handler was given up. A handler that returns after its signal fired may have finished or stopped
   * halfway, so that does not count as success; a Park or a Bury is a decision and does count.
   */
  decide<E>({ stage, lease }: Execution<E>, result: HandlerResult | null): Outcome | null {
    if (stage.name !== 'running' && stage.name !== 'aborted') return null;
    if (result?.threw) {
      const { error } = result;
      if (error instanceof Bury) return { action: 'bury', error };
      if (error instanceof Park) {
        const delayMs = error.delayMs ?? Math.max(0, (error.until ?? 0) - this.#config.clock.now());
        return { action: 'park', delayMs, reason: error.reason };
      }
    }
    if (stage.name === 'aborted')
      return stage.cause === 'timeout' ? this.#failed(lease.attempt, stage.reason) : RELEASE;
    return result?.threw ? this.#failed(lease.attempt, result.error) : ACK;
  }

  #failed(attempt: number, error: unknown): Outcome {
    if (attempt >= this.#config.maxAttempts) return { action: 'bury', error };
    return { action: 'retry', error, delayMs: this.#backoff(attempt, error) };
  }

  /** The caller's own rule may throw or return nonsense. That must not harm the message. */
  #backoff(attempt: number, error: unknown): number {
    try {
      const delayMs = Math.round(this.#config.backoff(attempt, error));
      if (delayMs >= 0 && Number.isFinite(delayMs)) return delayMs;
      throw new TypeError(`backoff returned ${delayMs} for attempt ${attempt}: it must return 0 ms or more.`);
    } catch (problem) {
      this.#reporter.callbackThrew('the backoff rule', problem);
      return FALLBACK_BACKOFF_MS;
    }
  }
}
