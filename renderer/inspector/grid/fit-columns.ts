/** How a column is laid out. Widths are in CSS pixels. */
export interface ColumnMeta {
  /** The text of the header. */
  readonly label: string;
  /** The minimum; without `grow` also the maximum. */
  readonly width: number;
  /** The share of the remaining width, as in CSS `fr`. */
  readonly grow?: number;
  /** In a narrow window the columns with the highest rank are hidden first. Rank 0 is never hidden. */
  readonly rank: number;
  readonly align?: 'end';
}

interface Sized {
  readonly id: string;
  readonly meta: ColumnMeta;
}

/** The ids of the columns to hide so that the others fit into `width`. */
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
