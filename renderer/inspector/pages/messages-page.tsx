import { useCallback } from 'react';
import type { MessageRow } from '../../../core/contract/admin.ts';
import { openOf, textOf } from '../data/open-message.ts';
import { messageRows } from '../data/reads.ts';
import { MESSAGE_STATES, type MessagesRoute } from '../data/route.ts';
import { messagesQuery } from '../data/route-queries.ts';
import { useServices } from '../data/services.ts';
import { useList } from '../data/use-list.ts';
import { Detail } from '../detail/detail.tsx';
import { Grid } from '../grid/grid.tsx';
import { focusDetail, focusRows } from '../keyboard/focus.ts';
import { CloseButton } from '../ui/close-button.tsx';
import { formatGroup } from '../ui/format.ts';
import { ListBody, StatusLine } from './list-page.tsx';
import { MESSAGE_COLUMNS } from './messages-columns.tsx';
import { StateFilter, Toolbar } from './toolbar.tsx';

interface Props {
  readonly route: MessagesRoute;
  readonly onHelp: () => void;
}

export function MessagesPage({ route, onHelp }: Props) {
  const { bridge, router } = useServices();
  const handle = useList(messageRows(bridge, messagesQuery(route)));
  const open = useCallback(
    (row: MessageRow, by: 'key' | 'pointer') => {
      const current = router.route();
      if (current.page !== 'messages') return;
      const next = { ...current, open: openOf(row) };
      if (current.open === null) router.push(next);
      else router.replace(next);
      // The detail is rendered after this event.
      if (by === 'key') setTimeout(focusDetail);
    },
    [router],
  );
  const visit = (row: MessageRow) => {
    if (route.open !== null) router.replace({ ...route, open: openOf(row) });
  };
  const close = () => {
    router.push({ ...route, open: null });
    focusRows();
  };
  return (
    <>
      <Toolbar route={route} searchLabel="Search messages" searchHint="Search in groups and events">
        <StateFilter
          label="State"
          state={route.state}
          states={MESSAGE_STATES}
          onChange={(state) => router.push({ ...route, state })}
        />
        {route.group !== null && (
          <GroupFilter group={route.group} onClear={() => router.push({ ...route, group: null })} />
        )}
      </Toolbar>
      <div className="content" data-split={route.open !== null || undefined}>
        <section className="list" aria-label="Messages list">
          <ListBody route={route} handle={handle} noun="message" emptyState={<NoMessages />}>
            <Grid
              name="Messages"
              handle={handle}
              columns={MESSAGE_COLUMNS}
              rowKey={textOf}
              sort={route.sort}
              onSort={(sort) => router.push({ ...route, sort })}
              openKey={route.open === null ? null : textOf(route.open)}
              onOpen={open}
              onVisit={visit}
            />
          </ListBody>
        </section>
        {route.open !== null && <Detail message={route.open} onClose={close} />}
      </div>
      <StatusLine route={route} handle={handle} noun="message" onHelp={onHelp} />
    </>
  );
}

function GroupFilter({ group, onClear }: { readonly group: string; readonly onClear: () => void }) {
  return (
    <span className="chip">
      <span className="chip-label">Group</span>
      <span className="chip-value" title={group}>
        {formatGroup(group)}
      </span>
      <CloseButton label="Show all groups" onClick={onClear} />
    </span>
  );
}

function NoMessages() {
  return (
    <>
      <h2>No messages</h2>
      <p>All published messages are done. Publish a message from your app:</p>
      <pre>queue.publish('tenant-7', {'{ kind: "thumbnail", path: "…" }'})</pre>
    </>
  );
}
