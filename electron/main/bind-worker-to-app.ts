/**
 * Ties a worker to the life of an Electron app: sleep, battery, quitting, the end of a Windows session.
 *
 * `app`, `powerMonitor` and `autoUpdater` are handed in, as the few parts of Electron's that are used here: this file
 * runs in plain Node as well.
 */
import { type Clock, systemClock } from '../../core/contract/clock.ts';
import { BadArgument } from '../../core/contract/errors.ts';
import { checkKnown, checkNumber, checkPlainObject, checkWhole, show } from '../../core/validate/checks.ts';
import type { Worker } from '../../core/worker/contract/worker-types.ts';

// biome-ignore lint/suspicious/noExplicitAny: Electron's own listeners have a type for each event name
type Listener = (...details: any[]) => void;

interface Emits {
  // biome-ignore lint/suspicious/noExplicitAny: so that Electron's overloads, one for each event name, fit
  on(event: any, listener: Listener): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  removeListener(event: any, listener: Listener): unknown;
}

/** Electron's `app`: 'will-quit', 'browser-window-created', quit(). */
export interface AppLike extends Emits {
  quit(): void;
}

/** Electron's `powerMonitor`: 'suspend', 'resume', 'on-battery', 'on-ac'. */
export interface PowerMonitorLike extends Emits {
  isOnBatteryPower(): boolean;
}

/** Electron's `autoUpdater`: 'before-quit-for-update'. */
export type AutoUpdaterLike = Emits;

export interface WorkerLifecycle {
  readonly app: AppLike;
  readonly powerMonitor: PowerMonitorLike;
  /** While it quits for an update, the quit is never held up. */
  readonly autoUpdater?: AutoUpdaterLike | undefined;
  /** 'pause': claim nothing on battery; {minPriority}: claim only what is at least so urgent. Default: as on mains. */
  readonly onBattery?: 'pause' | { readonly minPriority: number } | undefined;
  /**
   * How long a quit may be held up (by preventDefault on 'will-quit', when the windows are closed) so that running
   * handlers can finish, ms. Default 0: the quit is never held up; what runs is aborted and given back at once.
   */
  readonly stopTimeoutMs?: number | undefined;
  /** Called once the worker has stopped for good: the place to close the transport. */
  readonly afterStop?: (() => void) | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

const KNOWN = ['app', 'powerMonitor', 'autoUpdater', 'onBattery', 'stopTimeoutMs', 'afterStop', 'clock'];

/** Should the news that the computer is awake never come, go on after being awake this long: timers sleep along. */
const AWAKE_AGAIN_MS = 60_000;

/** The last part of stopTimeoutMs, in which aborted handlers may still settle. */
const ABORT_GRACE_MS = 1000;

/**
 * Pauses the worker while the computer sleeps and renews its leases first afterwards, does as told on battery, and stops
 * it when the app quits or Windows ends the session. Returns what unties them. Errors: BadArgument.
 */
export function bindWorkerToApp(worker: Worker, options: WorkerLifecycle): () => void {
  const { app, powerMonitor, autoUpdater, stopTimeoutMs, onBattery, afterStop, clock } = readOptions(options);
  const ties: (() => void)[] = [];
  const tie = (source: Emits, event: string, listener: Listener) => {
    source.on(event, listener);
    ties.push(() => source.removeListener(event, listener));
  };

  let cancelAwake: (() => void) | null = null;
  const awake = () => {
    cancelAwake?.();
    cancelAwake = null;
    worker.wake();
    worker.resume('suspend');
  };
  tie(powerMonitor, 'suspend', () => {
    worker.pause('suspend');
    cancelAwake?.();
    cancelAwake = clock.after(AWAKE_AGAIN_MS, awake);
  });
  tie(powerMonitor, 'resume', awake);
  ties.push(() => cancelAwake?.());

  if (onBattery) {
    const battery =
      onBattery === 'pause' ? pauseOnBattery(worker) : floorOnBattery(worker, onBattery.minPriority);
    tie(powerMonitor, 'on-battery', battery.on);
    tie(powerMonitor, 'on-ac', battery.off);
    if (powerMonitor.isOnBatteryPower()) battery.on();
  }

  let updating = false;
  if (autoUpdater)
    tie(autoUpdater, 'before-quit-for-update', () => {
      updating = true;
    });

  let told = false;
  const stopped = () => {
    if (told) return;
    told = true;
    afterStop?.();
  };
  const stopNow = () => {
    const stopping = worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    // With a synchronous transport all is given back by now, and the process may end before a promise is looked at.
    if (worker.state === 'stopped') stopped();
    else void stopping.then(stopped);
  };
  let finishing = false;
  // Not 'before-quit': a window may still refuse to close after it, and the app would live on without its worker.
  tie(app, 'will-quit', (event: { preventDefault(): void }) => {
    if (worker.state === 'stopped') stopped();
    else if (stopTimeoutMs === 0 || updating) stopNow();
    else {
      event.preventDefault();
      // Quitting again while it finishes only finds the quit held up once more.
      if (finishing) return;
      finishing = true;
      const abortGraceMs = Math.min(ABORT_GRACE_MS, stopTimeoutMs / 2);
      void worker.stop({ stopTimeoutMs: stopTimeoutMs - abortGraceMs, abortGraceMs }).then(() => {
        stopped();
        app.quit();
      });
    }
  });
  // Windows ends the process soon after this, without a quit; only windows are told.
  let tied = true;
  tie(app, 'browser-window-created', (_event: unknown, window: Emits) => {
    window.on('session-end', () => {
      if (tied) stopNow();
    });
  });

  return () => {
    tied = false;
    for (const untie of ties) untie();
  };
}

function pauseOnBattery(worker: Worker): { on: () => void; off: () => void } {
  return { on: () => worker.pause('battery'), off: () => worker.resume('battery') };
}

/** Lowers the floor again only where nobody else has set it meanwhile. */
function floorOnBattery(worker: Worker, minPriority: number): { on: () => void; off: () => void } {
  let raised: { from: number; to: number } | null = null;
  return {
    on() {
      if (raised || worker.minPriority >= minPriority) return;
      raised = { from: worker.minPriority, to: minPriority };
      worker.minPriority = minPriority;
    },
    off() {
      if (raised && worker.minPriority === raised.to) worker.minPriority = raised.from;
      raised = null;
    },
  };
}

function readOptions(options: WorkerLifecycle) {
  checkPlainObject('The options of bindWorkerToApp', options);
  checkKnown('the options of bindWorkerToApp', options, KNOWN);
  const {
    app,
    powerMonitor,
    autoUpdater,
    onBattery,
    stopTimeoutMs = 0,
    afterStop,
    clock = systemClock,
  } = options as WorkerLifecycle;
  if (typeof app?.on !== 'function') throw new BadArgument(`app must be Electron's app, not ${show(app)}.`);
  if (typeof powerMonitor?.on !== 'function')
    throw new BadArgument(`powerMonitor must be Electron's powerMonitor, not ${show(powerMonitor)}.`);
  checkNumber('stopTimeoutMs', stopTimeoutMs, 0);
  if (typeof onBattery === 'object') {
    checkKnown('onBattery', onBattery, ['minPriority']);
    checkWhole('onBattery.minPriority', onBattery.minPriority, 0, 4);
  } else if (onBattery !== undefined && onBattery !== 'pause')
    throw new BadArgument(`onBattery must be "pause" or {minPriority}, not ${show(onBattery)}.`);
  return { app, powerMonitor, autoUpdater, onBattery, stopTimeoutMs, afterStop, clock };
}
