import type { GroupRow } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { groupsQuery } from '../data/queries.ts';
import { GROUP_STATES, type GroupsRoute, MESSAGES_ROUTE, type Sort } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { useList } from '../data/use-list.ts';
import { Grid } from '../grid/grid.tsx';
import { focusRows } from '../keyboard/focus.ts';
import { STATE_NAMES } from '../ui/badge.tsx';
import { GROUP_COLUMNS } from './groups-columns.tsx';
import { ListBody, StatusLine } from './list-page.tsx';
import { Pick, Toolbar } from './toolbar.tsx';

const keyOf = (row: GroupRow) => row.groupId;
const STATES = [
  ['', 'All states'] as const,
  ...GROUP_STATES.map((state) => [state, STATE_NAMES[state]] as const),
];
const PRIORITIES = [
  [0, 'Any'],
  [1, '1 and up'],
  [2, '2 and up'],
  [3, '3 and up'],
  [4, '4'],
] as const;

export function GroupsPage({ route, onHelp }: { readonly route: GroupsRoute; readonly onHelp: () => void }) {
  const { bridge, router } = useServices();
  const asked = groupsQuery(route);
  const query = JSON.stringify(asked);
  const { list, view } = useList<GroupRow>(keyOf, query, (offset, limit) =>
    answered(bridge.groups({ ...asked, offset, limit })),
  );

  const open = (row: GroupRow) => {
    router.push({ ...MESSAGES_ROUTE, group: row.groupId });
    focusRows();
  };

  return (
    <>
      <Toolbar route={route} searchLabel="Search groups" searchHint="Search in group names">
        <Pick
          label="Head"
          value={route.state ?? ''}
          options={STATES}
          onPick={(state) => router.push({ ...route, state: state === '' ? null : state })}
        />
        <Pick
          label="Priority"
          value={route.minPriority}
          options={PRIORITIES}
          onPick={(minPriority) => router.push({ ...route, minPriority })}
        />
      </Toolbar>
      <div className="work">
        <section className="rows" aria-label="Groups list">
          {list !== null && view !== null && (
            <ListBody route={route} list={list} view={view} query={query} noun="group" teach={<Teach />}>
              <Grid
                name="Groups"
                list={list}
                view={view}
                columns={GROUP_COLUMNS}
                rowKey={keyOf}
                sort={route.sort}
                onSort={(sort: Sort) => router.push({ ...route, sort })}
                openKey={null}
                onOpen={open}
              />
            </ListBody>
          )}
        </section>
      </div>
      <StatusLine route={route} list={list} view={view} noun="group" onHelp={onHelp} />
    </>
  );
}

function Teach() {
  return (
    <>
      <h2>No groups</h2>
      <p>A group appears with its first message and goes with its last. Publish one from your app:</p>
      <pre>queue.publish('tenant-7', {'{ kind: "thumbnail", path: "…" }'})</pre>
    </>
  );
}
