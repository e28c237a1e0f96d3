/** Commits the outcomes that cannot share a transaction with the next claim: all but most acks. */
import { codeOf } from '../../contract/errors.ts';
import type { Awaitable, Transport } from '../../contract/transport.ts';
import { forEachDone, whenDone } from '../../contract/when-done.ts';
import { describeFailure } from '../contract/outcome.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Reporter } from '../reporting/reporter.ts';
import type { Execution } from './execution.ts';
import type { Executions } from './executions.ts';
import type { HandlerRunner } from './handler-runner.ts';
import { concernsOneMessage, mayConcernOneMessage } from './message-errors.ts';
import type { Outcome } from './stages.ts';

/** An asynchronous transport commits these together. More at once would only delay the next claim. */
const MAX_AT_ONCE = 64;

export class Settler<E> {
  readonly #transport: Transport<E>;
  readonly #executions: Executions<E>;
  readonly #handlers: HandlerRunner<E>;
  readonly #config: Configuration;
  readonly #reporter: Reporter;

  constructor(
    transport: Transport<E>,
    executions: Executions<E>,
    handlers: HandlerRunner<E>,
    config: Configuration,
    reporter: Reporter,
  ) {
    this.#transport = transport;
    this.#executions = executions;
    this.#handlers = handlers;
    this.#config = config;
    this.#reporter = reporter;
  }

  /**
   * Settles until the slice is over; `everything`: to the end, and nothing is tried again. Returns whether a group may have
   * become claimable. An error that concerns one message sets that message aside. Raises the transport's first error; what
   * is not committed then stays pending.
   */
  settle(everything: boolean): Awaitable<boolean> {
    const batch = this.#executions.readySettles(everything ? Number.POSITIVE_INFINITY : MAX_AT_ONCE);
    if (batch.length === 0) return false;
    let freed = false;
    const settleNext = (execution: Execution<E>): Awaitable<void> => {
      const { stage } = execution;
      // Its lease was lost since the batch was taken.
      if (stage.name !== 'settling') return;
      // At least one in each turn.
      if (!everything && execution !== batch[0] && this.#handlers.sliceIsOver()) return;
      const { outcome } = stage;
      freed ||= !('delayMs' in outcome && outcome.delayMs > 0);
      return this.#commit(execution, outcome, everything);
    };
    return whenDone(
      () => forEachDone(batch, settleNext),
      () => freed,
    );
  }

  #commit(execution: Execution<E>, outcome: Outcome, isLastTry: boolean): Awaitable<void> {
    execution.setSent(true);
    return whenDone(
      () => this.#call(execution, outcome),
      () => {
        this.#executions.finish(execution);
        this.#report(execution, outcome);
      },
      (error) => {
        execution.setSent(false);
        if (codeOf(error) === 'LEASE_LOST') this.#executions.lose(execution, error as Error);
        else if (concernsOneMessage(error)) this.#executions.setAside(execution, error, true, isLastTry);
        else if (mayConcernOneMessage(error))
          this.#executions.setAside(execution, error, execution.failures > 0, isLastTry);
        else throw error;
      },
    );
  }

  #call({ lease }: Execution<E>, outcome: Outcome): Awaitable<void> {
    switch (outcome.action) {
      case 'ack':
        return this.#transport.ack(lease);
      case 'retry':
        return this.#transport.nack(lease, outcome.delayMs, { error: this.#describe(outcome.error) });
      case 'bury':
        return this.#transport.bury(lease, {
          error: this.#describe(outcome.error),
          countAttempt: outcome.ran ?? true,
        });
      case 'park':
        return this.#transport.nack(lease, outcome.delayMs, { countAttempt: false });
      case 'release':
        return this.#transport.nack(lease, 0, { countAttempt: false });
    }
  }

  #report(execution: Execution<E>, outcome: Outcome): void {
    switch (outcome.action) {
      case 'ack':
        this.#reporter.completed(execution);
        break;
      case 'retry':
        this.#reporter.failed(execution, outcome.error, outcome.delayMs);
        break;
      case 'bury':
        this.#reporter.buried(execution, outcome.error);
        break;
      case 'park':
        this.#reporter.parked(execution, outcome.delayMs, outcome.reason);
        break;
      case 'release':
        this.#reporter.released(execution);
        break;
    }
  }

  #describe(error: unknown): string {
    return describeFailure(error, this.#config.maxErrorLength);
  }
}
