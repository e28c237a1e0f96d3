// biome-ignore-all lint/a11y/useSemanticElements: table elements lose their roles when CSS lays them out as a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid element has the focus and names its active row
import type { Header } from '@tanstack/react-table';
import { SortIcon } from '../ui/icons.tsx';
import type { Features, Slot } from './table.ts';

interface Props<Row extends object> {
  readonly headers: readonly Header<Features, Slot<Row>, unknown>[];
  readonly template: string;
  /** The header that the cursor is on. */
  readonly cursor: number | null;
  readonly idOf: (header: number) => string;
}

export function GridHeader<Row extends object>({ headers, template, cursor, idOf }: Props<Row>) {
  return (
    <div role="rowgroup" className="grid-head">
      <div role="row" aria-rowindex={1} className="row head-row" style={{ gridTemplateColumns: template }}>
        {headers.map((header, index) => {
          const { column } = header;
          const sorted = column.getIsSorted();
          const sortable = column.getCanSort();
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid element has the focus and handles the keys
            <div
              key={header.id}
              id={idOf(index)}
              role="columnheader"
              className="cell head-cell"
              data-align={column.columnDef.meta?.align}
              data-sortable={sortable || undefined}
              data-cursor={cursor === index || undefined}
              aria-sort={
                sorted === false
                  ? sortable
                    ? 'none'
                    : undefined
                  : sorted === 'asc'
                    ? 'ascending'
                    : 'descending'
              }
              onClick={() => sortable && column.toggleSorting()}
              title={sortable ? `Sort by ${column.columnDef.meta?.label.toLowerCase()}` : undefined}
            >
              <span className="head-text">{column.columnDef.meta?.label}</span>
              {sorted !== false && <SortIcon descending={sorted === 'desc'} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}
