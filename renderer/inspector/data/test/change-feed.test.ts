import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { focusManager, type QueryClient, QueryObserver } from '@tanstack/react-query';
import { ChangeFeed } from '../change-feed.ts';
import { createQueryClient } from '../reads.ts';
import { heldReads } from './held-reads.ts';

let client: QueryClient;

afterEach(() => {
  focusManager.setFocused(undefined);
  // The timers of cached data would keep the process alive.
  client.clear();
});

/** A change feed with one query on the page, whose reads the test answers. */
function start() {
  client = createQueryClient();
  const reads = heldReads<[], number>();
  let report = () => {};
  const feed = new ChangeFeed(client, {
    onChange(listener) {
      report = listener;
      return () => {};
    },
  });
  const observer = new QueryObserver(client, { queryKey: ['value'], queryFn: reads.read });
  observer.subscribe(() => {});
  return {
    client,
    feed,
    reads,
    observer,
    reportChange: () => report(),
    value: () => client.getQueryData(['value']),
  };
}

test('a change that the bridge reports is read', async () => {
  const { reads, reportChange, observer, value } = start();
  (await reads.next()).resolve(1);
  await observer.fetchOptimistic(observer.options);
  reportChange();
  const second = await reads.next();
  assert.equal(value(), 1);
  second.resolve(2);
  await observer.getCurrentQuery().promise;
  assert.equal(value(), 2);
});

test('any number of changes during a read cause one more read after it', async () => {
  const { reads, feed, value } = start();
  const first = await reads.next();
  const refreshes = [feed.requestRefresh(), feed.requestRefresh(), feed.requestRefresh()];
  assert.equal(reads.pending(), 0);
  first.resolve(1);
  const second = await reads.next();
  assert.equal(value(), 1);
  second.resolve(2);
  await Promise.all(refreshes);
  assert.equal(value(), 2);
  assert.equal(reads.pending(), 0);
  assert.equal(reads.maxInFlight(), 1);
});

test('a read that takes longer than the time between two changes is not cancelled', async () => {
  const { reads, feed, value } = start();
  (await reads.next()).resolve(1);
  void feed.requestRefresh();
  const slow = await reads.next();
  const refreshed = feed.requestRefresh();
  slow.resolve(2);
  const next = await reads.next();
  assert.equal(value(), 2);
  next.resolve(3);
  await refreshed;
  assert.equal(value(), 3);
});

test('a refresh resolves when a read fails, and the next refresh reads again', async () => {
  const { reads, feed, value } = start();
  const failing = feed.requestRefresh();
  (await reads.next()).reject(new Error('The file is busy.'));
  (await reads.next()).reject(new Error('The file is busy.'));
  await failing;
  assert.equal(client.getQueryState(['value'])?.error?.message, 'The file is busy.');
  const refreshed = feed.requestRefresh();
  (await reads.next()).resolve(1);
  await refreshed;
  assert.equal(value(), 1);
});

test('a hidden page reads nothing until it is visible again', async () => {
  const { reads, feed, observer, value } = start();
  (await reads.next()).resolve(1);
  await observer.getCurrentQuery().promise;
  focusManager.setFocused(false);
  await feed.requestRefresh();
  assert.equal(reads.pending(), 0);
  focusManager.setFocused(true);
  (await reads.next()).resolve(2);
  await observer.getCurrentQuery().promise;
  assert.equal(value(), 2);
});

test('a change during a read, while the page is hidden, is read when the page is visible again', async () => {
  const { reads, feed, observer, value } = start();
  const before = await reads.next();
  focusManager.setFocused(false);
  await feed.requestRefresh();
  before.resolve(1);
  await observer.getCurrentQuery().promise;
  focusManager.setFocused(true);
  assert.equal(reads.pending(), 1);
  (await reads.next()).resolve(2);
  await observer.getCurrentQuery().promise;
  assert.equal(value(), 2);
});

test('cached data that is not on the page is dropped, since it is out of date', async () => {
  const { reads, feed, observer } = start();
  (await reads.next()).resolve(1);
  await observer.getCurrentQuery().promise;
  client.setQueryData(['elsewhere'], 1);
  const refreshed = feed.requestRefresh();
  (await reads.next()).resolve(2);
  await refreshed;
  assert.equal(client.getQueryData(['elsewhere']), undefined);
});

test('data that never changes is read once', async () => {
  const { reads, feed } = start();
  const info = heldReads<[], string>();
  const observer = new QueryObserver(client, { queryKey: ['info'], queryFn: info.read, staleTime: 'static' });
  observer.subscribe(() => {});
  (await info.next()).resolve('title');
  (await reads.next()).resolve(1);
  await observer.getCurrentQuery().promise;
  const refreshed = feed.requestRefresh();
  (await reads.next()).resolve(2);
  await refreshed;
  assert.equal(info.pending(), 0);
  assert.equal(client.getQueryData(['info']), 'title');
});
