import { focusManager, type Query, type QueryClient } from '@tanstack/react-query';
import type { InspectorBridge } from '../../../core/contract/admin.ts';

/**
 * Reads the page's data again after the queue has changed. The main process reports changes at most 4 times a second,
 * which is the only rate limit. A hidden page reads nothing until it is visible again.
 */
export class ChangeFeed {
  readonly #client: QueryClient;
  /** By query: the read that follows the current one. Several changes during a read cause one more read. */
  readonly #next = new Map<string, Promise<void>>();
  /** The queue has changed while the page was hidden. */
  #isBehind = false;

  constructor(client: QueryClient, bridge: Pick<InspectorBridge, 'onChange'>) {
    this.#client = client;
    bridge.onChange(() => void this.requestRefresh());
    focusManager.subscribe((isVisible) => {
      if (isVisible && this.#isBehind) void this.requestRefresh();
    });
  }

  /** Resolves when the page is up to date, when a read has failed, or at once while the page is hidden. */
  async requestRefresh(): Promise<void> {
    // Marking the data as invalid instead would lose the change: a read that began before it clears the mark when it ends.
    this.#isBehind = !focusManager.isFocused();
    if (this.#isBehind) return;
    // Cached data that is not on the page is now out of date.
    this.#client.removeQueries({ type: 'inactive' });
    const active = this.#client.getQueryCache().findAll({ type: 'active' });
    await Promise.all(active.map((query) => this.#readAgain(query)));
  }

  async #readAgain(query: Query): Promise<void> {
    const { queryHash, queryKey } = query;
    if (query.state.fetchStatus !== 'fetching') {
      await this.#client.refetchQueries({ queryKey, exact: true, type: 'active' });
      return;
    }
    // The current read may have begun before the change. Cancelling it instead would starve a read that takes longer than
    // the time between two changes.
    let next = this.#next.get(queryHash);
    if (next === undefined) {
      next = ended(query.promise).then(() => {
        this.#next.delete(queryHash);
        return this.#readAgain(query);
      });
      this.#next.set(queryHash, next);
    }
    await next;
  }
}

async function ended(read: Promise<unknown> | undefined): Promise<void> {
  try {
    await read;
  } catch {
    // The query itself keeps the error.
  }
}
