import { useLayoutEffect, useRef } from 'react';
import type { ListView } from '../data/windowed-list.ts';
import type { Cursor } from '../keyboard/grid-keys.ts';
import { ROW_HEIGHT, type useTallRows } from './use-tall-rows.ts';

/** How far a refresh is searched for the row that was seen. */
const REACH = 600;

/** Keeps the view and the cursor on their rows while a refresh moves them; another query starts at the top. */
export function useScrollAnchor<Row extends object>(of: {
  readonly view: ListView<Row>;
  readonly rows: ReturnType<typeof useTallRows>;
  readonly rowKey: (row: Row) => string;
  readonly cursor: Cursor;
  readonly setCursor: (cursor: Cursor) => void;
}): void {
  const { view, rows, rowKey, cursor, setCursor } = of;
  const before = useRef(view);

  useLayoutEffect(() => {
    const old = before.current;
    before.current = view;
    if (old.rowAt === view.rowAt) return;
    if (old.source !== view.source) {
      rows.moveTo(0);
      // On a header it stays there: that was where the new order was asked for.
      setCursor({ row: 0, header: cursor.header });
      return;
    }
    const whereNow = (index: number) => {
      const row = old.rowAt(index);
      return row === undefined ? null : nearest(view, rowKey, rowKey(row), index);
    };
    // At the very top the list is followed, not the row that was there.
    if (rows.position() > 0) {
      const top = Math.floor(rows.position() / ROW_HEIGHT);
      for (let index = top; index < top + rows.pageRows; index++) {
        const now = whereNow(index);
        if (now === null) continue;
        if (now !== index) rows.moveTo(rows.position() + (now - index) * ROW_HEIGHT);
        break;
      }
    }
    const row = whereNow(cursor.row) ?? Math.min(cursor.row, Math.max(0, view.total - 1));
    if (row !== cursor.row) setCursor({ ...cursor, row });
  });
}

function nearest<Row extends object>(
  view: ListView<Row>,
  rowKey: (row: Row) => string,
  key: string,
  from: number,
): number | null {
  for (let step = 0; step <= REACH; step++) {
    for (const index of step === 0 ? [from] : [from - step, from + step]) {
      const row = index < 0 ? undefined : view.rowAt(index);
      if (row !== undefined && rowKey(row) === key) return index;
    }
  }
  return null;
}
