import type { Handler } from '../../index.ts';
import { waitFor } from './signals.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests' events have many shapes
export type Event = any;

interface Execution {
  readonly started: PromiseWithResolvers<void>;
  readonly end: PromiseWithResolvers<unknown>;
}

/** A handler whose executions end when the test says so. Each is named by its event. */
export class ControlledHandler {
  /** The events whose handler runs now, in the order of their start. */
  readonly running: Event[] = [];
  /** The events of all executions so far. */
  readonly started: Event[] = [];
  readonly #executions = new Map<Event, Execution>();

  readonly handle: Handler<Event> = async ({ event }) => {
    this.running.push(event);
    this.started.push(event);
    const { started, end } = this.#execution(event);
    started.resolve();
    const result = await end.promise;
    this.running.splice(this.running.indexOf(event), 1);
    return result;
  };

  /** Resolves when the handlers of all these events have been called, at once where they have been already. */
  async untilStarted(...events: Event[]): Promise<void> {
    for (const event of events)
      await waitFor(`the handler of ${JSON.stringify(event)}`, this.#execution(event).started.promise);
  }

  /** Ends the executions of this event, running and future ones, with this result. */
  finish(event: Event, result?: unknown): void {
    this.#execution(event).end.resolve(result);
  }

  #execution(event: Event): Execution {
    const known = this.#executions.get(event);
    if (known) return known;
    const execution = { started: Promise.withResolvers<void>(), end: Promise.withResolvers<unknown>() };
    this.#executions.set(event, execution);
    return execution;
  }
}
