import { useCallback } from 'react';
import type { MessageRow } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { messagesQuery } from '../data/queries.ts';
import { MESSAGE_STATES, type MessagesPlace, type Sort } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { useList } from '../data/use-list.ts';
import { Detail } from '../detail/detail.tsx';
import { Grid } from '../grid/grid.tsx';
import { focusRows } from '../keyboard/focus.ts';
import { STATE_NAMES } from '../ui/badge.tsx';
import { CloseIcon } from '../ui/icons.tsx';
import { ListBody, StatusLine } from './list-page.tsx';
import { MESSAGE_COLUMNS } from './messages-columns.tsx';
import { Pick, Toolbar } from './toolbar.tsx';

const keyOf = (row: MessageRow) => String(row.seq);
const STATES = [
  ['', 'All states'] as const,
  ...MESSAGE_STATES.map((state) => [state, STATE_NAMES[state]] as const),
];

export function MessagesPage({
  place,
  onHelp,
}: {
  readonly place: MessagesPlace;
  readonly onHelp: () => void;
}) {
  const { bridge, address } = useServices();
  const asked = messagesQuery(place);
  const query = JSON.stringify(asked);
  const { list, view } = useList<MessageRow>(keyOf, query, (offset, limit) =>
    answered(bridge.messages({ ...asked, offset, limit })),
  );

  const open = useCallback(
    (row: MessageRow, how: 'key' | 'pointer') => {
      const here = address.place();
      if (here.page !== 'messages') return;
      const next = { ...here, seq: row.seq };
      if (here.seq === null) address.go(next);
      else address.adjust(next);
      // After the side has been drawn.
      if (how === 'key') setTimeout(() => document.getElementById('detail-title')?.focus());
    },
    [address],
  );
  const visit = (row: MessageRow) => {
    if (place.seq !== null) address.adjust({ ...place, seq: row.seq });
  };
  const close = () => {
    address.go({ ...place, seq: null });
    focusRows();
  };

  return (
    <>
      <Toolbar place={place} searchLabel="Search messages" searchHint="Search in groups and events">
        <Pick
          label="State"
          value={place.state ?? ''}
          options={STATES}
          onPick={(state) => address.go({ ...place, state: state === '' ? null : state })}
        />
        {place.group !== null && (
          <span className="chip">
            <span className="chip-label">Group</span>
            <span className="chip-value" title={place.group}>
              {place.group === '' ? '(empty name)' : place.group}
            </span>
            <button
              type="button"
              className="icon-button"
              aria-label="Show all groups"
              onClick={() => address.go({ ...place, group: null })}
            >
              <CloseIcon />
            </button>
          </span>
        )}
      </Toolbar>
      <div className="work" data-split={place.seq !== null || undefined}>
        <section className="rows" aria-label="Messages list">
          {list !== null && view !== null && (
            <ListBody place={place} list={list} view={view} query={query} noun="message" teach={<Teach />}>
              <Grid
                name="Messages"
                list={list}
                view={view}
                columns={MESSAGE_COLUMNS}
                rowKey={keyOf}
                sort={place.sort}
                onSort={(sort: Sort) => address.go({ ...place, sort })}
                openKey={place.seq === null ? null : String(place.seq)}
                onOpen={open}
                onVisit={visit}
              />
            </ListBody>
          )}
        </section>
        {place.seq !== null && <Detail seq={place.seq} onClose={close} />}
      </div>
      <StatusLine place={place} list={list} view={view} noun="message" onHelp={onHelp} />
    </>
  );
}

function Teach() {
  return (
    <>
      <h2>No messages</h2>
      <p>Everything that was published is done. Publish a message from your app:</p>
      <pre>queue.publish('tenant-7', {'{ kind: "thumbnail", path: "…" }'})</pre>
    </>
  );
}
