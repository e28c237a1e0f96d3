import type { GroupRow } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { groupsQuery } from '../data/queries.ts';
import { GROUP_STATES, type GroupsPlace, MESSAGES, type Sort } from '../data/route.ts';
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

export function GroupsPage({ place, onHelp }: { readonly place: GroupsPlace; readonly onHelp: () => void }) {
  const { bridge, address } = useServices();
  const asked = groupsQuery(place);
  const query = JSON.stringify(asked);
  const { list, view } = useList<GroupRow>(keyOf, query, (offset, limit) =>
    answered(bridge.groups({ ...asked, offset, limit })),
  );

  const open = (row: GroupRow) => {
    address.go({ ...MESSAGES, group: row.groupId });
    focusRows();
  };

  return (
    <>
      <Toolbar place={place} searchLabel="Search groups" searchHint="Search in group names">
        <Pick
          label="Head"
          value={place.state ?? ''}
          options={STATES}
          onPick={(state) => address.go({ ...place, state: state === '' ? null : state })}
        />
        <Pick
          label="Priority"
          value={place.minPriority}
          options={PRIORITIES}
          onPick={(minPriority) => address.go({ ...place, minPriority })}
        />
      </Toolbar>
      <div className="work">
        <section className="rows" aria-label="Groups list">
          {list !== null && view !== null && (
            <ListBody place={place} list={list} view={view} query={query} noun="group" teach={<Teach />}>
              <Grid
                name="Groups"
                list={list}
                view={view}
                columns={GROUP_COLUMNS}
                rowKey={keyOf}
                sort={place.sort}
                onSort={(sort: Sort) => address.go({ ...place, sort })}
                openKey={null}
                onOpen={open}
              />
            </ListBody>
          )}
        </section>
      </div>
      <StatusLine place={place} list={list} view={view} noun="group" onHelp={onHelp} />
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
