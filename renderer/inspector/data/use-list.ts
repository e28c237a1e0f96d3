import { useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { useServices } from './services.ts';
import { type ListView, type RowSource, WindowedList } from './windowed-list.ts';

export interface ListHandle<Row extends object> {
  readonly list: WindowedList<Row>;
  readonly view: ListView<Row>;
}

export function useList<Row extends object>(source: RowSource<Row>): ListHandle<Row> {
  const { queryClient, pauser } = useServices();
  const [list] = useState(() => new WindowedList<Row>(queryClient, pauser, source));
  const view = useSyncExternalStore(list.subscribe, list.view);
  // Before the paint: the rows of the previous source must not show as the result of this one.
  useLayoutEffect(() => list.setSource(source));
  return { list, view };
}
