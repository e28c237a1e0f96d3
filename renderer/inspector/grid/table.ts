/** TanStack Table handles columns and the order that is shown. Sorting and filtering happen in SQL. */
import {
  columnVisibilityFeature,
  createColumnHelper,
  metaHelper,
  rowSortingFeature,
  type TableOptions,
  tableFeatures,
} from '@tanstack/react-table';
import type { ColumnMeta } from './fit-columns.ts';

export const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});

export type Features = typeof features;

/** A position in the list. Its row is undefined until it has been read. */
export interface Slot<Row> {
  readonly index: number;
  readonly row: Row | undefined;
}

export type Columns<Row extends object> = TableOptions<Features, Slot<Row>>['columns'];

export const columnHelper = <Row extends object>() => createColumnHelper<Features, Slot<Row>>();
