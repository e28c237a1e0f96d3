import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaseholdError } from '../../index.ts';
import { nextEvent, untilIdle } from './support/signals.ts';
import { withQueue } from './support/worker-bench.ts';

test(
  'an event of a kind without a handler is buried with an error that names it and the handled kinds',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', { kind: 'upload', file: 'a' });
    queue.publish('g', { kind: 'constructor' });
    queue.publish('g', { file: 'b' });
    queue.publish('g', 'not an object');
    queue.publish('g', { kind: 'scan' });
    const handled: string[] = [];
    const worker = startWorker({
      handlers: {
        upload: async ({ event }) => void handled.push(event.file),
        scan: async () => void handled.push('scan'),
      },
    });
    const codes: unknown[] = [];
    worker.on('buried', ({ error }) => codes.push((error as LeaseholdError).code));
    await untilIdle(worker);
    assert.deepEqual(handled, ['a', 'scan']);
    assert.deepEqual(codes, ['NO_HANDLER', 'NO_HANDLER', 'NO_HANDLER']);
    assert.deepEqual(
      queue.deadLetters().map(({ error }) => error?.split(':')[1]?.trim()),
      ['No handler for kind "constructor"', 'The event has no field "kind"', 'The event has no field "kind"'],
    );
    assert.match(queue.deadLetters()[0]?.error ?? '', /this worker handles "upload", "scan"/);
  }),
);

test(
  'kindField names another field of the event as its kind',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', { type: 'a', kind: 'b' });
    const handled: string[] = [];
    const worker = startWorker({
      kindField: 'type',
      handlers: { a: () => void handled.push('a'), b: () => void handled.push('b') },
    });
    await nextEvent(worker, 'completed');
    assert.deepEqual(handled, ['a']);
  }),
);

test(
  'a generator function is refused as a handler: its call would run nothing, and its message would be acked',
  withQueue(async ({ startWorker }) => {
    const refused = { code: 'BAD_ARGUMENT', message: /generator function/ };
    for (const handler of [function* () {}, async function* () {}]) {
      assert.throws(() => startWorker(handler), refused);
      assert.throws(() => startWorker({ handlers: { upload: handler } }), refused);
    }
  }),
);

test(
  'kinds that are numbers, as those of an enum are, have their handlers',
  withQueue(async ({ queue, startWorker }) => {
    for (const kind of [0, 1, 2]) queue.publish('g', { kind });
    const handled: number[] = [];
    const handle = ({ event }: { event: { kind: number } }) => void handled.push(event.kind);
    await untilIdle(startWorker({ handlers: { 0: handle, 1: handle } }));
    assert.deepEqual(handled, [0, 1]);
    assert.match(queue.deadLetters()[0]?.error ?? '', /No handler for kind 2/);
  }),
);
