import type { GroupRow } from '../../../core/contract/admin.ts';
import { LongName } from '../grid/long-name.tsx';
import { type Columns, columnHelper } from '../grid/table.ts';
import { formatNumber } from '../ui/format.ts';
import { StateBadge } from '../ui/state-badge.tsx';
import { Age, Until } from '../ui/time.tsx';

const column = columnHelper<GroupRow>();

/**
 * The ids of sortable columns appear in the URL (see route.ts). The group gets most of the remaining width: it identifies
 * the row, and most groups have no holder, routing key or error.
 */
export const GROUP_COLUMNS: Columns<GroupRow> = column.columns([
  column.accessor((slot) => slot.row?.groupId, {
    id: 'group',
    meta: { label: 'Group', width: 160, grow: 4, rank: 0 },
    sortDescFirst: false,
    cell: ({ row }) => <LongName name={row.original.row?.groupId} />,
  }),
  column.accessor((slot) => slot.row?.depth, {
    id: 'depth',
    meta: { label: 'Depth', width: 80, rank: 0, align: 'end' },
    sortDescFirst: true,
    cell: ({ row }) => row.original.row && formatNumber(row.original.row.depth),
  }),
  column.accessor((slot) => slot.row?.oldestPublishedAt, {
    id: 'age',
    meta: { label: 'Oldest', width: 92, rank: 1, align: 'end' },
    sortDescFirst: true,
    cell: ({ row }) => <Age at={row.original.row?.oldestPublishedAt ?? null} />,
  }),
  column.accessor((slot) => slot.row?.headState, {
    id: 'state',
    meta: { label: 'Head', width: 92, rank: 0 },
    enableSorting: false,
    cell: ({ row }) => row.original.row && <StateBadge state={row.original.row.headState} />,
  }),
  column.accessor((slot) => slot.row?.expiresAt, {
    id: 'expiry',
    meta: { label: 'Expires in', width: 96, rank: 2, align: 'end' },
    sortDescFirst: false,
    cell: ({ row }) => <Until at={row.original.row?.expiresAt ?? null} />,
  }),
  column.accessor((slot) => slot.row?.holder, {
    id: 'holder',
    meta: { label: 'Holder', width: 96, grow: 1, rank: 4 },
    enableSorting: false,
    cell: ({ row }) => <span title={row.original.row?.holder ?? undefined}>{row.original.row?.holder}</span>,
  }),
  column.accessor((slot) => slot.row?.attempts, {
    id: 'attempts',
    meta: { label: 'Attempts', width: 76, rank: 6, align: 'end' },
    enableSorting: false,
    cell: ({ row }) => row.original.row?.attempts,
  }),
  column.accessor((slot) => slot.row?.priority, {
    id: 'priority',
    meta: { label: 'Priority', width: 76, rank: 3, align: 'end' },
    sortDescFirst: true,
    cell: ({ row }) => row.original.row?.priority,
  }),
  column.accessor((slot) => slot.row?.routingKey, {
    id: 'routing',
    meta: { label: 'Routing key', width: 88, rank: 7 },
    enableSorting: false,
    cell: ({ row }) => (
      <span title={row.original.row?.routingKey ?? undefined}>{row.original.row?.routingKey}</span>
    ),
  }),
  column.accessor((slot) => slot.row?.lastClaimedAt, {
    id: 'claimed',
    meta: { label: 'Last claimed', width: 108, rank: 8, align: 'end' },
    sortDescFirst: false,
    cell: ({ row }) =>
      row.original.row && (
        <Age at={row.original.row.lastClaimedAt} none={<span className="no-value">never</span>} />
      ),
  }),
  column.accessor((slot) => slot.row?.lastError, {
    id: 'error',
    meta: { label: 'Last error', width: 120, grow: 1, rank: 5 },
    enableSorting: false,
    cell: ({ row }) => (
      <span className="error-text" title={row.original.row?.lastError ?? undefined}>
        {row.original.row?.lastError}
      </span>
    ),
  }),
]);
