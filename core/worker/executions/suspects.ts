/**
 * Runs suspects alone, one after the other.
 *
 * A suspect is a message whose last lease ended without a settle: its process died, or the lease lapsed. While the worker
 * holds one, it claims nothing and calls no other handler, so that no other message is hurt. Its attempt is counted in the
 * file just before its handler is called. What dies with the process and was not counted loses nothing.
 */
import { codeOf } from '../../contract/errors.ts';
import type { Awaitable, Transport } from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Execution } from './execution.ts';
import type { Executions } from './executions.ts';
import type { HandlerRunner } from './handler-runner.ts';
import { concernsOneMessage } from './message-errors.ts';

export class Suspects<E> {
  readonly #transport: Transport<E>;
  readonly #executions: Executions<E>;
  readonly #handlers: HandlerRunner<E>;
  readonly #config: Configuration;

  constructor(
    transport: Transport<E>,
    executions: Executions<E>,
    handlers: HandlerRunner<E>,
    config: Configuration,
  ) {
    this.#transport = transport;
    this.#executions = executions;
    this.#handlers = handlers;
    this.#config = config;
  }

  /** A probation is over, or a suspect can be started. */
  get isDue(): boolean {
    return this.#executions.holdsSuspect && (this.#outlived ?? this.#startable) !== null;
  }

  /** Raises the transport's errors; it is then still due. */
  run(): Awaitable<void> {
    if (!this.#executions.holdsSuspect) return;
    const outlived = this.#outlived;
    if (outlived) return this.#endProbation(outlived);
    const suspect = this.#startable;
    if (suspect) return this.#start(suspect);
  }

  get #outlived(): Execution<E> | null {
    const { onProbation } = this.#executions;
    if (onProbation === null || onProbation.calling !== null) return null;
    return this.#config.clock.monotonic() >= onProbation.probationEndsAt ? onProbation : null;
  }

  /** What has ended before is settled first: with the process it would be lost. */
  get #startable(): Execution<E> | null {
    const { onProbation, firstSuspect, canSettle } = this.#executions;
    if (onProbation !== null || canSettle || !firstSuspect) return null;
    return this.#handlers.canStartSuspect(firstSuspect) ? firstSuspect : null;
  }

  #endProbation(execution: Execution<E>): Awaitable<void> {
    const end = () => this.#executions.endProbation(execution);
    if (!execution.hasLease) return end();
    return this.#count(execution, false, end, end);
  }

  #start(execution: Execution<E>): Awaitable<void> {
    return this.#count(
      execution,
      true,
      () => this.#handlers.startSuspect(execution),
      (error) => {
        this.#executions.release(execution);
        this.#executions.setAside(execution, error, true);
      },
    );
  }

  /** `fail`: the call failed for this message alone. */
  #count(
    execution: Execution<E>,
    counted: boolean,
    ok: () => void,
    fail: (error: unknown) => void,
  ): Awaitable<void> {
    execution.beginCall();
    return whenDone(
      () => this.#transport.countAttempt(execution.lease, counted),
      () => {
        this.#executions.endCall(execution);
        ok();
      },
      (error) => {
        this.#executions.endCall(execution);
        if (codeOf(error) === 'LEASE_LOST') this.#executions.lose(execution, error as Error);
        else if (concernsOneMessage(error)) fail(error);
        else throw error;
      },
    );
  }
}
