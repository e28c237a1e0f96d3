import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker as Thread } from 'node:worker_threads';
import {
  askPs,
  type ProcessTable,
  parseStarts,
  parseStat,
  systemProcesses,
} from '../recovery/process-table.ts';
import { findDead, makeWorkerId } from '../recovery/worker-id.ts';
import { nextEvent, recordEvents, untilIdle } from './support/signals.ts';
import { withQueue, withTransport } from './support/worker-bench.ts';

/** Not in any container. */
const INITIAL = '4026531836';

const linux: ProcessTable = {
  pid: 100,
  machine: 'abcd1234',
  scope: { boot: 'b00t', namespace: INITIAL },
  startedBy: null,
  startOf: (pid) => ({ 100: 5000, 200: 7000 })[pid] ?? 'gone',
  exists: () => assert.fail('on Linux the start time decides'),
  startTimes: () => assert.fail('on Linux no program is started'),
};

const STARTED = 1_700_000_000_000;

const otherSystem: ProcessTable = {
  pid: 100,
  machine: 'abcd1234',
  scope: null,
  startedBy: STARTED + 0.4,
  startOf: () => null,
  exists: (pid) => pid === 100 || pid === 200,
  startTimes: async () => new Map(),
};

async function isDead(id: string, processes?: ProcessTable): Promise<boolean> {
  return (await findDead([id], 'app', processes)).length === 1;
}

test('a worker id contains app, pid, start of the process and machine, and is unique', () => {
  assert.match(makeWorkerId('app', linux), /^app:100:b00t\.4026531836\.5000\.abcd1234:[0-9a-f]{8}$/);
  assert.match(makeWorkerId('app', otherSystem), /^app:100:e1700000000000\.abcd1234:[0-9a-f]{8}$/);
  assert.match(makeWorkerId('app', { ...otherSystem, startedBy: null }), /^app:100:e\.abcd1234:[0-9a-f]{8}$/);
  assert.notEqual(makeWorkerId('app', linux), makeWorkerId('app', linux));
});

test('on Linux a worker of this boot is dead only when its pid, start time and pid namespace prove it', async () => {
  const dead = (rest: string) => isDead(`app:${rest}:x`, linux);
  assert.equal(await dead(`200:b00t.${INITIAL}.7000.abcd1234`), false, 'the process lives');
  assert.equal(await dead(`100:b00t.${INITIAL}.5000.abcd1234`), false, 'this process');
  assert.equal(await dead(`200:b00t.${INITIAL}.6999.abcd1234`), true, 'its pid was reused');
  assert.equal(await dead(`100:b00t.${INITIAL}.1.abcd1234`), true, 'its pid is now the pid of this process');
  assert.equal(await dead(`300:b00t.${INITIAL}.7000.abcd1234`), true, 'no process has its pid');
  assert.equal(await dead(`300:b00t.${INITIAL}.7000`), true, 'the id of an earlier version has no machine');
  assert.equal(
    await dead('300:b00t.43.7000.abcd1234'),
    false,
    'the pids of another namespace mean nothing here',
  );
});

test('on Linux a worker of another boot is dead only when both ran on this machine, outside of any container', async () => {
  const dead = (rest: string, processes = linux) => isDead(`app:200:${rest}:x`, processes);
  assert.equal(await dead(`01d0.${INITIAL}.7000.abcd1234`), true, 'it ran before this boot');
  assert.equal(await dead(`01d0.${INITIAL}.7000.0ther123`), false, 'another machine has the folder, too');
  assert.equal(
    await dead('01d0.42.7000.abcd1234'),
    false,
    'it may live in a container with a kernel of its own',
  );
  assert.equal(await dead(`01d0.${INITIAL}.7000`), false, 'an id of an earlier version names no machine');
  const inContainer = { ...linux, scope: { boot: 'b00t', namespace: '42' } };
  assert.equal(
    await dead(`01d0.${INITIAL}.7000.abcd1234`, inContainer),
    false,
    'it may run beside this container',
  );
  const unknown = { ...linux, machine: '' };
  assert.equal(
    await dead(`01d0.${INITIAL}.7000.`, unknown),
    false,
    'two machines without identity are not one',
  );
});

test('a boot id that begins with an e is not mistaken for a start time', async () => {
  const table: ProcessTable = { ...linux, scope: { boot: 'e1234567', namespace: INITIAL } };
  assert.equal(await isDead('app:300:e1234567.43.7000.abcd1234:x', table), false);
  assert.equal(
    await isDead(`app:200:e1234567.${INITIAL}.6999.abcd1234:x`, table),
    true,
    'its pid was reused',
  );
});

test('on other systems a worker is dead only when no process of this machine has its pid, or that process is younger', async () => {
  const asked: number[][] = [];
  const startingAt = (start: number | null): ProcessTable => ({
    ...otherSystem,
    startTimes: async (pids) => {
      asked.push([...pids]);
      return new Map(start === null ? [] : pids.map((pid) => [pid, start]));
    },
  });
  const id = `app:200:e${STARTED}.abcd1234:x`;
  assert.equal(await isDead(id, startingAt(STARTED - 900)), false, 'the process lives');
  assert.equal(await isDead(id, startingAt(STARTED + 1000)), false, 'starts are told to the second');
  assert.equal(await isDead(id, startingAt(STARTED + 60_000)), true, 'its pid was reused');
  assert.equal(await isDead(id, startingAt(null)), false, 'the start is unknown');
  assert.equal(asked.length, 4);
  const silent = { ...otherSystem, startTimes: () => assert.fail('not needed') };
  assert.equal(await isDead(`app:300:e${STARTED}.abcd1234:x`, silent), true, 'no process has its pid');
  assert.equal(await isDead('app:300:e.abcd1234:x', silent), true);
  assert.equal(await isDead('app:200:e.abcd1234:x', silent), false, 'it does not know its start');
  assert.equal(await isDead(`app:300:e${STARTED}.0ther123:x`, silent), false, 'it ran on another machine');
  assert.equal(await isDead(`app:300:e${STARTED}:x`, silent), false, 'an earlier version names no machine');
  assert.equal(
    await isDead(`app:300:b00t.${INITIAL}.7000.abcd1234:x`, silent),
    false,
    'the id was made on Linux',
  );
});

test('many suspects are looked up at once, each process once', async () => {
  const asked: number[][] = [];
  const startTimes = async (pids: readonly number[]) => {
    asked.push([...pids]);
    return new Map([[100, STARTED + 60_000]]);
  };
  const ids = ['100', '200', '100'].map((pid, n) => `app:${pid}:e${STARTED}.abcd1234:${n}`);
  assert.deepEqual(await findDead(ids, 'app', { ...otherSystem, startTimes }), [ids[0], ids[2]]);
  assert.deepEqual(asked, [[100, 200]]);
});

test('the starts that a program prints are read by line, and what is not one is left out', () => {
  const macOs = '  123 Mon Nov 30 17:01:03 2026    \n 4567 Tue Dec  1 00:00:00 2026\nps: no such process\n';
  const starts = parseStarts(macOs, (start) => Date.parse(`${start} UTC`));
  assert.deepEqual(
    [...starts],
    [
      [123, Date.UTC(2026, 10, 30, 17, 1, 3)],
      [4567, Date.UTC(2026, 11, 1)],
    ],
  );
  assert.equal(parseStarts('12 \r\n13 access denied\r\n', Number).size, 0);
});

test('ps tells the start of a process that runs, and nothing of one that does not', async (t) => {
  if (process.platform === 'win32' || !existsSync('/bin/ps')) return t.skip('there is no ps');
  const starts = await askPs([process.pid, 999_999_999]);
  assert.deepEqual([...starts.keys()], [process.pid]);
  const startedBy = systemProcesses.startedBy ?? 0;
  assert.ok((starts.get(process.pid) ?? Infinity) < startedBy + 2000, 'a living process counts as alive');
});

test('an id of another app or of another form never counts as dead', async () => {
  const ids = [
    'other:300:b00t.4026531836.7000.abcd1234:x',
    'no colons',
    '__parked__',
    'app',
    'app:300:b00t.4026531836.7000.abcd1234',
    'app:x:b00t.4026531836.7000.abcd1234:x',
    'app:-1:b00t.4026531836.7000.abcd1234:x',
    'app:300::x',
    'app:300:b00t:x',
  ];
  assert.deepEqual(await findDead(ids, 'app', linux), []);
});

test('a worker does not count as dead when the start time or the boot is unknown', async () => {
  const unreadable: ProcessTable = { ...linux, startOf: () => null };
  const id = 'app:300:b00t.4026531836.7000.abcd1234:x';
  assert.equal(await isDead(id, unreadable), false);
  assert.equal(await isDead(id, otherSystem), false);
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
  const { scope, machine, startedBy } = systemProcesses;
  const id = makeWorkerId('app', { ...systemProcesses, scope, machine, startedBy, pid: child.pid ?? 0 });
  assert.equal(await isDead(id), false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await isDead(id), true);
  assert.equal(await isDead(makeWorkerId('app')), false);
});

test('the id of a worker on a thread contains the thread number, and the worker is as alive as its process', async () => {
  const url = JSON.stringify(new URL('../recovery/worker-id.ts', import.meta.url).href);
  const thread = new Thread(
    `import(${url}).then(({ makeWorkerId }) =>
      require('node:worker_threads').parentPort.postMessage(makeWorkerId('app')));`,
    { eval: true },
  );
  const [id] = await once(thread, 'message');
  await thread.terminate();
  assert.match(id, /:t\d+-[0-9a-f]{8}$/);
  assert.equal(await isDead(id), false);
});

test(
  "at its start a worker releases the messages of its app's dead workers, and no other ones",
  withQueue(async ({ queue, startWorker }) => {
    const alive = makeWorkerId('app');
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
    // No system has so high a pid.
    const dead = makeWorkerId('app').replace(`:${process.pid}:`, ':999999999:');
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
