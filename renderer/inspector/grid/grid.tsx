// biome-ignore-all lint/a11y/useSemanticElements: table elements lose their roles when CSS lays them out as a grid
/**
 * The rows of a WindowedList as a grid with one Tab stop.
 *
 * The grid element itself has the focus and names the row at the cursor (aria-activedescendant), because rows are removed
 * from the DOM while they scroll out of view. The cursor follows its row, not its index: when a refresh moves the row, the
 * cursor and the scroll position move with it.
 */
import { useTable } from '@tanstack/react-table';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useExpiries } from '../data/hooks.ts';
import type { Sort } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import type { ListHandle } from '../data/use-list.ts';
import { useRefreshPauser } from '../data/use-refresh-pauser.ts';
import { focusIfAwaited } from '../keyboard/focus.ts';
import { type Cursor, moveCursor } from '../keyboard/grid-keys.ts';
import type { Shortcut } from '../keyboard/shortcuts.ts';
import { useGridKeys } from '../keyboard/use-grid-keys.ts';
import { type ColumnMeta, columnsToHide, gridTemplate } from './fit-columns.ts';
import { GridHeader } from './grid-header.tsx';
import { GridRow } from './grid-row.tsx';
import { type Columns, features, type Slot } from './table.ts';
import { useScrollAnchor } from './use-scroll-anchor.ts';
import { ROW_HEIGHT, useTallRows } from './use-tall-rows.ts';
import { useWidth } from './use-width.ts';

/** A row changes when its lease or its park ends. */
interface Expiring {
  readonly expiresAt: number | null;
}

interface Props<Row extends Expiring> {
  readonly name: string;
  readonly handle: ListHandle<Row>;
  readonly columns: Columns<Row>;
  readonly rowKey: (row: Row) => string;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  /** The row whose detail is open. */
  readonly openKey: string | null;
  readonly onOpen: (row: Row, by: 'key' | 'pointer') => void;
  /** A key moved the cursor to another row. */
  readonly onVisit?: (row: Row) => void;
}

export function Grid<Row extends Expiring>(props: Props<Row>) {
  const { name, handle, columns, rowKey, sort, onSort, openKey, onOpen, onVisit } = props;
  const { list, view } = handle;
  const { pauser } = useServices();
  const pauseHandlers = useRefreshPauser();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const rows = useTallRows(scroller, view.total);
  const [cursor, setCursor] = useState<Cursor>({ row: 0, header: null });

  useEffect(() => focusIfAwaited(scroller.current), []);

  const first = rows.items[0]?.index ?? 0;
  const last = rows.items.at(-1)?.index ?? 0;
  useEffect(() => list.setVisible(first, last), [list, first, last]);

  const { rowAt } = view;
  const data = useMemo(() => {
    const slots: Slot<Row>[] = [];
    for (let index = first; index <= last && index < view.total; index++)
      slots.push({ index, row: rowAt(index) });
    return slots;
  }, [first, last, view.total, rowAt]);
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
      const row = rowAt(index);
      setCursor({ row: index, header: null });
      if (row !== undefined) onOpen(row, 'pointer');
    },
    [rowAt, onOpen],
  );

  const openAtCursor = () => {
    const column = cursor.header === null ? undefined : headers[cursor.header]?.column;
    const row = cursor.header === null ? rowAt(cursor.row) : undefined;
    if (column?.getCanSort()) column.toggleSorting();
    if (row !== undefined) onOpen(row, 'key');
  };
  const move = (next: Cursor) => {
    pauser.touch();
    setCursor(next);
    if (next.header !== null) return;
    rows.reveal(next.row);
    const row = rowAt(next.row);
    if (row !== undefined && next.row !== cursor.row) onVisit?.(row);
  };
  useGridKeys(scroller, (shortcut: Shortcut) => {
    if (shortcut === 'open' || shortcut === 'openBySpace') {
      openAtCursor();
      return true;
    }
    const extent = { rows: view.total, headers: headers.length, page: rows.pageRows };
    const next = moveCursor(shortcut, cursor, extent);
    if (next !== null) move(next);
    return next !== null;
  });

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
      aria-busy={view.isPlaceholder}
      aria-activedescendant={active}
      tabIndex={0}
      className="grid"
      {...pauseHandlers}
    >
      <GridHeader headers={headers} template={template} cursor={cursor.header} idOf={headerId} />
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
  return column.meta as ColumnMeta;
}
