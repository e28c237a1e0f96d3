/**
 * Starts messages on their last attempt, one after the other: each is counted in the file just before its handler is called.
 *
 * Counted together, by their claim, the others would have used their last attempt when the first handler ends the process, and
 * would be buried without a run.
 */
import type { Awaitable } from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';
import { countThenStart } from './count-attempt.ts';
import type { Execution } from './execution.ts';
import type { HandlerRunner } from './handler-runner.ts';
import type { Shared } from './shared.ts';

export class LastAttempts<E> {
  readonly #shared: Shared<E>;
  readonly #handlers: HandlerRunner<E>;

  constructor(shared: Shared<E>, handlers: HandlerRunner<E>) {
    this.#shared = shared;
    this.#handlers = handlers;
  }

  /** One can be started. */
  get isDue(): boolean {
    return this.#handlers.nextLastAttempt !== null;
  }

  /** Starts at least one, and goes on until the slice is over. Raises the transport's errors; it is then still due. */
  run(): Awaitable<void> {
    do {
      const next = this.#handlers.nextLastAttempt;
      if (!next) return;
      const started = this.#start(next);
      if (started instanceof Promise)
        return started.then(() => (this.#handlers.sliceIsOver() ? undefined : this.run()));
    } while (!this.#handlers.sliceIsOver());
  }

  #start(execution: Execution<E>): Awaitable<void> {
    const handlers = this.#handlers;
    handlers.keepsSlot = true;
    const letGo = () => {
      handlers.keepsSlot = false;
    };
    return whenDone(
      () =>
        countThenStart(this.#shared, execution, () => {
          letGo();
          handlers.startLastAttempt(execution);
        }),
      letGo,
      (error) => {
        letGo();
        throw error;
      },
    );
  }
}
