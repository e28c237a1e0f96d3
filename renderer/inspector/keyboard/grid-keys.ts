/** Where the keyboard stands in a grid: on a row, or on a column's header. */
export interface Cursor {
  readonly row: number;
  /** The header the cursor is on; null while it is on a row. */
  readonly header: number | null;
}

export interface Extent {
  readonly rows: number;
  readonly headers: number;
  /** Rows that one PageDown passes. */
  readonly page: number;
}

/** Where a key leads; null when the key is not the grid's. */
export function moved(key: string, at: Cursor, extent: Extent): Cursor | null {
  const last = Math.max(0, extent.rows - 1);
  const toRow = (row: number): Cursor => ({ row: Math.min(Math.max(0, row), last), header: null });

  if (at.header !== null) {
    const end = Math.max(0, extent.headers - 1);
    const toHeader = (header: number): Cursor => ({ ...at, header: Math.min(Math.max(0, header), end) });
    if (key === 'ArrowLeft') return toHeader(at.header - 1);
    if (key === 'ArrowRight') return toHeader(at.header + 1);
    if (key === 'Home') return toHeader(0);
    if (key === 'End') return toHeader(end);
    if (key === 'ArrowDown' || key === 'j') return toRow(0);
    if (key === 'ArrowUp' || key === 'k') return at;
    if (key === 'PageDown') return toRow(extent.page);
    return null;
  }
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return toRow(at.row + 1);
    case 'ArrowUp':
      return at.row === 0 ? { row: 0, header: 0 } : toRow(at.row - 1);
    case 'k':
      return toRow(at.row - 1);
    case 'PageDown':
      return toRow(at.row + extent.page);
    case 'PageUp':
      return toRow(at.row - extent.page);
    case 'Home':
      return toRow(0);
    case 'End':
      return toRow(last);
    default:
      return null;
  }
}
