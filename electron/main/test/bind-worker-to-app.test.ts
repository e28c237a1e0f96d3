import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SqliteTransport } from '../../../core/sqlite/sqlite-transport.ts';
import { FakeClock } from '../../../core/testing/fake-clock.ts';
import { type Handler, runWorker, type Worker } from '../../../core/worker/index.ts';
import { bindWorkerToApp, type WorkerLifecycle } from '../bind-worker-to-app.ts';

class App extends EventEmitter {
  quits = 0;

  /** As Electron: 'will-quit' once the windows are closed; the process ends unless that is prevented. */
  quit(): boolean {
    this.quits++;
    let prevented = false;
    this.emit('will-quit', { preventDefault: () => (prevented = true) });
    return !prevented;
  }
}

class PowerMonitor extends EventEmitter {
  onBattery = false;
  isOnBatteryPower(): boolean {
    return this.onBattery;
  }
}

interface Host {
  clock: FakeClock;
  queue: SqliteTransport;
  app: App;
  power: PowerMonitor;
  updater: EventEmitter;
  worker: Worker;
  tie(options?: Partial<WorkerLifecycle>): () => void;
}

async function withHost(
  t: TestContext,
  handler: Handler,
  body: (host: Host) => Promise<void>,
  power = new PowerMonitor(),
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-lifecycle-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new FakeClock();
  const queue = new SqliteTransport({ path: join(folder, 'queue.db'), clock });
  const app = new App();
  const updater = new EventEmitter();
  const worker = runWorker(queue, handler, { clock, pollMs: 0 });
  const unties: (() => void)[] = [];
  try {
    await body({
      clock,
      queue,
      app,
      power,
      updater,
      worker,
      tie(options = {}) {
        const untie = bindWorkerToApp(worker, { app, powerMonitor: power, clock, ...options });
        unties.push(untie);
        return untie;
      },
    });
  } finally {
    for (const untie of unties) untie();
    await worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    queue.close();
  }
  for (const source of [app, power, updater])
    assert.deepEqual(source.eventNames(), [], 'a listener was left');
  assert.equal(clock.timers, 0);
}

const rounds = async () => {
  for (let round = 0; round < 10; round++) await new Promise(setImmediate);
};
const never: Handler = () => new Promise(() => {});

test('nothing is claimed between suspend and resume, and what ran before keeps its lease', (t) =>
  withHost(t, never, async ({ clock, queue, power, worker, tie }) => {
    tie();
    queue.publish('a', 1);
    await rounds();
    power.emit('suspend');
    queue.publish('b', 2);
    await rounds();
    assert.deepEqual([worker.state, worker.snapshot().running.length], ['paused', 1]);
    clock.step(3_600_000);
    power.emit('resume');
    await rounds();
    assert.deepEqual(
      worker.snapshot().running.map(({ groupId }) => groupId),
      ['a', 'b'],
    );
  }));

test('should the resume never be told, the worker goes on after a minute awake', (t) =>
  withHost(t, never, async ({ clock, power, worker, tie }) => {
    tie();
    await rounds();
    power.emit('suspend');
    clock.advance(59_999);
    assert.equal(worker.state, 'paused');
    clock.advance(1);
    assert.equal(worker.state, 'running');
  }));

test('on battery it pauses when told to, also when it starts there; a pause of the user outlasts the mains', (t) => {
  const power = new PowerMonitor();
  power.onBattery = true;
  return withHost(
    t,
    never,
    async ({ worker, tie }) => {
      tie({ onBattery: 'pause' });
      await rounds();
      assert.deepEqual([worker.state, worker.snapshot().pausedFor], ['paused', ['battery']]);
      worker.pause();
      power.emit('on-ac');
      assert.equal(worker.state, 'paused');
      worker.resume();
      assert.equal(worker.state, 'running');
      power.emit('on-battery');
      assert.equal(worker.state, 'paused');
      power.emit('on-ac');
      assert.equal(worker.state, 'running');
    },
    power,
  );
});

test('on battery the floor rises and comes down again, unless somebody set it meanwhile', (t) =>
  withHost(t, never, async ({ power, worker, tie }) => {
    tie({ onBattery: { minPriority: 3 } });
    worker.minPriority = 1;
    power.emit('on-battery');
    power.emit('on-battery');
    assert.equal(worker.minPriority, 3);
    power.emit('on-ac');
    assert.equal(worker.minPriority, 1);
    power.emit('on-battery');
    worker.minPriority = 2;
    power.emit('on-ac');
    assert.equal(worker.minPriority, 2);
    worker.minPriority = 4;
    power.emit('on-battery');
    assert.equal(worker.minPriority, 4, 'never lowered');
    power.emit('on-ac');
    assert.equal(worker.minPriority, 4);
  }));

test('a quit is never held up by default: what runs is given back before the handler of will-quit returns', (t) =>
  withHost(t, never, async ({ queue, app, worker, tie }) => {
    queue.publish('a', 1);
    let closed = 0;
    tie({ afterStop: () => closed++ });
    await rounds();
    assert.equal(app.quit(), true);
    assert.equal(worker.state, 'stopped');
    assert.equal(closed, 1);
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }));

test('with stopTimeoutMs a quit waits for running handlers, quits again by itself, and no longer than that', (t) =>
  withHost(t, never, async ({ clock, queue, app, worker, tie }) => {
    queue.publish('a', 1);
    let closed = 0;
    tie({ stopTimeoutMs: 4000, afterStop: () => closed++ });
    await rounds();
    assert.equal(app.quit(), false);
    assert.equal(app.quit(), false, 'impatience changes nothing');
    assert.equal(worker.state, 'stopping');
    clock.advance(3000);
    await rounds();
    assert.equal(worker.state, 'stopping');
    clock.advance(1000);
    await rounds();
    assert.deepEqual([worker.state, closed, app.quits], ['stopped', 1, 3]);
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }));

test('a quit for an update is never held up', (t) =>
  withHost(t, never, async ({ queue, app, updater, worker, tie }) => {
    queue.publish('a', 1);
    tie({ stopTimeoutMs: 4000, autoUpdater: updater });
    await rounds();
    updater.emit('before-quit-for-update');
    assert.equal(app.quit(), true);
    assert.equal(worker.state, 'stopped');
  }));

test('the end of a Windows session, told to windows only, gives everything back before its listener returns', (t) =>
  withHost(t, never, async ({ queue, app, worker, tie }) => {
    queue.publish('a', 1);
    tie({ stopTimeoutMs: 4000 });
    const window = new EventEmitter();
    app.emit('browser-window-created', {}, window);
    await rounds();
    window.emit('session-end');
    assert.equal(worker.state, 'stopped');
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }));

test('untied, the app and its worker have nothing to do with each other', (t) =>
  withHost(t, never, async ({ app, power, worker, tie }) => {
    const untie = tie({ onBattery: 'pause' });
    await rounds();
    untie();
    power.emit('suspend');
    power.emit('on-battery');
    app.quit();
    assert.equal(worker.state, 'running');
  }));

test('wrong options are refused', (t) =>
  withHost(t, never, async ({ tie }) => {
    assert.throws(() => tie({ stopTimeoutMS: 1 } as object), /did you mean "stopTimeoutMs"/);
    assert.throws(
      () => tie({ onBattery: 'stop' as 'pause' }),
      /onBattery must be "pause" or \{minPriority\}, not "stop"/,
    );
    assert.throws(
      () => tie({ onBattery: { minPriority: 7 } }),
      /onBattery\.minPriority must be a whole number/,
    );
    assert.throws(() => tie({ app: undefined as never }), /app must be Electron's app/);
  }));
