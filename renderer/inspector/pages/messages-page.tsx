import { useCallback } from 'react';
import type { MessageRow } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { messagesQuery } from '../data/queries.ts';
import { MESSAGE_STATES, type MessagesRoute, type Sort } from '../data/route.ts';
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
  route,
  onHelp,
}: {
  readonly route: MessagesRoute;
  readonly onHelp: () => void;
}) {
  const { bridge, router } = useServices();
  const asked = messagesQuery(route);
  const query = JSON.stringify(asked);
  const { list, view } = useList<MessageRow>(keyOf, query, (offset, limit) =>
    answered(bridge.messages({ ...asked, offset, limit })),
  );

  const open = useCallback(
    (row: MessageRow, how: 'key' | 'pointer') => {
      const here = router.route();
      if (here.page !== 'messages') return;
      const next = { ...here, seq: row.seq };
      if (here.seq === null) router.push(next);
      else router.replace(next);
      // After the side has been drawn.
      if (how === 'key') setTimeout(() => document.getElementById('detail-title')?.focus());
    },
    [router],
  );
  const visit = (row: MessageRow) => {
    if (route.seq !== null) router.replace({ ...route, seq: row.seq });
  };
  const close = () => {
    router.push({ ...route, seq: null });
    focusRows();
  };

  return (
    <>
      <Toolbar route={route} searchLabel="Search messages" searchHint="Search in groups and events">
        <Pick
          label="State"
          value={route.state ?? ''}
          options={STATES}
          onPick={(state) => router.push({ ...route, state: state === '' ? null : state })}
        />
        {route.group !== null && (
          <span className="chip">
            <span className="chip-label">Group</span>
            <span className="chip-value" title={route.group}>
              {route.group === '' ? '(empty name)' : route.group}
            </span>
            <button
              type="button"
              className="icon-button"
              aria-label="Show all groups"
              onClick={() => router.push({ ...route, group: null })}
            >
              <CloseIcon />
            </button>
          </span>
        )}
      </Toolbar>
      <div className="work" data-split={route.seq !== null || undefined}>
        <section className="rows" aria-label="Messages list">
          {list !== null && view !== null && (
            <ListBody route={route} list={list} view={view} query={query} noun="message" teach={<Teach />}>
              <Grid
                name="Messages"
                list={list}
                view={view}
                columns={MESSAGE_COLUMNS}
                rowKey={keyOf}
                sort={route.sort}
                onSort={(sort: Sort) => router.push({ ...route, sort })}
                openKey={route.seq === null ? null : String(route.seq)}
                onOpen={open}
                onVisit={visit}
              />
            </ListBody>
          )}
        </section>
        {route.seq !== null && <Detail seq={route.seq} onClose={close} />}
      </div>
      <StatusLine route={route} list={list} view={view} noun="message" onHelp={onHelp} />
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
