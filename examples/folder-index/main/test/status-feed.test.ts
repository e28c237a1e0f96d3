import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import type { FolderIndexStatus } from '../../shared/bridge.ts';
import { StatusFeed } from '../status-feed.ts';

let indexed: number;
let reads: number;
const errors: unknown[] = [];
const read = async () => {
  reads++;
  return { indexed } as FolderIndexStatus;
};

beforeEach(() => {
  indexed = 0;
  reads = 0;
  errors.length = 0;
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
});

test('many changes within 250 ms cause one read of the status', async () => {
  const feed = new StatusFeed(read, (error) => errors.push(error));
  const { promise, resolve } = Promise.withResolvers<FolderIndexStatus>();
  feed.on(resolve);
  for (let i = 0; i < 10; i++) {
    indexed++;
    feed.changed();
  }
  mock.timers.tick(250);
  assert.equal((await promise).indexed, 10);
  assert.equal(reads, 1);
});

test('the status is not read while nobody listens', () => {
  const feed = new StatusFeed(read, (error) => errors.push(error));
  const off = feed.on(() => {});
  off();
  feed.changed();
  mock.timers.tick(250);
  assert.equal(reads, 0);
});

test('first resolves with the first status that satisfies the condition', async () => {
  const feed = new StatusFeed(read, (error) => errors.push(error));
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  feed.on(() => resolve());
  const reached = feed.first((status) => status.indexed >= 2);
  mock.timers.tick(250);
  await seen;
  indexed = 2;
  feed.changed();
  mock.timers.tick(250);
  assert.equal((await reached).indexed, 2);
  assert.equal(reads, 2);
});

test('a read that fails is reported', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const feed = new StatusFeed(() => Promise.reject(new Error('busy')), resolve);
  feed.on(() => {});
  feed.changed();
  mock.timers.tick(250);
  assert.deepEqual(await promise, new Error('busy'));
});

test('a stopped feed reads no status', () => {
  const feed = new StatusFeed(read, (error) => errors.push(error));
  feed.on(() => {});
  feed.changed();
  feed.stop();
  feed.changed();
  mock.timers.tick(500);
  assert.equal(reads, 0);
});
