/** Commits the outcomes that cannot share a transaction with the next claim: all but most acks. */
import { codeOf } from '../../contract/errors.ts';
import type { Awaitable } from '../../contract/transport.ts';
import { forEachDone, whenDone } from '../../contract/when-done.ts';
import { describeFailure } from '../contract/outcome.ts';
import type { Execution } from './execution.ts';
import type { HandlerRunner } from './handler-runner.ts';
import { concernsOneMessage, mayConcernOneMessage } from './message-errors.ts';
import type { Shared } from './shared.ts';
import type { Outcome } from './stages.ts';

/** An asynchronous transport commits these together. More at once would only delay the next claim. */
const MAX_AT_ONCE = 64;

export class Settler<E> {
  readonly #shared: Shared<E>;
  readonly #handlers: HandlerRunner<E>;

  constructor(shared: Shared<E>, handlers: HandlerRunner<E>) {
    this.#shared = shared;
    this.#handlers = handlers;
  }

  /**
   * Settles until the slice is over; `everything`: to the end, and nothing is tried again. Returns whether a group may have
   * become claimable. An error that concerns one message sets that message aside. Raises the transport's first error; what
   * is not committed then stays pending.
   */
  settle(everything: boolean): Awaitable<boolean> {
    const { held, callersTransaction } = this.#shared;
    const batch = held.readySettles(everything ? Number.POSITIVE_INFINITY : MAX_AT_ONCE);
    if (batch.length === 0) return false;
    let freed = false;
    const settleNext = (execution: Execution<E>): Awaitable<void> => {
      const { stage } = execution;
      // Its lease was lost since the batch was taken.
      if (stage.name !== 'settling') return;
      // A listener of the one before has begun a transaction.
      if (callersTransaction.isOpen) return;
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
    const { executions } = this.#shared;
    execution.isSent = true;
    return whenDone(
      () => this.#call(execution, outcome),
      () => {
        executions.finish(execution);
        this.#report(execution, outcome);
      },
      (error) => {
        execution.isSent = false;
        if (codeOf(error) === 'LEASE_LOST') executions.lose(execution, error as Error);
        else if (concernsOneMessage(error)) executions.setAside(execution, error, true, isLastTry);
        else if (mayConcernOneMessage(error))
          executions.setAside(execution, error, execution.failures > 0, isLastTry);
        else throw error;
      },
    );
  }

  #call({ lease }: Execution<E>, outcome: Outcome): Awaitable<void> {
    const { transport } = this.#shared;
    switch (outcome.action) {
      case 'ack':
        return transport.ack(lease);
      case 'retry':
        return transport.nack(lease, outcome.delayMs, { error: this.#describe(outcome.error) });
      case 'bury':
        return transport.bury(lease, {
          error: this.#describe(outcome.error),
          countAttempt: outcome.ran ?? true,
        });
      case 'park':
        return transport.nack(lease, outcome.delayMs, { countAttempt: false });
      case 'release':
        return transport.nack(lease, 0, { countAttempt: false });
    }
  }

  #report(execution: Execution<E>, outcome: Outcome): void {
    const { reporter } = this.#shared;
    switch (outcome.action) {
      case 'ack':
        reporter.completed(execution);
        break;
      case 'retry':
        reporter.failed(execution, outcome.error, outcome.delayMs);
        break;
      case 'bury':
        reporter.buried(execution, outcome.error);
        break;
      case 'park':
        reporter.parked(execution, outcome.delayMs, outcome.reason);
        break;
      case 'release':
        reporter.released(execution);
        break;
    }
  }

  #describe(error: unknown): string {
    return describeFailure(error, this.#shared.config.maxErrorLength);
  }
}
