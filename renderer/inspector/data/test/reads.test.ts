import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import type { Answer, InspectorBridge, MessageDetail, MessageKey } from '../../../../core/contract/admin.ts';
import type { ReadError } from '../bridge.ts';
import { createQueryClient, messageReads } from '../reads.ts';
import { heldReads } from './held-reads.ts';

type MessageAnswer = Answer<MessageDetail | null>;

let client: QueryClient;

// The timers of cached data would keep the process alive.
afterEach(() => client.clear());

const message = (seq: number) => ({ seq, deadId: null });

/** What a component that shows one message observes. `next()` is the next read of the bridge. */
function start(seq: number) {
  const reads = heldReads<[MessageKey], MessageAnswer>();
  const readOf = messageReads({ message: reads.read } as InspectorBridge);
  client = createQueryClient();
  const observer = new QueryObserver(client, readOf(message(seq)));
  observer.subscribe(() => {});
  return {
    reads,
    observer,
    readOf,
    result: () => observer.getCurrentResult(),
    open: (other: number) => observer.setOptions(readOf(message(other))),
    readAgain: () => observer.refetch(),
    /** Resolves when the current read has ended. */
    ended: () => observer.getCurrentQuery().promise?.catch(() => {}),
  };
}

const found = (seq: number): MessageAnswer => ({ ok: true, value: { seq } as MessageDetail });
const gone: MessageAnswer = { ok: true, value: null };

test('a message that has left the queue keeps the detail that was last read', async () => {
  const { reads, result, readAgain, ended } = start(7);
  (await reads.next()).resolve(found(7));
  await ended();
  const refetched = readAgain();
  (await reads.next()).resolve(gone);
  await refetched;
  assert.deepEqual(result().data, { message: message(7), detail: { seq: 7 }, isGone: true });
});

test('a message that never was in the queue has no detail', async () => {
  const { reads, result, ended } = start(7);
  (await reads.next()).resolve(gone);
  await ended();
  assert.deepEqual(result().data, { message: message(7), detail: null, isGone: true });
});

test('while another message is read, the previous one stays as a placeholder', async () => {
  const { reads, result, open, ended } = start(1);
  (await reads.next()).resolve(found(1));
  await ended();
  open(2);
  assert.equal(result().isPlaceholderData, true);
  assert.equal(result().data?.message.seq, 1);
  (await reads.next()).resolve(found(2));
  await ended();
  assert.equal(result().data?.message.seq, 2);
});

test('stepping through messages reads one at a time, and only the message where it stops', async () => {
  const { reads, result, open, ended } = start(1);
  const first = await reads.next();
  for (let seq = 2; seq <= 40; seq++) open(seq);
  assert.equal(reads.pending(), 0);
  first.resolve(found(1));
  const last = await reads.next();
  assert.deepEqual(last.args, [40]);
  last.resolve(found(40));
  await ended();
  assert.equal(result().data?.message.seq, 40);
  assert.equal(reads.pending(), 0);
  assert.equal(reads.maxInFlight(), 1);
});

test('an answer that arrives after another message was opened does not replace it', async () => {
  const { reads, result, open, ended } = start(1);
  const late = await reads.next();
  open(2);
  late.resolve(found(1));
  (await reads.next()).resolve(found(2));
  await ended();
  assert.equal(result().data?.message.seq, 2);
});

test('a read that is repeated during a read shows the answer of the second one', async () => {
  const { reads, result, readAgain, ended } = start(1);
  (await reads.next()).resolve(found(1));
  await ended();
  void readAgain();
  const before = await reads.next();
  const repeated = readAgain();
  before.resolve(gone);
  (await reads.next()).resolve(found(1));
  await repeated;
  assert.equal(result().data?.isGone, false);
  assert.equal(reads.maxInFlight(), 1);
});

test('a message whose first read failed stays open with its error while it is read again', async () => {
  const { reads, result, open, readAgain, ended } = start(1);
  (await reads.next()).resolve(found(1));
  await ended();
  open(2);
  (await reads.next()).resolve({ ok: false, error: { code: 'BUSY', message: 'The file is busy.' } });
  await ended();
  const repeated = readAgain();
  const again = await reads.next();
  assert.deepEqual(result().data, { message: message(2), detail: null, isGone: false });
  assert.equal(result().error?.code, 'BUSY');
  again.resolve(found(2));
  await repeated;
  assert.deepEqual(result().data, { message: message(2), detail: { seq: 2 }, isGone: false });
  assert.equal(result().error, null);
});

test('an error of the bridge keeps its code, and a rejected call becomes NO_ANSWER', async () => {
  const { reads, result, readAgain, ended } = start(1);
  (await reads.next()).resolve({ ok: false, error: { code: 'BUSY', message: 'The file is busy.' } });
  await ended();
  assert.equal(result().error?.code, 'BUSY');
  const repeated = readAgain();
  (await reads.next()).reject(new Error('No handler.'));
  await repeated;
  const error: ReadError | null = result().error;
  assert.equal(error?.code, 'NO_ANSWER');
  assert.equal(error?.message, 'The app did not answer. No handler.');
});

test('a dead letter and a message of its seq are read by their own keys', async () => {
  const { reads, observer, readOf, ended } = start(4);
  const first = await reads.next();
  assert.equal(first.args[0], 4);
  first.resolve(found(4));
  await ended();
  observer.setOptions(readOf({ seq: 4, deadId: 9 }));
  assert.deepEqual((await reads.next()).args, [{ deadId: 9 }]);
});
