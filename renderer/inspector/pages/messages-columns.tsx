import type { MessageRow } from '../../../core/contract/admin.ts';
import { LongName } from '../grid/long-name.tsx';
import { type Columns, columnHelper } from '../grid/table.ts';
import { StateBadge } from '../ui/state-badge.tsx';
import { Age, Until } from '../ui/time.tsx';

const column = columnHelper<MessageRow>();

/** The ids of sortable columns appear in the URL (see route.ts). */
export const MESSAGE_COLUMNS: Columns<MessageRow> = column.columns([
  column.accessor((slot) => slot.row?.seq, {
    id: 'seq',
    meta: { label: 'Seq', width: 84, rank: 0, align: 'end' },
    sortDescFirst: false,
    cell: ({ row }) => row.original.row?.seq,
  }),
  column.accessor((slot) => slot.row?.state, {
    id: 'state',
    meta: { label: 'State', width: 92, rank: 0 },
    enableSorting: false,
    cell: ({ row }) => row.original.row && <StateBadge state={row.original.row.state} />,
  }),
  column.accessor((slot) => slot.row?.groupId, {
    id: 'group',
    meta: { label: 'Group', width: 130, grow: 2, rank: 0 },
    sortDescFirst: false,
    cell: ({ row }) => <LongName name={row.original.row?.groupId} />,
  }),
  column.accessor((slot) => slot.row?.attempts, {
    id: 'attempts',
    meta: { label: 'Attempts', width: 84, rank: 4, align: 'end' },
    sortDescFirst: true,
    cell: ({ row }) => row.original.row?.attempts,
  }),
  column.accessor((slot) => slot.row?.publishedAt, {
    id: 'age',
    meta: { label: 'Age', width: 92, rank: 1, align: 'end' },
    sortDescFirst: true,
    cell: ({ row }) => <Age at={row.original.row?.publishedAt ?? null} />,
  }),
  column.accessor((slot) => slot.row?.holder, {
    id: 'holder',
    meta: { label: 'Holder', width: 110, grow: 1, rank: 5 },
    enableSorting: false,
    cell: ({ row }) => <span title={row.original.row?.holder ?? undefined}>{row.original.row?.holder}</span>,
  }),
  column.accessor((slot) => slot.row?.expiresAt, {
    id: 'expiry',
    meta: { label: 'Expires in', width: 96, rank: 3, align: 'end' },
    enableSorting: false,
    cell: ({ row }) => <Until at={row.original.row?.expiresAt ?? null} />,
  }),
  column.accessor((slot) => slot.row?.preview, {
    id: 'preview',
    meta: { label: 'Event', width: 160, grow: 5, rank: 2 },
    enableSorting: false,
    cell: ({ row }) => <code className="preview">{row.original.row?.preview}</code>,
  }),
  column.accessor((slot) => slot.row?.lastError, {
    id: 'error',
    meta: { label: 'Last error', width: 140, grow: 3, rank: 6 },
    enableSorting: false,
    cell: ({ row }) => (
      <span className="error-text" title={row.original.row?.lastError ?? undefined}>
        {row.original.row?.lastError}
      </span>
    ),
  }),
]);
