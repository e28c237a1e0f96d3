// biome-ignore-all lint/a11y/useSemanticElements: table elements laid out as anything but a table lose their roles
/**
 * Rows of a WindowedList as one focusable grid.
 *
 * The grid itself holds the focus and names the row at the cursor (aria-activedescendant), so that it is one Tab stop
 * and rows may come and go. The cursor follows its row, not its index: when a refresh moves the row, the cursor moves
 * with it, and the view keeps showing what it showed.
 */
import { useTable } from '@tanstack/react-table';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useExpiries } from '../data/hooks.ts';
import type { Sort } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { useRefreshPauser } from '../data/use-refresh-pauser.ts';
import type { ListView, WindowedList } from '../data/windowed-list.ts';
import { focusIfAwaited } from '../keyboard/focus.ts';
import { type Cursor, moved } from '../keyboard/grid-keys.ts';
import { useGridKeys } from '../keyboard/use-grid-keys.ts';
import { columnsToHide, gridTemplate } from './fit-columns.ts';
import { GridHeader } from './grid-header.tsx';
import { GridRow } from './grid-row.tsx';
import { type Columns, features, type Slot } from './table.ts';
import { useScrollAnchor } from './use-scroll-anchor.ts';
import { ROW_HEIGHT, useTallRows } from './use-tall-rows.ts';
import { useWidth } from './use-width.ts';

/** Any row: its lease or park may end, and its row with it changes. */
interface Expiring {
  readonly expiresAt: number | null;
}

interface Props<Row extends Expiring> {
  readonly name: string;
  readonly list: WindowedList<Row>;
  readonly view: ListView<Row>;
  readonly columns: Columns<Row>;
  readonly rowKey: (row: Row) => string;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  /** The row that is open at the side. */
  readonly openKey: string | null;
  /** Enter, or a click. */
  readonly onOpen: (row: Row, how: 'key' | 'pointer') => void;
  /** The cursor came to another row by key. */
  readonly onVisit?: (row: Row) => void;
}

export function Grid<Row extends Expiring>(props: Props<Row>) {
  const { name, list, view, columns, rowKey, sort, onSort, openKey, onOpen, onVisit } = props;
  const { pauser } = useServices();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const rows = useTallRows(scroller, view.total);
  const [cursor, setCursor] = useState<Cursor>({ row: 0, header: null });

  useEffect(() => focusIfAwaited(scroller.current), []);

  const first = rows.items[0]?.index ?? 0;
  const last = rows.items.at(-1)?.index ?? 0;
  useEffect(() => list.see(first, last), [list, first, last]);

  const readRow = view.rows;
  const data = useMemo(() => {
    const slots: Slot<Row>[] = [];
    for (let index = first; index <= last && index < view.total; index++)
      slots.push({ index, row: readRow(index) });
    return slots;
  }, [first, last, view.total, readRow]);
  useExpiries(() => data.map((slot) => slot.row?.expiresAt ?? null));

  const sorting = useMemo(() => [{ id: sort.column, desc: sort.descending }], [sort]);
  const hidden = useMemo(() => {
    const sized = columns.map((column) => ({ id: column.id ?? '', meta: metaOf(column) }));
    return Object.fromEntries(columnsToHide(sized, width).map((column) => [column, false]));
  }, [columns, width]);

  const table = useTable({
    features,
    columns,
    data,
    getRowId: (slot) => String(slot.index),
    manualSorting: true,
    enableSortingRemoval: false,
    enableMultiSort: false,
    state: { sorting, columnVisibility: hidden },
    onSortingChange: (update) => {
      const next = (typeof update === 'function' ? update(sorting) : update)[0];
      if (next !== undefined) onSort({ column: next.id, descending: next.desc });
    },
  });
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const template = gridTemplate(headers.map((header) => metaOf(header.column.columnDef)));

  useScrollAnchor({ view, rows, rowKey, cursor, setCursor });

  const pick = useCallback(
    (index: number) => {
      const row = readRow(index);
      setCursor({ row: index, header: null });
      if (row !== undefined) onOpen(row, 'pointer');
    },
    [readRow, onOpen],
  );

  const onKey = (key: string): boolean => {
    if (key === 'Enter' || key === ' ') {
      const header = cursor.header === null ? undefined : headers[cursor.header];
      const row = readRow(cursor.row);
      if (header !== undefined) {
        if (header.column.getCanSort()) header.column.toggleSorting();
      } else if (row !== undefined) onOpen(row, 'key');
      return true;
    }
    const next = moved(key, cursor, { rows: view.total, headers: headers.length, page: rows.pageRows });
    if (next === null) return false;
    pauser.touch();
    setCursor(next);
    if (next.header !== null) return true;
    rows.reveal(next.row);
    const row = readRow(next.row);
    if (row !== undefined && next.row !== cursor.row) onVisit?.(row);
    return true;
  };
  useGridKeys(scroller, onKey);

  const rowId = (index: number) => `${id}row${index}`;
  const headerId = (index: number) => `${id}head${index}`;
  const isDrawn = cursor.row >= first && cursor.row <= last && cursor.row < view.total;
  const active = cursor.header !== null ? headerId(cursor.header) : isDrawn ? rowId(cursor.row) : undefined;

  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={name}
      aria-rowcount={view.total + 1}
      aria-colcount={headers.length}
      aria-busy={view.turning}
      aria-activedescendant={active}
      tabIndex={0}
      className="grid"
      {...useRefreshPauser()}
    >
      <GridHeader headers={headers} template={template} at={cursor.header} idOf={headerId} />
      <div role="rowgroup" className="grid-body" style={{ height: rows.height }}>
        {table.getRowModel().rows.map((row) => {
          const { index, row: shown } = row.original;
          return (
            <GridRow
              key={row.id}
              id={rowId(index)}
              row={row}
              index={index}
              top={index * ROW_HEIGHT - rows.shift}
              template={template}
              atCursor={cursor.header === null && cursor.row === index}
              isOpen={openKey !== null && shown !== undefined && rowKey(shown) === openKey}
              onPick={pick}
            />
          );
        })}
      </div>
    </div>
  );
}

function metaOf(column: { readonly meta?: unknown }) {
  return column.meta as { label: string; width: number; grow?: number; rank: number; align?: 'end' };
}
