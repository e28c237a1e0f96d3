/**
 * The options of bindWorkerToApp: types and checks. The caller passes Electron's `app`, `powerMonitor` and `autoUpdater`,
 * declared here with the few members that are used, so that nothing imports electron and all of it runs in plain Node.
 */
import type { Clock } from '../../core/contract/clock.ts';
import { BadArgument } from '../../core/contract/errors.ts';
import {
  type Check,
  checkFields,
  checkFunction,
  checkNumber,
  type FieldChecks,
  show,
  unchecked,
} from '../../core/validate/checks.ts';
import { checkPriority } from '../../core/validate/transport-arguments.ts';

// biome-ignore lint/suspicious/noExplicitAny: Electron's own listeners have a type for each event name
export type Listener = (...details: any[]) => void;

export interface EmitterLike {
  // biome-ignore lint/suspicious/noExplicitAny: accepts Electron's overloads, one for each event name
  on(event: any, listener: Listener): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: accepts Electron's overloads, one for each event name
  removeListener(event: any, listener: Listener): unknown;
}

/** Electron's `app`: 'will-quit', 'browser-window-created', quit(). */
export interface AppLike extends EmitterLike {
  quit(): void;
}

/** Electron's `powerMonitor`: 'suspend', 'resume', 'on-battery', 'on-ac'. */
export interface PowerMonitorLike extends EmitterLike {
  isOnBatteryPower(): boolean;
}

/** Electron's `autoUpdater`: 'before-quit-for-update'. */
export type AutoUpdaterLike = EmitterLike;

export interface WorkerBindingOptions {
  readonly app: AppLike;
  readonly powerMonitor: PowerMonitorLike;
  /** When it quits for an update, the quit is never delayed. */
  readonly autoUpdater?: AutoUpdaterLike | undefined;
  /** On battery, 'pause' claims nothing, and {minPriority} raises the priority floor. Default: no change. */
  readonly onBattery?: 'pause' | BatteryFloor | undefined;
  /**
   * How long a quit is delayed so that running handlers can finish, ms: by preventDefault on 'will-quit', when the windows
   * are closed. Default 0: the quit is not delayed, running handlers are aborted and their messages released at once.
   */
  readonly stopTimeoutMs?: number | undefined;
  /** Called once, when the worker has stopped. Close the transport here. */
  readonly afterStop?: (() => void) | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

interface BatteryFloor {
  readonly minPriority: number;
}

const checkEmitter =
  (name: string): Check =>
  (what, value) => {
    if (typeof (value as Partial<EmitterLike> | null)?.on !== 'function')
      throw new BadArgument(`${what} must be Electron's ${name}, not ${show(value)}.`);
  };

const BATTERY_FLOOR: FieldChecks<BatteryFloor> = { minPriority: checkPriority };

const checkOnBattery: Check = (what, value) => {
  if (value === 'pause') return;
  if (typeof value !== 'object')
    throw new BadArgument(`${what} must be "pause" or {minPriority}, not ${show(value)}.`);
  checkFields<BatteryFloor>(what, value, BATTERY_FLOOR, { prefix: `${what}.`, required: ['minPriority'] });
};

const OPTIONS: FieldChecks<WorkerBindingOptions> = {
  app: checkEmitter('app'),
  powerMonitor: checkEmitter('powerMonitor'),
  autoUpdater: checkEmitter('autoUpdater'),
  onBattery: checkOnBattery,
  stopTimeoutMs: (what, value) => checkNumber(what, value, 0),
  afterStop: checkFunction,
  clock: unchecked,
};

export function checkBindingOptions(options: unknown): asserts options is WorkerBindingOptions {
  checkFields<WorkerBindingOptions>('options of bindWorkerToApp', options, OPTIONS, {
    required: ['app', 'powerMonitor'],
  });
}
