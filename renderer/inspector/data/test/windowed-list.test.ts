import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { QueryClient } from '@tanstack/react-query';
import type { Page } from '../../../../core/contract/admin.ts';
import { ReadError } from '../bridge.ts';
import { ChangeFeed } from '../change-feed.ts';
import { createQueryClient } from '../reads.ts';
import { RefreshPauser } from '../refresh-pauser.ts';
import { type ListView, type RowSource, WINDOW_ROWS, WindowedList } from '../windowed-list.ts';
import { heldReads } from './held-reads.ts';

interface Row {
  readonly id: number;
  readonly text: string;
}

interface Table {
  total: number;
  /** The id of the first row: it grows when rows are removed at the top. */
  firstId: number;
  text: string;
  isBroken: boolean;
  readonly offsets: number[];
}

const table = (total: number): Table => ({ total, firstId: 0, text: 'a', isBroken: false, offsets: [] });

function rowsOf({ total, firstId, text }: Table, offset: number, limit: number): Page<Row> {
  const length = Math.max(0, Math.min(limit, total - offset));
  const rows = Array.from({ length }, (_, at) => ({ id: firstId + offset + at, text }));
  return { now: 0, rows, total };
}

/** A source that answers at once. */
const sourceOf = (name: string, from: Table): RowSource<Row> => ({
  key: ['rows', name],
  read: async (offset, limit) => {
    from.offsets.push(offset);
    if (from.isBroken) throw new ReadError({ code: 'BUSY', message: 'The file is busy.' });
    return rowsOf(from, offset, limit);
  },
});

const clients: QueryClient[] = [];

// The timers of cached data would keep the process alive.
afterEach(() => {
  for (const client of clients.splice(0)) client.clear();
});

function startClient(): QueryClient {
  const client = createQueryClient();
  clients.push(client);
  return client;
}

function open(source: RowSource<Row>) {
  const client = startClient();
  const pauser = new RefreshPauser();
  const list = new WindowedList<Row>(client, pauser, source);
  list.subscribe(() => {});
  const feed = new ChangeFeed(client, { onChange: () => () => {} });
  return { list, pauser, refresh: () => feed.requestRefresh() };
}

/** Resolves when the view has this property. */
function viewThat(list: WindowedList<Row>, is: (view: ListView<Row>) => boolean): Promise<ListView<Row>> {
  if (is(list.view())) return Promise.resolve(list.view());
  return new Promise((resolve) => {
    const unsubscribe = list.subscribe(() => {
      if (!is(list.view())) return;
      unsubscribe();
      resolve(list.view());
    });
  });
}

const isShown = (view: ListView<Row>) => !view.isPlaceholder;
const hasRow = (index: number) => (view: ListView<Row>) => view.rowAt(index) !== undefined;

test('only a window around the visible rows is read, and rows inside the window are not read again', async () => {
  const all = table(1_000_000);
  const { list } = open(sourceOf('all', all));
  await viewThat(list, isShown);
  list.setVisible(0, 40);
  list.setVisible(500_000, 500_040);
  const view = await viewThat(list, hasRow(500_000));
  list.setVisible(500_010, 500_050);
  assert.equal(view.total, 1_000_000);
  assert.equal(view.rowAt(500_040)?.id, 500_040);
  assert.equal(view.rowAt(700_000), undefined);
  assert.equal(all.offsets.length, 2);
});

test('a fast scroll has one read in flight, and does not read the windows that it only passes', async () => {
  const all = table(100_000);
  const reads = heldReads<[offset: number, limit: number], Page<Row>>();
  const answer = async () => {
    const { args, resolve } = await reads.next();
    resolve(rowsOf(all, ...args));
    return args;
  };
  const { list } = open({ key: ['rows'], read: reads.read });
  assert.deepEqual(await answer(), [0, WINDOW_ROWS]);
  await viewThat(list, isShown);

  for (let first = 1000; first <= 90_000; first += 1000) list.setVisible(first, first + 30);
  await answer();
  const view = await viewThat(list, hasRow(90_000));
  assert.equal(view.rowAt(90_030)?.id, 90_030);

  list.setVisible(1000, 1030);
  const passed = await reads.next();
  for (let first = 2000; first <= 80_000; first += 1000) list.setVisible(first, first + 30);
  passed.resolve(rowsOf(all, ...passed.args));
  await answer();
  await viewThat(list, hasRow(80_000));
  assert.equal(reads.pending(), 0);
  assert.equal(reads.maxInFlight(), 1);
});

test('scrolling back to a window that was read shows its rows without a read', async () => {
  const all = table(10_000);
  const { list } = open(sourceOf('all', all));
  await viewThat(list, isShown);
  list.setVisible(5000, 5030);
  await viewThat(list, hasRow(5000));
  list.setVisible(0, 30);
  assert.equal(list.view().rowAt(0)?.id, 0);
  assert.equal(all.offsets.length, 2);
});

test('the rows of the previous source stay as placeholders until the rows of the new source arrive', async () => {
  const { list } = open(sourceOf('all', table(10)));
  const { source } = await viewThat(list, isShown);
  const reads = heldReads<[offset: number, limit: number], Page<Row>>();
  list.setSource({ key: ['rows', 'few'], read: reads.read });
  const { resolve } = await reads.next();
  assert.equal(list.view().isPlaceholder, true);
  assert.equal(list.view().source, source);
  assert.equal(list.view().total, 10);
  resolve(rowsOf(table(3), 0, WINDOW_ROWS));
  const view = await viewThat(list, isShown);
  assert.notEqual(view.source, source);
  assert.equal(view.total, 3);
});

test('a return to the source on screen, before another one has arrived, keeps the visible rows', async () => {
  const all = table(10_000);
  const { list, refresh } = open(sourceOf('all', all));
  await viewThat(list, isShown);
  list.setVisible(5000, 5030);
  await viewThat(list, hasRow(5000));
  const reads = heldReads<[offset: number, limit: number], Page<Row>>();
  list.setSource({ key: ['rows', 'few'], read: reads.read });
  const few = await reads.next();
  list.setSource(sourceOf('all', all));
  few.resolve(rowsOf(table(3), 0, WINDOW_ROWS));
  await refresh();
  assert.equal(list.view().isPlaceholder, false);
  assert.equal(list.view().rowAt(5000)?.id, 5000);
});

test('a late answer of a replaced source is not shown, and the read of the new source waits for it', async () => {
  const reads = heldReads<[offset: number, limit: number], Page<Row>>();
  const { list } = open({ key: ['rows', 'slow'], read: reads.read });
  const slow = await reads.next();
  list.setSource({ key: ['rows', 'new'], read: reads.read });
  assert.equal(reads.pending(), 0);
  slow.resolve(rowsOf(table(10), 0, WINDOW_ROWS));
  const current = await reads.next();
  assert.equal(list.view().source, null);
  current.resolve(rowsOf(table(3), 0, WINDOW_ROWS));
  assert.equal((await viewThat(list, isShown)).total, 3);
  assert.equal(reads.maxInFlight(), 1);
});

test('a refresh replaces the rows, and rows that have not changed keep their identity', async () => {
  const all = table(10);
  const { list, refresh } = open(sourceOf('all', all));
  const before = (await viewThat(list, isShown)).rowAt(4);
  all.total = 11;
  await refresh();
  const view = await viewThat(list, ({ total }) => total === 11);
  assert.equal(view.rowAt(4), before);
});

test('a change waits until the pause ends', async () => {
  const all = table(10);
  const { list, pauser, refresh } = open(sourceOf('all', all));
  await viewThat(list, isShown);
  list.setVisible(0, 9);
  const resume = pauser.pause();
  all.firstId = 5;
  await refresh();
  const paused = await viewThat(list, (view) => view.hasChangesWaiting);
  assert.equal(paused.rowAt(0)?.id, 0);
  resume();
  assert.equal(list.view().hasChangesWaiting, false);
  assert.equal(list.view().rowAt(0)?.id, 5);
});

test('showChanges shows the changes during a pause', async () => {
  const all = table(1000);
  const { list, pauser, refresh } = open(sourceOf('all', all));
  await viewThat(list, isShown);
  list.setVisible(0, 30);
  pauser.pause();
  all.text = 'b';
  await refresh();
  await viewThat(list, (view) => view.hasChangesWaiting);
  list.showChanges();
  assert.equal(list.view().hasChangesWaiting, false);
  assert.equal(list.view().rowAt(0)?.text, 'b');
});

test('a change of rows that are not visible does not wait', async () => {
  const reads = heldReads<[offset: number, limit: number], Page<Row>>();
  const { list, pauser, refresh } = open({ key: ['rows'], read: reads.read });
  const page = rowsOf(table(100), 0, WINDOW_ROWS);
  (await reads.next()).resolve(page);
  await viewThat(list, isShown);
  list.setVisible(0, 30);
  pauser.pause();
  const refreshed = refresh();
  const rows = page.rows.map((row) => (row.id === 90 ? { ...row, text: 'b' } : row));
  (await reads.next()).resolve({ ...page, rows });
  await refreshed;
  const view = await viewThat(list, ({ rowAt }) => rowAt(90)?.text === 'b');
  assert.equal(view.hasChangesWaiting, false);
});

test('rows that scroll into view during a pause are shown, although the list has changed', async () => {
  const all = table(10_000);
  const { list, pauser } = open(sourceOf('all', all));
  await viewThat(list, isShown);
  list.setVisible(0, 30);
  pauser.pause();
  all.total = 9000;
  list.setVisible(5000, 5030);
  const view = await viewThat(list, hasRow(5000));
  assert.equal(view.hasChangesWaiting, false);
  assert.equal(view.total, 9000);
});

test('after a failed refresh the rows stay, and the next successful refresh clears the error', async () => {
  const all = table(10);
  const { list, refresh } = open(sourceOf('all', all));
  await viewThat(list, isShown);
  all.isBroken = true;
  await refresh();
  const failed = await viewThat(list, ({ error }) => error !== null);
  assert.equal(failed.error?.code, 'BUSY');
  assert.equal(failed.rowAt(0)?.id, 0);
  all.isBroken = false;
  await refresh();
  assert.equal((await viewThat(list, ({ error }) => error === null)).rowAt(0)?.id, 0);
});

test('a source whose first read failed is shown when a refresh succeeds, also during a pause', async () => {
  const broken = table(10);
  broken.isBroken = true;
  const { list, pauser, refresh } = open(sourceOf('all', table(3)));
  await viewThat(list, isShown);
  list.setSource(sourceOf('broken', broken));
  const failed = await viewThat(list, ({ error }) => error !== null);
  assert.equal(failed.isPlaceholder, true);
  assert.equal(failed.total, 3);
  broken.isBroken = false;
  pauser.pause();
  await refresh();
  assert.equal((await viewThat(list, isShown)).total, 10);
});

test('a source whose first read failed shows its error until it has been read again', async () => {
  const reads = heldReads<[offset: number, limit: number], Page<Row>>();
  const { list, refresh } = open({ key: ['rows'], read: reads.read });
  (await reads.next()).reject(new ReadError({ code: 'BUSY', message: 'The file is busy.' }));
  await viewThat(list, ({ error }) => error !== null);
  const refreshed = refresh();
  const again = await reads.next();
  assert.equal(list.view().error?.code, 'BUSY');
  again.resolve(rowsOf(table(10), 0, WINDOW_ROWS));
  await refreshed;
  assert.equal((await viewThat(list, isShown)).error, null);
});

test('the end of a list that has shrunk below the visible rows is read', async () => {
  const all = table(10_000);
  const { list, refresh } = open(sourceOf('all', all));
  await viewThat(list, isShown);
  list.setVisible(9900, 9999);
  await viewThat(list, hasRow(9999));
  all.total = 300;
  await refresh();
  await viewThat(list, ({ total }) => total === 300);
  list.setVisible(270, 299);
  const view = await viewThat(list, hasRow(299));
  assert.equal(view.rowAt(299)?.id, 299);
});

test('a list without subscribers reads nothing, and shows changes after it is subscribed again', async () => {
  const all = table(10);
  const client = startClient();
  const feed = new ChangeFeed(client, { onChange: () => () => {} });
  const list = new WindowedList<Row>(client, new RefreshPauser(), sourceOf('all', all));
  const unsubscribe = list.subscribe(() => {});
  await viewThat(list, isShown);
  unsubscribe();
  all.total = 11;
  await feed.requestRefresh();
  assert.equal(all.offsets.length, 1);
  list.subscribe(() => {});
  assert.equal((await viewThat(list, ({ total }) => total === 11)).rowAt(10)?.id, 10);
});
