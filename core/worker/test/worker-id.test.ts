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
import { next, withQueue } from './kit.ts';

const linux: ProcessTable = {
  pid: 100,
  scope: { boot: 'b00t', namespace: '42' },
  startOf: (pid) => ({ 100: 5000, 200: 7000 })[pid] ?? 'gone',
  exists: () => assert.fail('the start tells more'),
};

const elsewhere: ProcessTable = {
  pid: 100,
  scope: null,
  startOf: () => null,
  exists: (pid) => pid === 100 || pid === 200,
};

test('an id carries app, pid and start, and no two are alike', () => {
  assert.match(makeWorkerId('app', systemClock, linux), /^app:100:b00t\.42\.5000:[0-9a-f]{8}$/);
  assert.match(makeWorkerId('app', systemClock, elsewhere), /^app:100:e\d{13}:[0-9a-f]{8}$/);
  assert.notEqual(makeWorkerId('app', systemClock, linux), makeWorkerId('app', systemClock, linux));
});

test('dead is only what certainly is: by pid and start on Linux', () => {
  const dead = (id: string) => isDead(id, 'app', linux);
  assert.equal(dead('app:200:b00t.42.7000:x'), false, 'it lives');
  assert.equal(dead('app:100:b00t.42.5000:x'), false, 'this very process');
  assert.equal(dead('app:200:b00t.42.6999:x'), true, 'its pid was used again');
  assert.equal(dead('app:100:b00t.42.1:x'), true, 'its pid is ours now');
  assert.equal(dead('app:300:b00t.42.7000:x'), true, 'nothing has its pid');
  assert.equal(dead('app:200:01d0.42.7000:x'), true, 'before this boot');
  assert.equal(dead('app:300:b00t.43.7000:x'), false, 'another sandbox counts its own pids');
});

test("a boot's id that begins with an e is read as one", () => {
  const table: ProcessTable = { ...linux, scope: { boot: 'e1234567', namespace: '42' } };
  assert.equal(
    isDead('app:300:e1234567.43.7000:x', 'app', table),
    false,
    'another sandbox counts its own pids',
  );
  assert.equal(isDead('app:200:e1234567.42.6999:x', 'app', table), true, 'its pid was used again');
});

test('dead is only what certainly is: by pid alone elsewhere', () => {
  const dead = (id: string) => isDead(id, 'app', elsewhere);
  assert.equal(dead('app:200:e1700000000000:x'), false, 'perhaps its pid was used again');
  assert.equal(dead('app:300:e1700000000000:x'), true);
  assert.equal(dead('app:300:b00t.42.7000:x'), false, 'a file carried over from Linux');
});

test('ids of another app or another shape are left alone', () => {
  for (const id of [
    'other:300:b00t.42.7000:x',
    'by hand',
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

test('a start that cannot be read leaves a doubt, and so does a system that tells nothing', () => {
  const silent: ProcessTable = { ...linux, startOf: () => null };
  assert.equal(isDead('app:300:b00t.42.7000:x', 'app', silent), false);
  assert.equal(isDead('app:300:b00t.42.7000:x', 'app', elsewhere), false);
});

test('the state and the start are read behind a name with spaces and brackets, and a zombie is gone', () => {
  const stat = (state: string) => `77 (a) b) ${state} 1 77 77 0 -1 4194304 ${'0 '.repeat(12)}12345 0 0`;
  assert.equal(parseStat(stat('S')), 12345);
  assert.equal(parseStat(stat('Z')), 'gone');
  assert.equal(parseStat('garbage'), null);
  if (process.platform === 'linux')
    assert.equal(typeof parseStat(readFileSync('/proc/self/stat', 'utf8')), 'number');
});

test('on this system: a child that lives is alive, one that was killed is dead', async () => {
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

test("a thread's workers carry its number, and are as alive as the process", async () => {
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

test("at the start a worker gives back what its app's dead workers held, and nothing else", (t) =>
  withQueue(t, async ({ queue, work }) => {
    const [app, pid, start] = makeWorkerId('app', systemClock).split(':');
    const dead = `${app}:${pid}:${start}`.replace(/\d+$/, '1');
    for (const group of ['dead', 'alive', 'other']) queue.publish(group, group);
    for (const id of [
      `${dead}:x`,
      `${app}:${pid}:${start}:x`,
      `other:${pid}:${start}:x`.replace(start ?? '', `${start}1`),
    ])
      assert.ok(queue.claim(id, 60_000));
    const handled: unknown[] = [];
    const worker = work(({ event, attempt }) => void handled.push([event, attempt]), { app: 'app' });
    const { workerIds, messages } = await next(worker, 'dead-workers-released');
    assert.deepEqual([workerIds, messages], [[`${dead}:x`], 1]);
    await worker.idle();
    assert.deepEqual(handled, [['dead', 2]], 'the attempt that killed its process counts');
  }));

test('releaseDeadWorkers: false leaves every lease alone', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('g', 1);
    assert.ok(queue.claim('app:999999999:01d0.1.1:x', 60_000));
    const worker = work(() => {}, { app: 'app', releaseDeadWorkers: false });
    await worker.idle();
    assert.equal(worker.snapshot().totals.completed, 0);
  }));
