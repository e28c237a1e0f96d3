import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneAtATime } from '../one-at-a-time.ts';
import { heldReads } from './held-reads.ts';

const never = new AbortController().signal;

test('a read begins when the one before it has ended, also if that has failed', async () => {
  const enqueue = oneAtATime();
  const reads = heldReads<[string], string>();
  const a = enqueue(() => reads.read('a'), never, false);
  const b = enqueue(() => reads.read('b'), never, false);
  const first = await reads.next();
  assert.deepEqual(first.args, ['a']);
  assert.equal(reads.pending(), 0);
  first.reject(new Error('The file is busy.'));
  await assert.rejects(a, /busy/);
  const second = await reads.next();
  second.resolve('done');
  assert.equal(await b, 'done');
});

test('a read that is aborted while it waits never begins', async () => {
  const enqueue = oneAtATime();
  const reads = heldReads<[string], string>();
  const controller = new AbortController();
  const current = enqueue(() => reads.read('current'), never, false);
  const aborted = enqueue(() => reads.read('aborted'), controller.signal, false);
  const last = enqueue(() => reads.read('last'), never, false);
  controller.abort();
  (await reads.next()).resolve('current');
  assert.equal(await current, 'current');
  await assert.rejects(aborted, { name: 'AbortError' });
  const next = await reads.next();
  assert.deepEqual(next.args, ['last']);
  next.resolve('last');
  assert.equal(await last, 'last');
});

test('a read does not wait for a refresh that is aborted while it runs, but for any other read that is', async () => {
  const enqueue = oneAtATime();
  const reads = heldReads<[string], string>();
  const abort = (isRefresh: boolean, name: string) => {
    const controller = new AbortController();
    void enqueue(() => reads.read(name), controller.signal, isRefresh);
    return controller;
  };
  const refresh = abort(true, 'refresh');
  const first = await reads.next();
  refresh.abort();
  const scroll = abort(false, 'scroll');
  assert.deepEqual((await reads.next()).args, ['scroll']);
  scroll.abort();
  const last = enqueue(() => reads.read('last'), never, false);
  first.resolve('late');
  await new Promise(setImmediate);
  assert.equal(reads.pending(), 0);
  void last;
});
