import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { useUpdates } from './hooks.ts';
import { useServices } from './services.ts';
import { type FetchPage, WindowedList } from './windowed-list.ts';

/** A WindowedList over what `fetch` asks; `query` names it, so that another name asks anew. */
export function useList<Row extends object>(
  rowKey: (row: Row) => string,
  query: string,
  fetch: FetchPage<Row>,
) {
  const { pauser } = useServices();
  const [list, setList] = useState<WindowedList<Row> | null>(null);
  useEffect(() => {
    const made = new WindowedList<Row>(pauser, rowKey);
    setList(made);
    return () => made.close();
  }, [pauser, rowKey]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query names the fetch
  useEffect(() => list?.ask(query, fetch), [list, query]);
  const subscribe = useCallback((listener: () => void) => list?.subscribe(listener) ?? (() => {}), [list]);
  const view = useSyncExternalStore(subscribe, () => list?.view() ?? null);
  useUpdates(async () => list?.refresh());
  return { list, view };
}
