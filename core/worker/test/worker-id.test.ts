import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker as Thread } from 'node:worker_threads';
import { systemClock } from '../../contract/clock.ts';
import {
  isDead,
  makeWorkerId,
  type ProcessTable,
  parseStat,
  systemProcesses,
} from '../recovery/worker-id.ts';
import { nextEvent, recordEvents, untilIdle } from './support/signals.ts';
import { withQueue, withTransport } from './support/worker-bench.ts';

const linux: ProcessTable = {
  pid: 100,
  scope: { boot: 'b00t', namespace: '42' },
  startOf: (pid) => ({ 100: 5000, 200: 7000 })[pid] ?? 'gone',
  exists: () => assert.fail('on Linux the start time decides'),
};

const otherSystem: ProcessTable = {
  pid: 100,
  scope: null,
  startOf: () => null,
  exists: (pid) => pid === 100 || pid === 200,
};

test('a worker id contains app, pid and start of the process, and is unique', () => {
  assert.match(makeWorkerId('app', systemClock, linux), /^app:100:b00t\.42\.5000:[0-9a-f]{8}$/);
  assert.match(makeWorkerId('app', systemClock, otherSystem), /^app:100:e\d{13}:[0-9a-f]{8}$/);
  assert.notEqual(makeWorkerId('app', systemClock, linux), makeWorkerId('app', systemClock, linux));
});

test('on Linux a worker is dead only when its pid, start time, boot and pid namespace prove it', () => {
  const dead = (id: string) => isDead(id, 'app', linux);
  assert.equal(dead('app:200:b00t.42.7000:x'), false, 'the process lives');
  assert.equal(dead('app:100:b00t.42.5000:x'), false, 'this process');
  assert.equal(dead('app:200:b00t.42.6999:x'), true, 'its pid was reused');
  assert.equal(dead('app:100:b00t.42.1:x'), true, 'its pid is now the pid of this process');
  assert.equal(dead('app:300:b00t.42.7000:x'), true, 'no process has its pid');
  assert.equal(dead('app:200:01d0.42.7000:x'), true, 'it ran before this boot');
  assert.equal(dead('app:300:b00t.43.7000:x'), false, 'the pids of another namespace mean nothing here');
});

test('a boot id that begins with an e is not mistaken for a start time', () => {
  const table: ProcessTable = { ...linux, scope: { boot: 'e1234567', namespace: '42' } };
  assert.equal(
    isDead('app:300:e1234567.43.7000:x', 'app', table),
    false,
    'the pids of another namespace mean nothing here',
  );
  assert.equal(isDead('app:200:e1234567.42.6999:x', 'app', table), true, 'its pid was reused');
});

test('on other systems a worker is dead only when no process has its pid', () => {
  const dead = (id: string) => isDead(id, 'app', otherSystem);
  assert.equal(dead('app:200:e1700000000000:x'), false, 'the process with its pid may be another one');
  assert.equal(dead('app:300:e1700000000000:x'), true);
  assert.equal(dead('app:300:b00t.42.7000:x'), false, 'the id was made on Linux');
});

test('an id of another app or of another form never counts as dead', () => {
  for (const id of [
    'other:300:b00t.42.7000:x',
    'no colons',
    '__parked__',
    'app',
    'app:300:b00t.42.7000',
    'app:x:b00t.42.7000:x',
    'app:-1:b00t.42.7000:x',
    'app:300::x',
    'app:300:b00t:x',
  ])
    assert.equal(isDead(id, 'app', linux), false, id);
});

test('a worker does not count as dead when the start time or the boot is unknown', () => {
  const unreadable: ProcessTable = { ...linux, startOf: () => null };
  assert.equal(isDead('app:300:b00t.42.7000:x', 'app', unreadable), false);
  assert.equal(isDead('app:300:b00t.42.7000:x', 'app', otherSystem), false);
});

test('parseStat reads state and start after a process name with spaces and brackets, and a zombie counts as gone', () => {
  const stat = (state: string) => `77 (a) b) ${state} 1 77 77 0 -1 4194304 ${'0 '.repeat(12)}12345 0 0`;
  assert.equal(parseStat(stat('S')), 12345);
  assert.equal(parseStat(stat('Z')), 'gone');
  assert.equal(parseStat('garbage'), null);
  if (process.platform === 'linux')
    assert.equal(typeof parseStat(readFileSync('/proc/self/stat', 'utf8')), 'number');
});

test('on this system the worker of a running child is alive, and the worker of a killed child is dead', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const id = makeWorkerId('app', systemClock, {
    ...systemProcesses,
    scope: systemProcesses.scope,
    pid: child.pid ?? 0,
  });
  assert.equal(isDead(id, 'app'), false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(isDead(id, 'app'), true);
  assert.equal(isDead(makeWorkerId('app', systemClock), 'app'), false);
});

test('the id of a worker on a thread contains the thread number, and the worker is as alive as its process', async () => {
  const url = JSON.stringify(new URL('../recovery/worker-id.ts', import.meta.url).href);
  const clock = JSON.stringify(new URL('../../contract/clock.ts', import.meta.url).href);
  const thread = new Thread(
    `Promise.all([import(${url}), import(${clock})]).then(([{ makeWorkerId }, { systemClock }]) =>
      require('node:worker_threads').parentPort.postMessage(makeWorkerId('app', systemClock)));`,
    { eval: true },
  );
  const [id] = await once(thread, 'message');
  await thread.terminate();
  assert.match(id, /:t\d+-[0-9a-f]{8}$/);
  assert.equal(isDead(id, 'app'), false);
});

test(
  "at its start a worker releases the messages of its app's dead workers, and no other ones",
  withQueue(async ({ queue, startWorker }) => {
    const alive = makeWorkerId('app', systemClock);
    const [, pid = '', start] = alive.split(':');
    // No system has so high a pid.
    const dead = alive.replace(pid, '999999999');
    const ofOtherApp = `other:999999999:${start}:x`;
    for (const event of ['dead', 'alive', 'other']) queue.publish(event, event);
    for (const id of [dead, alive, ofOtherApp]) assert.ok(queue.claim(id, 60_000));
    const handled: unknown[] = [];
    const worker = startWorker(({ event, attempt }) => void handled.push([event, attempt]), { app: 'app' });
    const { workerIds, messages } = await nextEvent(worker, 'dead-workers-released');
    assert.deepEqual([workerIds, messages], [[dead], 1]);
    await untilIdle(worker);
    assert.deepEqual(handled, [['dead', 2]], 'the attempt of the dead worker counts');
    assert.deepEqual(
      queue.holders().holders.map(({ workerId }) => workerId),
      [alive, ofOtherApp],
    );
  }),
);

test(
  'with releaseDeadWorkers: false a worker releases no lease at its start',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    const deadWorker = 'app:999999999:01d0.1.1:x';
    assert.ok(queue.claim(deadWorker, 60_000));
    const worker = startWorker(() => {}, { app: 'app', releaseDeadWorkers: false });
    const events = recordEvents(worker, 'dead-workers-released', 'started');
    await untilIdle(worker);
    assert.deepEqual(events, []);
    assert.deepEqual(queue.holders().holders, [{ workerId: deadWorker, leases: 1 }]);
  }),
);

test(
  'a worker handles messages while it looks for dead workers, and finds those of every page of groups',
  withTransport('asynchronous', async ({ queue, spy, startWorker }) => {
    const dead = 'app:999999999:01d0.1.1:x';
    queue.publishMany(Array.from({ length: 5_100 }, (_, n) => ({ groupId: `g${n}`, event: n, priority: 4 })));
    queue.publish('last', 'last');
    for (const floor of [4, 0])
      assert.ok(queue.claimMany(dead, 60_000, 6_000, { minPriority: floor }).length > 0);
    queue.publish('free', 'free');
    const answer = spy.holdAnswers(['holders']);
    const worker = startWorker(({ event }) => (event === 'free' ? undefined : new Promise(() => {})), {
      app: 'app',
    });
    await nextEvent(worker, 'completed', ({ groupId }) => groupId === 'free');
    answer();
    const { workerIds, messages } = await nextEvent(worker, 'dead-workers-released');
    assert.deepEqual([workerIds, messages], [[dead], 5_101]);
    assert.ok(spy.verbs.filter((verb) => verb === 'holders').length > 1);
  }),
);
