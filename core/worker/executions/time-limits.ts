/** Aborts handlers that take too long, gives up those that ignore their signal, and releases messages that wait too long. */
import { decideOutcome } from './decide-outcome.ts';
import type { Execution } from './execution.ts';
import type { HandlerRunner } from './handler-runner.ts';
import type { Shared } from './shared.ts';

export class TimeLimits<E> {
  readonly #shared: Shared<E>;
  readonly #handlers: HandlerRunner<E>;

  constructor(shared: Shared<E>, handlers: HandlerRunner<E>) {
    this.#shared = shared;
    this.#handlers = handlers;
  }

  /** Fires the signal of every handler that runs. Those that do not settle within the grace are given up. */
  abortAll(reason: Error, graceMs: number): void {
    const { held, executions, config } = this.#shared;
    const monotonic = config.clock.monotonic();
    for (const execution of held.all) {
      executions.abort(execution, 'stop', reason, graceMs);
      if (graceMs === 0) this.#abandon(execution, monotonic);
    }
  }

  /** Aborts, gives up or releases whatever has run out of time. Leases are the renewer's. */
  expire(): void {
    const { held, executions, config } = this.#shared;
    const { clock, timeoutMs, abortGraceMs } = config;
    // A timer may fire a little early by the monotonic clock.
    const monotonic = clock.monotonic() + 1;
    executions.retryAside(monotonic);
    for (const execution of held.all) {
      const { stage } = execution;
      if (stage.name === 'waiting' && monotonic >= stage.releaseAt) {
        if (this.#isNextSuspect(execution)) continue;
        if (held.onProbation === null) this.#handlers.noteLateStart();
        executions.release(execution);
      } else if (stage.name === 'running' && monotonic >= stage.timeoutAt) {
        const reason = new DOMException(`The handler took longer than ${timeoutMs} ms.`, 'TimeoutError');
        executions.abort(execution, 'timeout', reason, abortGraceMs);
      }
      if ('giveUpAt' in execution.stage && monotonic >= execution.stage.giveUpAt)
        this.#abandon(execution, monotonic);
    }
  }

  #isNextSuspect(execution: Execution<E>): boolean {
    const { onProbation, firstSuspect } = this.#shared.held;
    return execution === firstSuspect && onProbation === null && this.#handlers.hasSlot;
  }

  /** Gives up a handler whose signal has fired: its slot is free, and what it still returns is discarded. */
  #abandon(execution: Execution<E>, monotonic: number): void {
    const { executions, config, reporter } = this.#shared;
    const { stage } = execution;
    if (stage.name !== 'aborted' && stage.name !== 'lost') return;
    const outcome = decideOutcome(execution, null, config, reporter);
    executions.endHandler(execution, outcome, monotonic - stage.startedAt);
    reporter.abandoned(execution, stage.reason);
  }
}
