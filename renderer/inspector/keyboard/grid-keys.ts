import type { Shortcut } from './shortcuts.ts';

/** The position of the keyboard in a grid: on a row, or on a column header. */
export interface Cursor {
  readonly row: number;
  /** Null while the cursor is on a row. */
  readonly header: number | null;
}

export interface Extent {
  readonly rows: number;
  readonly headers: number;
  /** The number of rows that PageDown moves by. */
  readonly page: number;
}

/** The cursor after a shortcut; null if the shortcut does not move it. */
export function moveCursor(shortcut: Shortcut, at: Cursor, extent: Extent): Cursor | null {
  const lastRow = Math.max(0, extent.rows - 1);
  const lastHeader = Math.max(0, extent.headers - 1);
  const toRow = (row: number): Cursor => ({ row: clamp(row, lastRow), header: null });
  const toHeader = (header: number): Cursor => ({ ...at, header: clamp(header, lastHeader) });

  if (at.header !== null) {
    switch (shortcut) {
      case 'left':
        return toHeader(at.header - 1);
      case 'right':
        return toHeader(at.header + 1);
      case 'first':
        return toHeader(0);
      case 'last':
        return toHeader(lastHeader);
      case 'down':
      case 'next':
        return toRow(0);
      case 'up':
      case 'previous':
        return at;
      case 'pageDown':
        return toRow(extent.page);
      default:
        return null;
    }
  }
  switch (shortcut) {
    case 'down':
    case 'next':
      return toRow(at.row + 1);
    case 'up':
      return at.row === 0 ? { row: 0, header: 0 } : toRow(at.row - 1);
    case 'previous':
      return toRow(at.row - 1);
    case 'pageDown':
      return toRow(at.row + extent.page);
    case 'pageUp':
      return toRow(at.row - extent.page);
    case 'first':
      return toRow(0);
    case 'last':
      return toRow(lastRow);
    default:
      return null;
  }
}

const clamp = (value: number, max: number) => Math.min(Math.max(0, value), max);
