// biome-ignore-all lint/a11y/useSemanticElements: table elements lose their roles when CSS lays them out as a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid element has the focus and names its active row
import { FlexRender, type Row as TableRow } from '@tanstack/react-table';
import { memo } from 'react';
import type { Features, Slot } from './table.ts';

interface Props<Row extends object> {
  readonly id: string;
  readonly row: TableRow<Features, Slot<Row>>;
  readonly index: number;
  readonly top: number;
  readonly template: string;
  readonly atCursor: boolean;
  readonly isOpen: boolean;
  readonly onPick: (index: number) => void;
}

function UnmemoizedRow<Row extends object>(props: Props<Row>) {
  const { id, row, index, top, template, atCursor, isOpen, onPick } = props;
  const slot = row.original;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid element has the focus and handles the keys
    <div
      id={id}
      role="row"
      className="row"
      aria-rowindex={index + 2}
      aria-selected={atCursor}
      aria-current={isOpen || undefined}
      aria-busy={slot.row === undefined || undefined}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
      onClick={() => onPick(index)}
    >
      {row.getVisibleCells().map((cell) => (
        <div key={cell.id} role="gridcell" className="cell" data-align={cell.column.columnDef.meta?.align}>
          {slot.row === undefined ? <span className="loading-cell" /> : <FlexRender cell={cell} />}
        </div>
      ))}
    </div>
  );
}

/** Compares the displayed values, because the table creates new row objects at every scroll. */
export const GridRow = memo(
  UnmemoizedRow,
  (a, b) =>
    a.row.original.row === b.row.original.row &&
    a.index === b.index &&
    a.top === b.top &&
    a.template === b.template &&
    a.atCursor === b.atCursor &&
    a.isOpen === b.isOpen &&
    a.onPick === b.onPick,
) as typeof UnmemoizedRow;
