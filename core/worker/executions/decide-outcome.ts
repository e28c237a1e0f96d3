/** Decides what becomes of a message whose handler has ended. */
import { Bury, Park } from '../contract/outcome.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Reporter } from '../reporting/reporter.ts';
import type { HandlerResult } from './call-handler.ts';
import { type Execution, type Outcome, RELEASE } from './execution.ts';

const ACK: Outcome = { action: 'ack' };

/** The wait after a failure whose backoff rule itself failed. */
const FALLBACK_BACKOFF_MS = 1000;

/**
 * Null for a message whose lease is lost. `result` is null when the handler was given up.
 *
 * A handler that returns after its signal fired may have finished or stopped halfway, so that does not count as success.
 * A Park or a Bury is a decision and does count.
 */
export function decideOutcome<E>(
  { stage, lease }: Execution<E>,
  result: HandlerResult | null,
  config: Configuration,
  reporter: Reporter,
): Outcome | null {
  if (stage.name !== 'running' && stage.name !== 'aborted') return null;
  if (result?.threw) {
    const { error } = result;
    if (error instanceof Bury) return { action: 'bury', error };
    if (error instanceof Park) {
      const delayMs = error.delayMs ?? Math.max(0, (error.until ?? 0) - config.clock.now());
      return { action: 'park', delayMs, reason: error.reason };
    }
  }
  if (stage.name === 'aborted') {
    if (stage.cause === 'stop') return RELEASE;
    return failed(lease.attempt, stage.reason, config, reporter);
  }
  return result?.threw ? failed(lease.attempt, result.error, config, reporter) : ACK;
}

function failed(attempt: number, error: unknown, config: Configuration, reporter: Reporter): Outcome {
  if (attempt >= config.maxAttempts) return { action: 'bury', error };
  return { action: 'retry', error, delayMs: backoff(attempt, error, config, reporter) };
}

/** The caller's own rule may throw or return nonsense. That must not harm the message. */
function backoff(attempt: number, error: unknown, config: Configuration, reporter: Reporter): number {
  try {
    const delayMs = Math.round(config.backoff(attempt, error));
    if (delayMs >= 0 && Number.isFinite(delayMs)) return delayMs;
    throw new TypeError(`backoff returned ${delayMs} for attempt ${attempt}: it must return 0 ms or more.`);
  } catch (problem) {
    reporter.callbackThrew('the backoff rule', problem);
    return FALLBACK_BACKOFF_MS;
  }
}
