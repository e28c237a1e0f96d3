import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { AsyncSqliteTransport } from '../../../core/sqlite/async/async-transport.ts';
import { SqliteTransport } from '../../../core/sqlite/sqlite-transport.ts';
import { TempFolder } from '../../../core/sqlite/test/support/temp-folder.ts';
import { runWorker, type Worker } from '../../../core/worker/index.ts';
import { nextEvent, untilIdle, waitFor } from '../../../core/worker/test/support/signals.ts';
import { type WorkerBench, withQueue } from '../../../core/worker/test/support/worker-bench.ts';
import { bindWorkerToApp, type WorkerBindingOptions } from '../bind-worker-to-app.ts';

class App extends EventEmitter {
  quits = 0;

  /** As Electron's: emits 'will-quit' once the windows are closed; returns whether the process then ends. */
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

interface Host extends WorkerBench {
  readonly app: App;
  readonly power: PowerMonitor;
  readonly updater: EventEmitter;
  /** Its handlers never settle. */
  readonly worker: Worker;
  /** Binds the worker to the app. */
  bind(options?: Partial<WorkerBindingOptions>): () => void;
}

/** A test's function: it fails when a listener or a timer is left behind. */
function withApp(body: (host: Host) => Promise<void>): (t: TestContext) => Promise<void> {
  return withQueue(async (bench) => {
    const app = new App();
    const power = new PowerMonitor();
    const updater = new EventEmitter();
    const worker = bench.startWorker(() => new Promise(() => {}));
    const unbinds: (() => void)[] = [];
    const bind = (options: Partial<WorkerBindingOptions> = {}) => {
      const unbind = bindWorkerToApp(worker, { app, powerMonitor: power, clock: bench.clock, ...options });
      unbinds.push(unbind);
      return unbind;
    };
    try {
      await body({ ...bench, app, power, updater, worker, bind });
    } finally {
      for (const unbind of unbinds) unbind();
    }
    for (const source of [app, power, updater])
      assert.deepEqual(source.eventNames(), [], 'a listener was left behind');
  });
}

test(
  'between suspend and resume nothing is claimed, and leases are renewed before the first claim after it',
  withApp(async ({ clock, queue, spy, power, worker, bind }) => {
    bind();
    queue.publish('a', 1);
    await nextEvent(worker, 'started');
    power.emit('suspend');
    queue.publish('b', 2);
    spy.calls.length = 0;
    // The renewal makes the worker take a turn, in which it could claim.
    clock.advance(15_000);
    await spy.untilAnswered('extend');
    assert.deepEqual(spy.verbs, ['extend']);
    assert.deepEqual([worker.state, worker.snapshot().running.length], ['paused', 1]);
    // Less than what the worker itself takes for a sleep: the event must make it renew.
    clock.step(900);
    power.emit('resume');
    await nextEvent(worker, 'started');
    assert.deepEqual(spy.verbs.slice(0, 3), ['extend', 'extend', 'claimMany']);
    assert.deepEqual(
      worker.snapshot().running.map(({ groupId }) => groupId),
      ['a', 'b'],
    );
  }),
);

test(
  'without a resume event, a suspended worker resumes after the computer has been awake for a minute',
  withApp(async ({ clock, power, worker, bind }) => {
    bind();
    await untilIdle(worker);
    power.emit('suspend');
    clock.advance(59_999);
    assert.equal(worker.state, 'paused');
    clock.advance(1);
    assert.equal(worker.state, 'running');
  }),
);

test(
  "with onBattery: 'pause' the worker pauses on battery, also at its start, and a pause by the user outlasts it",
  withApp(async ({ power, worker, bind }) => {
    power.onBattery = true;
    bind({ onBattery: 'pause' });
    await untilIdle(worker);
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
  }),
);

test(
  'the priority floor rises on battery and falls on mains power, unless the app has changed it meanwhile',
  withApp(async ({ power, worker, bind }) => {
    bind({ onBattery: { minPriority: 3 } });
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
    assert.equal(worker.minPriority, 4, 'battery power never lowers the floor');
    power.emit('on-ac');
    assert.equal(worker.minPriority, 4);
  }),
);

test(
  "by default a quit is not delayed: the worker's messages are released before will-quit returns",
  withApp(async ({ queue, app, worker, bind }) => {
    queue.publish('a', 1);
    let closed = 0;
    bind({ afterStop: () => closed++ });
    await nextEvent(worker, 'started');
    assert.equal(app.quit(), true);
    assert.equal(worker.state, 'stopped');
    assert.equal(closed, 1);
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }),
);

test(
  'with stopTimeoutMs a quit waits at most that long for running handlers, and then quits by itself',
  withApp(async ({ clock, queue, app, worker, bind }) => {
    queue.publish('a', 1);
    let closed = 0;
    bind({ stopTimeoutMs: 4000, afterStop: () => closed++ });
    await nextEvent(worker, 'started');
    assert.equal(app.quit(), false);
    assert.equal(app.quit(), false, 'a second quit does not end the wait');
    assert.equal(worker.state, 'stopping');
    clock.advance(3000);
    assert.deepEqual([worker.state, worker.snapshot().running[0]?.aborted], ['stopping', true]);
    const quitAgain = once(app, 'will-quit');
    clock.advance(1000);
    await waitFor('the app to quit again', quitAgain);
    assert.deepEqual([worker.state, closed, app.quits], ['stopped', 1, 3]);
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }),
);

test(
  'a quit for an update is not delayed, even with stopTimeoutMs',
  withApp(async ({ queue, app, updater, worker, bind }) => {
    queue.publish('a', 1);
    bind({ stopTimeoutMs: 4000, autoUpdater: updater });
    await nextEvent(worker, 'started');
    updater.emit('before-quit-for-update');
    assert.equal(app.quit(), true);
    assert.equal(worker.state, 'stopped');
  }),
);

test(
  "the end of a Windows session releases the worker's messages before the window's listener returns",
  withApp(async ({ queue, app, worker, bind }) => {
    queue.publish('a', 1);
    bind({ stopTimeoutMs: 4000 });
    const window = new EventEmitter();
    app.emit('browser-window-created', {}, window);
    await nextEvent(worker, 'started');
    window.emit('session-end');
    assert.equal(worker.state, 'stopped');
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }),
);

test(
  'a worker that is no longer bound ignores the events of the app and of the power monitor',
  withApp(async ({ app, power, worker, bind }) => {
    const unbind = bind({ onBattery: 'pause' });
    await untilIdle(worker);
    unbind();
    power.emit('suspend');
    power.emit('on-battery');
    app.quit();
    assert.equal(worker.state, 'running');
  }),
);

test(
  'bindWorkerToApp refuses a misspelled or impossible option',
  withApp(async ({ bind }) => {
    assert.throws(() => bind({ stopTimeoutMS: 1 } as object), /did you mean "stopTimeoutMs"/);
    assert.throws(
      () => bind({ onBattery: 'stop' as 'pause' }),
      /onBattery must be "pause" or \{minPriority\}, not "stop"/,
    );
    assert.throws(
      () => bind({ onBattery: { minPriority: 7 } }),
      /onBattery\.minPriority must be a whole number/,
    );
    assert.throws(() => bind({ app: undefined as never }), /app is missing/);
    assert.throws(() => bind({ app: {} as never }), /app must be Electron's app, not an object/);
  }),
);

for (const ending of ['a quit', "the end of Windows' session"])
  test(`${ending} gives everything back before its listeners return, over an asynchronous transport`, async () => {
    using folder = new TempFolder();
    const queue = new AsyncSqliteTransport<number>({ path: folder.file() });
    const other = new SqliteTransport<number>({ path: folder.file() });
    const app = new App();
    const powerMonitor = new PowerMonitor();
    const worker = runWorker(queue, () => new Promise(() => {}));
    const unbind = bindWorkerToApp(worker, { app, powerMonitor });
    const window = new EventEmitter();
    app.emit('browser-window-created', {}, window);
    for (let n = 0; n < 3; n++) await queue.publish(`g${n}`, n);
    await nextEvent(worker, 'started', ({ groupId }) => groupId === 'g2');
    if (ending === 'a quit') assert.equal(app.quit(), true);
    else window.emit('session-end');
    assert.deepEqual(
      other.claimMany('the next start', 1000, 10).map(({ groupId, attempt }) => `${groupId} ${attempt}`),
      ['g0 1', 'g1 1', 'g2 1'],
    );
    await waitFor('the worker to stop', worker.stop());
    unbind();
    other.close();
    await queue.close();
  });
