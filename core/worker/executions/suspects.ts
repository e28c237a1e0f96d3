/**
 * Runs suspects alone, one after the other.
 *
 * A suspect is a message whose last lease ended without a settle: its process died, or the lease lapsed. While the worker
 * holds one, it claims nothing and calls no other handler, so that no other message is hurt. Its attempt is counted in the
 * file just before its handler is called. What dies with the process and was not counted loses nothing.
 */
import type { Awaitable } from '../../contract/transport.ts';
import { countAttempt, countThenStart } from './count-attempt.ts';
import type { Execution } from './execution.ts';
import type { HandlerRunner } from './handler-runner.ts';
import type { Shared } from './shared.ts';

export class Suspects<E> {
  readonly #shared: Shared<E>;
  readonly #handlers: HandlerRunner<E>;

  constructor(shared: Shared<E>, handlers: HandlerRunner<E>) {
    this.#shared = shared;
    this.#handlers = handlers;
  }

  /** A probation is over, or a suspect can be started. */
  get isDue(): boolean {
    return this.#shared.held.holdsSuspect && (this.#outlived ?? this.#startable) !== null;
  }

  /** Raises the transport's errors; it is then still due. */
  run(): Awaitable<void> {
    if (!this.#shared.held.holdsSuspect) return;
    const outlived = this.#outlived;
    if (outlived) return this.#endProbation(outlived);
    const suspect = this.#startable;
    if (suspect) return this.#start(suspect);
  }

  get #outlived(): Execution<E> | null {
    const { config, held } = this.#shared;
    const { onProbation } = held;
    if (onProbation === null || onProbation.calling !== null) return null;
    return config.clock.monotonic() >= onProbation.probationEndsAt ? onProbation : null;
  }

  /** What has ended before is settled first: with the process it would be lost. */
  get #startable(): Execution<E> | null {
    const { onProbation, firstSuspect, canSettle } = this.#shared.held;
    if (onProbation !== null || canSettle || !firstSuspect) return null;
    return this.#handlers.canStartSuspect(firstSuspect) ? firstSuspect : null;
  }

  #endProbation(execution: Execution<E>): Awaitable<void> {
    const end = () => this.#shared.executions.endProbation(execution);
    if (!execution.hasLease) return end();
    return countAttempt(this.#shared, execution, false, end, end);
  }

  #start(execution: Execution<E>): Awaitable<void> {
    return countThenStart(this.#shared, execution, () => this.#handlers.startSuspect(execution));
  }
}
