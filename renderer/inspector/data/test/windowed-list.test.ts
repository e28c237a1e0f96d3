import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Page } from '../../../../core/contract/admin.ts';
import { RefreshPauser } from '../refresh-pauser.ts';
import { PAGE_ROWS, WindowedList } from '../windowed-list.ts';

interface Row {
  readonly id: number;
  readonly text: string;
}

const settled = async () => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

/** A source of `total` rows that can change, and that notes what it was asked. */
function source(total: number) {
  const state = { total, text: 'a', first: 0, asked: [] as number[], broken: false };
  const fetch = async (offset: number, limit: number): Promise<Answer<Page<Row>>> => {
    state.asked.push(offset);
    if (state.broken) return { ok: false, error: { code: 'BUSY', message: 'The file is busy.' } };
    const rows: Row[] = [];
    for (let i = offset; i < Math.min(offset + limit, state.total); i++) {
      rows.push({ id: i + state.first, text: state.text });
    }
    return { ok: true, value: { now: 0, rows, total: state.total } };
  };
  return { state, fetch };
}

function listOf(pauser = new RefreshPauser()) {
  const list = new WindowedList<Row>(pauser, (row) => String(row.id));
  return { list, pauser };
}

test('only the pages that are seen are asked for, each once', async () => {
  const { state, fetch } = source(1_000_000);
  const { list } = listOf();
  list.ask('all', fetch);
  await settled();
  assert.equal(list.view().total, 1_000_000);
  list.see(0, 40);
  list.see(500_000, 500_040);
  await settled();
  list.see(500_010, 500_050);
  await settled();
  assert.deepEqual(state.asked, [0, 500_000]);
  assert.equal(list.view().rows(500_007)?.id, 500_007);
  assert.equal(list.view().rows(700_000), undefined);
});

test('a fast scroll loads where it stops, not every page that it passed', async () => {
  const { state, fetch } = source(100_000);
  const { list } = listOf();
  list.ask('all', fetch);
  await settled();
  for (let first = 0; first <= 90_000; first += 1000) list.see(first, first + 30);
  await settled();
  assert.ok(state.asked.length <= 4, `asked for ${state.asked.length} pages`);
  assert.equal(list.view().rows(90_010)?.id, 90_010);
});

test('pages far from the view are given up', async () => {
  const { fetch } = source(100_000);
  const { list } = listOf();
  list.ask('all', fetch);
  await settled();
  for (let page = 0; page < 100; page++) {
    list.see(page * PAGE_ROWS, page * PAGE_ROWS + 30);
    await settled();
  }
  assert.equal(list.view().rows(0), undefined);
  assert.equal(list.view().rows(99 * PAGE_ROWS)?.id, 99 * PAGE_ROWS);
});

test('a new query keeps the old rows until the new ones are there', async () => {
  const { list } = listOf();
  list.ask('all', source(10).fetch);
  await settled();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = source(3);
  list.ask('few', async (offset, limit) => {
    await promise;
    return slow.fetch(offset, limit);
  });
  assert.equal(list.view().turning, true);
  assert.equal(list.view().query, 'all');
  assert.equal(list.view().total, 10);
  resolve();
  await settled();
  assert.equal(list.view().turning, false);
  assert.equal(list.view().query, 'few');
  assert.equal(list.view().total, 3);
});

test('the answer to a query that was replaced meanwhile is dropped', async () => {
  const { list } = listOf();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = source(10);
  list.ask('slow', async (offset, limit) => {
    await promise;
    return slow.fetch(offset, limit);
  });
  list.ask('quick', source(3).fetch);
  await settled();
  resolve();
  await settled();
  assert.equal(list.view().query, 'quick');
  assert.equal(list.view().total, 3);
});

test('a refresh shows at once when nothing is held, and rows that did not change stay the same objects', async () => {
  const { state, fetch } = source(10);
  const { list } = listOf();
  list.ask('all', fetch);
  await settled();
  const before = list.view().rows(4);
  state.total = 11;
  await list.refresh();
  assert.equal(list.view().total, 11);
  assert.equal(list.view().rows(4), before);
});

test('while held, a change waits until it is let go', async () => {
  const { state, fetch } = source(10);
  const { list, pauser } = listOf();
  list.ask('all', fetch);
  await settled();
  list.see(0, 9);
  const close = pauser.pause();
  state.first = 5;
  await list.refresh();
  assert.equal(list.view().waiting, true);
  assert.equal(list.view().rows(0)?.id, 0);
  close();
  assert.equal(list.view().waiting, false);
  assert.equal(list.view().rows(0)?.id, 5);
});

test('while held, a change can be shown on request, and one that is not seen does not ask', async () => {
  const { state, fetch } = source(1000);
  const { list, pauser } = listOf();
  list.ask('all', fetch);
  await settled();
  list.see(0, 30);
  pauser.pause();
  await list.refresh();
  assert.equal(list.view().waiting, false);
  state.text = 'b';
  await list.refresh();
  assert.equal(list.view().waiting, true);
  list.show();
  assert.equal(list.view().waiting, false);
  assert.equal(list.view().rows(0)?.text, 'b');
});

test('a failure is told, the rows stay, and the next good answer clears it', async () => {
  const { state, fetch } = source(10);
  const { list } = listOf();
  list.ask('all', fetch);
  await settled();
  state.broken = true;
  await list.refresh();
  assert.equal(list.view().problem?.code, 'BUSY');
  assert.equal(list.view().rows(0)?.id, 0);
  state.broken = false;
  await list.refresh();
  assert.equal(list.view().problem, null);
});

test('a query that failed at first is shown when it succeeds, held or not', async () => {
  const { state, fetch } = source(10);
  const { list, pauser } = listOf();
  list.ask('all', source(3).fetch);
  await settled();
  state.broken = true;
  list.ask('broken', fetch);
  await settled();
  assert.equal(list.view().query, 'all');
  assert.equal(list.view().problem?.code, 'BUSY');
  state.broken = false;
  pauser.pause();
  await list.refresh();
  assert.equal(list.view().query, 'broken');
  assert.equal(list.view().total, 10);
});

test('a list that shrank below the view is asked for its end', async () => {
  const { state, fetch } = source(10_000);
  const { list } = listOf();
  list.ask('all', fetch);
  await settled();
  list.see(9_900, 9_999);
  await settled();
  state.total = 300;
  await list.refresh();
  list.see(270, 299);
  await settled();
  assert.equal(list.view().total, 300);
  assert.equal(list.view().rows(299)?.id, 299);
});
