/** The table's own shape: what TanStack Table is asked to do here is columns and order; rows come from SQL. */
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

/** A place in the list, whose row may still be on its way. */
export interface Slot<Row> {
  readonly index: number;
  readonly row: Row | undefined;
}

export type Columns<Row extends object> = TableOptions<Features, Slot<Row>>['columns'];

export const columnHelper = <Row extends object>() => createColumnHelper<Features, Slot<Row>>();
