import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { infoRead, overviewRead } from './reads.ts';
import type { Route } from './route.ts';
import { useServices } from './services.ts';

export function useRoute(): Route {
  const { router } = useServices();
  return useSyncExternalStore(router.subscribe, router.route);
}

/** The counts over all messages. */
export function useOverview() {
  const { bridge, clock } = useServices();
  const { data, error } = useQuery(overviewRead(bridge));
  const now = data?.now;
  useEffect(() => {
    if (now !== undefined) clock.correct(now);
  }, [clock, now]);
  return { overview: data, error };
}

/** The options of openInspector that the page needs. Undefined until the first answer. */
export function useInfo() {
  const { bridge } = useServices();
  return useQuery(infoRead(bridge)).data;
}

/** A text that depends on the time. The component renders again only when the text changes. */
export function useTicking(text: (now: number) => string): string {
  const { clock } = useServices();
  return useSyncExternalStore(clock.subscribe, () => text(clock.now()));
}

/**
 * Requests a refresh when one of these moments has passed: the end of a lease or of a park changes a state, but nothing is
 * written to the file.
 */
export function useExpiries(moments: () => Iterable<number | null>): void {
  const { clock, changeFeed } = useServices();
  const isOver = useEffectEvent((from: number, to: number) => {
    for (const at of moments()) {
      // A lease is still held at exactly its expiry.
      if (at !== null && at >= from && at < to) return true;
    }
    return false;
  });
  useEffect(() => {
    let before = clock.now();
    return clock.subscribe(() => {
      const now = clock.now();
      if (isOver(before, now)) void changeFeed.requestRefresh();
      before = now;
    });
  }, [clock, changeFeed]);
}
