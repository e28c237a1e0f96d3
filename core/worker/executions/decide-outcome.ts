/** Decides what becomes of a message whose handler has ended. */
import { MAX_DURATION_MS, show } from '../../validate/checks.ts';
import type { Decision } from '../contract/outcome.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Reporter } from '../reporting/reporter.ts';
import type { HandlerResult } from './call-handler.ts';
import type { Execution } from './execution.ts';
import { type Outcome, RELEASE } from './stages.ts';

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
  if (result?.kind === 'decided') return decided(result.decision, config);
  if (stage.name === 'aborted') {
    if (stage.cause === 'stop') return RELEASE;
    return failed(lease.attempt, stage.reason, config, reporter);
  }
  return result?.kind === 'threw' ? failed(lease.attempt, result.error, config, reporter) : ACK;
}

function decided(decision: Decision, config: Configuration): Outcome {
  if (decision.action === 'bury' || 'delayMs' in decision) return decision;
  const { action, until, reason } = decision;
  return { action, delayMs: limited(until - config.clock.now()), reason };
}

/** A time may lie in the past, or further ahead than a transport accepts. */
function limited(delayMs: number): number {
  return Math.min(Math.max(0, delayMs), MAX_DURATION_MS);
}

function failed(attempt: number, error: unknown, config: Configuration, reporter: Reporter): Outcome {
  if (attempt >= config.maxAttempts) return { action: 'bury', error };
  return { action: 'retry', error, delayMs: backoff(attempt, error, config, reporter) };
}

/** The caller's own rule may throw or return anything. That must not harm the message. */
function backoff(attempt: number, error: unknown, config: Configuration, reporter: Reporter): number {
  try {
    const delayMs: unknown = config.backoff(attempt, error);
    if (typeof delayMs === 'number' && Number.isFinite(delayMs) && delayMs >= 0)
      return limited(Math.round(delayMs));
    void ignoreRejection(delayMs);
    throw new TypeError(
      `backoff returned ${show(delayMs)} for attempt ${attempt}: it must return 0 ms or more.`,
    );
  } catch (problem) {
    reporter.callbackThrew('the backoff rule', problem);
    return FALLBACK_BACKOFF_MS;
  }
}

/** A rule that is asynchronous may reject later, when nobody listens. */
async function ignoreRejection(value: unknown): Promise<void> {
  try {
    await value;
  } catch {}
}
