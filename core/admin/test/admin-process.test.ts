import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseholdError } from '../../contract/errors.ts';
import type { ChildEvents } from '../../rpc/child-host.ts';
import { PONG, STARTED } from '../../rpc/child-signals.ts';
import { toErrorData } from '../../rpc/error-data.ts';
import type { Calls } from '../../rpc/protocol.ts';
import { AdminProcess } from '../admin-process.ts';

interface FakeChild extends ChildEvents {
  /** Everything but signals. */
  readonly received: unknown[];
}

/** An admin whose processes do only what the test says. */
function adminOf() {
  const children: FakeChild[] = [];
  const ends: (Error | null)[] = [];
  const admin = new AdminProcess(
    {
      file: new URL(import.meta.url),
      data: {
        path: 'x.db',
        tablePrefix: undefined,
        operator: 'ada',
        fairness: 'new-groups-first',
        secureDelete: false,
      },
      timeLimitMs: 1_000_000,
      startChild(_file, _argument, events) {
        const received: unknown[] = [];
        children.push({ ...events, received });
        return {
          postMessage: (message) => void (typeof message === 'object' && received.push(message)),
          kill: () => undefined,
          setRef: () => undefined,
        };
      },
    },
    { onEvent: () => undefined, onEnd: (error) => ends.push(error) },
  );
  const child = (n: number) => {
    const found = children[n];
    assert.ok(found, `process ${n}`);
    return found;
  };
  return { admin, children, child, ends };
}

function opens({ onMessage }: FakeChild): void {
  onMessage(STARTED);
  onMessage(PONG);
}

const codes = (answers: PromiseSettledResult<unknown>[]) =>
  answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : answer.value));

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the end of a process rejects the oldest call and operations, and other reads are made again in a new one', async () => {
  const { admin, child, children, ends } = adminOf();
  const calls = Promise.allSettled([
    admin.call('overview'),
    admin.call('operate', { kind: 'ack' }),
    admin.call('groups', { limit: 3 }),
    admin.call('messages'),
  ]);
  admin.subscribe('changed');
  opens(child(0));
  child(0).onExit('it was ended by SIGSEGV');
  await settled();
  opens(child(1));
  const [subscription, again] = child(1).received as [unknown, Calls];
  assert.deepEqual(subscription, { subscribe: 'changed' });
  assert.deepEqual(again.methods, ['groups', 'messages']);
  assert.deepEqual(again.arguments, [{ limit: 3 }, undefined]);
  child(1).onExit('it was ended by SIGSEGV');
  await settled();
  const answers = { first: 0, values: ['rows'], errors: [], pending: [] };
  child(2).onMessage({ events: [], answers });
  const failed = 'THREAD_FAILED';
  const all = await calls;
  assert.deepEqual(codes(all), [failed, failed, failed, 'rows']);
  assert.ok(all[0].status === 'rejected');
  assert.match(all[0].reason.message, /it was ended by SIGSEGV\. .* The next call starts a new process\.$/);
  assert.equal(children.length, 3);
  assert.deepEqual(ends, []);
});

test('a process that ends before it has opened the file, or says that the file is lost, is the last one', async () => {
  const replaced = new LeaseholdError('FILE_REPLACED', 'x.db was replaced.');
  const ended: [string, (child: FakeChild) => void][] = [
    ['THREAD_FAILED', ({ onExit }) => onExit('it exited with code 1')],
    [
      'FILE_REPLACED',
      (child) => {
        opens(child);
        child.onMessage({ failed: toErrorData(replaced) });
      },
    ],
  ];
  for (const [code, end] of ended) {
    const { admin, child, children, ends } = adminOf();
    const calls = Promise.allSettled([admin.call('overview'), admin.call('groups')]);
    await settled();
    end(child(0));
    assert.deepEqual(codes(await calls), [code, code]);
    await assert.rejects(admin.call('overview'));
    assert.equal(children.length, 1);
    assert.equal(ends.length, 1);
  }
});

test('after a close that follows the end of a process, every call rejects with CLOSED, and no process starts', async () => {
  const { admin, child, children } = adminOf();
  const overview = assert.rejects(admin.call('overview'), { code: 'THREAD_FAILED' });
  opens(child(0));
  child(0).onExit('it was ended by SIGSEGV');
  await admin.close();
  await overview;
  await assert.rejects(admin.call('groups'), { code: 'CLOSED' });
  assert.equal(children.length, 1);
});
