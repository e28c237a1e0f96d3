import { useEffect, useSyncExternalStore } from 'react';
import { useLatest } from '../ui/use-latest.ts';
import type { Route } from './route.ts';
import { useServices } from './services.ts';

export function useRoute(): Route {
  const { router } = useServices();
  return useSyncExternalStore(router.subscribe, router.route);
}

/** A text that depends on the time; the component is drawn again only when the text itself changes. */
export function useTicking(text: (now: number) => string): string {
  const { clock } = useServices();
  return useSyncExternalStore(clock.subscribe, () => text(clock.now()));
}

/** Calls the newest `task` at each update of the page. */
export function useUpdates(task: () => Promise<unknown>): void {
  const { changeFeed } = useServices();
  const newest = useLatest(task);
  useEffect(() => changeFeed.onUpdate(() => newest.current()), [changeFeed, newest]);
}

/**
 * Asks for an update when one of these moments passes: a lease or a park that ends changes what the queue shows, but
 * nobody writes to the file then.
 */
export function useExpiries(moments: () => Iterable<number | null>): void {
  const { clock, changeFeed } = useServices();
  const newest = useLatest(moments);
  useEffect(() => {
    let before = clock.now();
    return clock.subscribe(() => {
      const now = clock.now();
      for (const at of newest.current()) {
        // Held at exactly its expiry, so it shows as over from the next tick on.
        if (at !== null && at < now && at >= before) {
          changeFeed.requestRefresh();
          break;
        }
      }
      before = now;
    });
  }, [clock, changeFeed, newest]);
}
