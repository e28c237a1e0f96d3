import { useLayoutEffect, useRef } from 'react';
import type { ListView } from '../data/windowed-list.ts';
import type { Cursor } from '../keyboard/grid-keys.ts';
import { ROW_HEIGHT, type useTallRows } from './use-tall-rows.ts';

/** How many rows above and below its old index a row is searched for. */
const SEARCH_ROWS = 600;

interface Options<Row extends object> {
  readonly view: ListView<Row>;
  readonly rows: ReturnType<typeof useTallRows>;
  readonly rowKey: (row: Row) => string;
  readonly cursor: Cursor;
  readonly setCursor: (cursor: Cursor) => void;
}

/**
 * Keeps the scroll position and the cursor on their rows when a refresh moves them. Rows of a new source start at the top.
 */
export function useScrollAnchor<Row extends object>(options: Options<Row>): void {
  const { view, rows, rowKey, cursor, setCursor } = options;
  const previous = useRef(view);

  useLayoutEffect(() => {
    const old = previous.current;
    previous.current = view;
    if (old.rowAt === view.rowAt) return;
    if (old.source !== view.source) {
      rows.moveTo(0);
      // A cursor on a header stays there: the header has just been used to sort.
      setCursor({ row: 0, header: cursor.header });
      return;
    }
    const newIndexOf = (index: number) => {
      const row = old.rowAt(index);
      return row === undefined ? null : nearest(view, rowKey, rowKey(row), index);
    };
    // At the very top, new rows push the others down. Everywhere else the first visible row that still exists stays in
    // place.
    if (rows.position() > 0) {
      const top = Math.floor(rows.position() / ROW_HEIGHT);
      for (let index = top; index < top + rows.pageRows; index++) {
        const newIndex = newIndexOf(index);
        if (newIndex === null) continue;
        if (newIndex !== index) rows.moveTo(rows.position() + (newIndex - index) * ROW_HEIGHT);
        break;
      }
    }
    const row = newIndexOf(cursor.row) ?? Math.min(cursor.row, Math.max(0, view.total - 1));
    if (row !== cursor.row) setCursor({ ...cursor, row });
  });
}

/** The index of the row with this key that is nearest to `from`. */
function nearest<Row extends object>(
  view: ListView<Row>,
  rowKey: (row: Row) => string,
  key: string,
  from: number,
): number | null {
  for (let step = 0; step <= SEARCH_ROWS; step++) {
    for (const index of step === 0 ? [from] : [from - step, from + step]) {
      const row = index < 0 ? undefined : view.rowAt(index);
      if (row !== undefined && rowKey(row) === key) return index;
    }
  }
  return null;
}
