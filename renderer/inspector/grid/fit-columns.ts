/** A column's width: what it needs at least, whether it takes what is left, and when it gives way. */
export interface ColumnMeta {
  /** Shown to people; `header` may hold markup. */
  readonly label: string;
  readonly width: number;
  /** Share of what is left over; 0 keeps the width. */
  readonly grow?: number;
  /** In a narrow window the highest rank goes first; 0 always stays. */
  readonly rank: number;
  readonly align?: 'end';
}

interface Sized {
  readonly id: string;
  readonly meta: ColumnMeta;
}

/** The ids of the columns that must go for the others to fit into `width`. */
export function columnsToHide(columns: readonly Sized[], width: number): string[] {
  const byRank = columns.filter((column) => column.meta.rank > 0).sort((a, b) => b.meta.rank - a.meta.rank);
  let needed = columns.reduce((sum, column) => sum + column.meta.width, 0);
  const hidden: string[] = [];
  for (const column of byRank) {
    if (needed <= width) break;
    needed -= column.meta.width;
    hidden.push(column.id);
  }
  return hidden;
}

/** The value of `grid-template-columns`. */
export function gridTemplate(columns: readonly ColumnMeta[]): string {
  return columns
    .map((column) => (column.grow ? `minmax(${column.width}px, ${column.grow}fr)` : `${column.width}px`))
    .join(' ');
}
