import type { GroupRow } from '../../../core/contract/admin.ts';
import { groupRows } from '../data/reads.ts';
import { GROUP_STATES, type GroupsRoute, MESSAGES_ROUTE } from '../data/route.ts';
import { groupsQuery } from '../data/route-queries.ts';
import { useServices } from '../data/services.ts';
import { useList } from '../data/use-list.ts';
import { Grid } from '../grid/grid.tsx';
import { focusRows } from '../keyboard/focus.ts';
import { GROUP_COLUMNS } from './groups-columns.tsx';
import { ListBody, StatusLine } from './list-page.tsx';
import { FilterSelect, StateFilter, Toolbar } from './toolbar.tsx';

const rowKey = (row: GroupRow) => row.groupId;
const PRIORITIES = [
  [0, 'Any'],
  [1, '1 and up'],
  [2, '2 and up'],
  [3, '3 and up'],
  [4, '4'],
] as const;

interface Props {
  readonly route: GroupsRoute;
  readonly onHelp: () => void;
}

export function GroupsPage({ route, onHelp }: Props) {
  const { bridge, router } = useServices();
  const handle = useList(groupRows(bridge, groupsQuery(route)));
  const open = (row: GroupRow) => {
    router.push({ ...MESSAGES_ROUTE, group: row.groupId });
    focusRows();
  };
  return (
    <>
      <Toolbar route={route} searchLabel="Search groups" searchHint="Search in group names">
        <StateFilter
          label="Head"
          state={route.state}
          states={GROUP_STATES}
          onChange={(state) => router.push({ ...route, state })}
        />
        <FilterSelect
          label="Priority"
          value={route.minPriority}
          options={PRIORITIES}
          onChange={(minPriority) => router.push({ ...route, minPriority })}
        />
      </Toolbar>
      <div className="content">
        <section className="list" aria-label="Groups list">
          <ListBody route={route} handle={handle} noun="group" emptyState={<NoGroups />}>
            <Grid
              name="Groups"
              handle={handle}
              columns={GROUP_COLUMNS}
              rowKey={rowKey}
              sort={route.sort}
              onSort={(sort) => router.push({ ...route, sort })}
              openKey={null}
              onOpen={open}
            />
          </ListBody>
        </section>
      </div>
      <StatusLine route={route} handle={handle} noun="group" onHelp={onHelp} />
    </>
  );
}

function NoGroups() {
  return (
    <>
      <h2>No groups</h2>
      <p>A group exists while it contains messages. Publish a message from your app:</p>
      <pre>queue.publish('tenant-7', {'{ kind: "thumbnail", path: "…" }'})</pre>
    </>
  );
}
