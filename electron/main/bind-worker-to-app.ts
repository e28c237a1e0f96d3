/** Binds a worker to the life of an Electron app: sleep, battery, quit, the end of a Windows session. */
import { type Clock, systemClock } from '../../core/contract/clock.ts';
import type { Worker } from '../../core/worker/contract/worker-types.ts';
import {
  type AppLike,
  type AutoUpdaterLike,
  checkBindingOptions,
  type EmitterLike,
  type Listener,
  type PowerMonitorLike,
  type WorkerBindingOptions,
} from './worker-binding-options.ts';

export type {
  AppLike,
  AutoUpdaterLike,
  PowerMonitorLike,
  WorkerBindingOptions,
} from './worker-binding-options.ts';

/** Removes the listeners and timers of one binding. */
type Unbind = () => void;

/** Without a `resume` event, the worker resumes after this time. The timer stands still during sleep: only time awake counts. */
const RESUME_AFTER_MS = 60_000;

/** The last part of stopTimeoutMs, in which aborted handlers may still settle. */
const MAX_ABORT_GRACE_MS = 1000;

/**
 * Pauses the worker while the computer sleeps and renews its leases first afterwards, applies `onBattery`, and stops the
 * worker when the app quits or Windows ends the session. Call it before the first window is created. Returns a function
 * that ends the binding. Raises BadArgument.
 */
export function bindWorkerToApp(worker: Worker, options: WorkerBindingOptions): () => void {
  checkBindingOptions(options);
  const { app, powerMonitor, autoUpdater, onBattery, stopTimeoutMs = 0, clock = systemClock } = options;
  const stop = new Stop(worker, options.afterStop);
  const unbinds = [
    bindToSleep(worker, powerMonitor, clock),
    bindToBattery(worker, powerMonitor, onBattery),
    bindToQuit(stop, app, autoUpdater, stopTimeoutMs),
    bindToSessionEnd(stop, app),
  ];
  return () => {
    for (const unbind of unbinds) unbind();
  };
}

function bindToSleep(worker: Worker, powerMonitor: PowerMonitorLike, clock: Clock): Unbind {
  let cancelResume: (() => void) | null = null;
  const cancel = () => {
    cancelResume?.();
    cancelResume = null;
  };
  const resume = () => {
    cancel();
    worker.wake();
    worker.resume('suspend');
  };
  const unlisten = listen(powerMonitor, {
    suspend() {
      worker.pause('suspend');
      cancel();
      cancelResume = clock.after(RESUME_AFTER_MS, resume);
    },
    resume,
  });
  return () => {
    unlisten();
    cancel();
  };
}

function bindToBattery(
  worker: Worker,
  powerMonitor: PowerMonitorLike,
  onBattery: WorkerBindingOptions['onBattery'],
): Unbind {
  if (onBattery === undefined) return () => {};
  const power = onBattery === 'pause' ? pauseOnBattery(worker) : raiseFloor(worker, onBattery.minPriority);
  if (powerMonitor.isOnBatteryPower()) power.onBattery();
  return listen(powerMonitor, { 'on-battery': power.onBattery, 'on-ac': power.onMains });
}

interface PowerChanges {
  onBattery(): void;
  onMains(): void;
}

function pauseOnBattery(worker: Worker): PowerChanges {
  return { onBattery: () => worker.pause('battery'), onMains: () => worker.resume('battery') };
}

/** Lowers the floor again unless the app has changed it meanwhile. */
function raiseFloor(worker: Worker, minPriority: number): PowerChanges {
  let before: number | null = null;
  return {
    onBattery() {
      if (before !== null || worker.minPriority >= minPriority) return;
      before = worker.minPriority;
      worker.minPriority = minPriority;
    },
    onMains() {
      if (before !== null && worker.minPriority === minPriority) worker.minPriority = before;
      before = null;
    },
  };
}

function bindToQuit(
  stop: Stop,
  app: AppLike,
  autoUpdater: AutoUpdaterLike | undefined,
  stopTimeoutMs: number,
): Unbind {
  let isUpdating = false;
  let isWaiting = false;
  const unlisten = listen(app, {
    // Not 'before-quit': a window may refuse to close after it, and the app would continue without its worker.
    'will-quit'(event: { preventDefault(): void }) {
      if (stop.isOver || stopTimeoutMs === 0 || isUpdating) {
        stop.now();
        return;
      }
      event.preventDefault();
      // A further quit does not end the wait.
      if (isWaiting) return;
      isWaiting = true;
      void stop.within(stopTimeoutMs).then(() => app.quit());
    },
  });
  const unlistenUpdater = listen(autoUpdater, {
    'before-quit-for-update'() {
      isUpdating = true;
    },
  });
  return () => {
    unlisten();
    unlistenUpdater();
  };
}

/** Windows ends the process soon after this event, without a quit. Only windows receive it. */
function bindToSessionEnd(stop: Stop, app: AppLike): Unbind {
  let isBound = true;
  const unlisten = listen(app, {
    'browser-window-created'(_event: unknown, window: EmitterLike) {
      window.on('session-end', () => {
        if (isBound) stop.now();
      });
    },
  });
  return () => {
    isBound = false;
    unlisten();
  };
}

/** Stops the worker and calls `afterStop` once. */
class Stop {
  readonly #worker: Worker;
  #afterStop: (() => void) | undefined;

  constructor(worker: Worker, afterStop: (() => void) | undefined) {
    this.#worker = worker;
    this.#afterStop = afterStop;
  }

  get isOver(): boolean {
    return this.#worker.state === 'stopped';
  }

  /** Everything is released on return: the process may end before a promise settles. */
  now(): void {
    const stopped = this.#worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    if (this.isOver) this.#ended();
    else void stopped.then(() => this.#ended());
  }

  async within(timeoutMs: number): Promise<void> {
    const abortGraceMs = Math.min(MAX_ABORT_GRACE_MS, timeoutMs / 2);
    await this.#worker.stop({ stopTimeoutMs: timeoutMs - abortGraceMs, abortGraceMs });
    this.#ended();
  }

  #ended(): void {
    const afterStop = this.#afterStop;
    this.#afterStop = undefined;
    afterStop?.();
  }
}

/** Listens until the returned function is called. Without a source it does nothing. */
function listen(source: EmitterLike | undefined, listeners: Readonly<Record<string, Listener>>): Unbind {
  const entries = source ? Object.entries(listeners) : [];
  for (const [event, listener] of entries) source?.on(event, listener);
  return () => {
    for (const [event, listener] of entries) source?.removeListener(event, listener);
  };
}
