import type { InspectorBridge } from '../../../core/contract/admin.ts';
import { Limiter } from './limiter.ts';

type Task = () => Promise<unknown>;

/** Four redraws a second are as many as a person can follow. */
const EVERY_MS = 250;

/**
 * Brings what is on the page up to date after the queue changed, at most four times a second. A hidden window asks for
 * nothing until it is seen again.
 */
export class ChangeFeed {
  readonly #tasks = new Set<Task>();
  readonly #limiter = new Limiter(() => this.#update(), EVERY_MS);
  #missed = false;

  constructor(bridge: InspectorBridge) {
    bridge.onChange(() => this.requestRefresh());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.#missed) this.requestRefresh();
    });
  }

  /** Runs the task at each update. */
  onUpdate(task: Task): () => void {
    this.#tasks.add(task);
    return () => this.#tasks.delete(task);
  }

  requestRefresh(): void {
    this.#missed = document.hidden;
    if (!document.hidden) this.#limiter.poke();
  }

  async #update(): Promise<void> {
    await Promise.all([...this.#tasks].map((task) => task()));
  }
}
