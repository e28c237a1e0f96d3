/** Checks the worker's options and fills in their defaults. */
import { type Clock, systemClock } from '../../contract/clock.ts';
import { BadArgument } from '../../contract/errors.ts';
import {
  type Check,
  checkBoolean,
  checkClock,
  checkDuration,
  checkFunction,
  checkMaxAttempts,
  checkNumber,
  checkText,
  checkWhole,
  type FieldChecks,
  readable,
  readFields,
  show,
  unchecked,
} from '../../validate/checks.ts';
import { CLAIM_OPTIONS } from '../../validate/transport-arguments.ts';
import { type BackoffRule, makeBackoff } from './backoff.ts';
import type { Logger, StopOptions, WorkerOptions, WorkerSettings } from './worker-types.ts';

/** What can change while the worker runs. */
export interface Settings {
  readonly concurrency: number;
  readonly minPriority: number;
  readonly routingKeys: readonly string[] | undefined;
}

export interface Configuration extends Settings {
  readonly app: string;
  readonly visibilityMs: number;
  readonly maxAttempts: number;
  readonly backoff: BackoffRule;
  readonly timeoutMs: number;
  readonly abortGraceMs: number;
  readonly stopTimeoutMs: number;
  readonly maxErrorLength: number;
  readonly pollMs: number;
  readonly releaseDeadWorkers: boolean;
  readonly logger: Logger | null;
  readonly clock: Clock;
}

const DEFAULTS: Settings = { concurrency: 4, minPriority: 0, routingKeys: undefined };

const checkTime: Check = (what, value) => checkNumber(what, value, 0);

const checkApp: Check = (what, value) => {
  checkText(what, value);
  if (value === '' || value.includes(':'))
    throw new BadArgument(`${what} must be a name without ':', not ${show(value)}.`);
};

const checkLogger: Check = (what, value) => {
  for (const level of ['debug', 'info', 'warn', 'error'] satisfies (keyof Logger)[])
    checkFunction(`${what}.${level}`, (value as Partial<Logger> | null)?.[level]);
};

const SETTINGS: FieldChecks<WorkerSettings> = {
  concurrency: (what, value) => checkWhole(what, value, 1, 1000),
  ...CLAIM_OPTIONS,
};

const OPTIONS: FieldChecks<WorkerOptions> = {
  ...SETTINGS,
  app: checkApp,
  visibilityMs: (what, value) => checkDuration(what, value, 100),
  maxAttempts: checkMaxAttempts,
  // makeBackoff checks it.
  backoff: unchecked,
  timeoutMs: checkTime,
  abortGraceMs: checkTime,
  stopTimeoutMs: checkTime,
  maxErrorLength: (what, value) => checkWhole(what, value, 100, 1_000_000),
  pollMs: checkTime,
  releaseDeadWorkers: checkBoolean,
  logger: checkLogger,
  clock: checkClock,
};

const STOP_OPTIONS: FieldChecks<StopOptions> = { stopTimeoutMs: checkTime, abortGraceMs: checkTime };

/** Raises BadArgument for the first option that is wrong. */
export function readOptions(options: WorkerOptions = {}): Configuration {
  const given = readFields<WorkerOptions>('options of runWorker', options, OPTIONS);
  const {
    app = 'leasehold',
    visibilityMs = 30_000,
    maxAttempts = 5,
    backoff,
    timeoutMs = 0,
    abortGraceMs = 1000,
    stopTimeoutMs = 5000,
    maxErrorLength = 4000,
    pollMs = 1000,
    releaseDeadWorkers = true,
    logger = null,
    clock = systemClock,
  } = given;
  return {
    ...withDefaults(given, DEFAULTS),
    app,
    visibilityMs,
    maxAttempts,
    backoff: makeBackoff(backoff),
    timeoutMs,
    abortGraceMs,
    stopTimeoutMs,
    maxErrorLength,
    pollMs,
    releaseDeadWorkers,
    logger,
    clock,
  };
}

/** Returns `before` with the changes. An explicit undefined for routingKeys means every group. Raises BadArgument. */
export function readSettings(changes: WorkerSettings, before: Settings): Settings {
  const what = 'the settings that can change while a worker runs';
  const given = readFields<WorkerSettings>(what, changes, SETTINGS);
  const clearsKeys = readable(what, () => 'routingKeys' in changes) && given.routingKeys === undefined;
  return { ...withDefaults(given, before), ...(clearsKeys && { routingKeys: undefined }) };
}

function withDefaults(given: WorkerSettings, before: Settings): Settings {
  const { concurrency = before.concurrency, minPriority = before.minPriority } = given;
  const { routingKeys = before.routingKeys } = given;
  return { concurrency, minPriority, routingKeys };
}

export function readStopOptions(
  options: StopOptions | undefined,
  defaults: Configuration,
): { stopTimeoutMs: number; abortGraceMs: number } {
  const given = readFields<StopOptions>('options of stop', options ?? {}, STOP_OPTIONS);
  const { stopTimeoutMs = defaults.stopTimeoutMs, abortGraceMs = defaults.abortGraceMs } = given;
  return { stopTimeoutMs, abortGraceMs };
}

export function checkPauseReason(reason: unknown): asserts reason is string {
  checkText('The reason of a pause', reason);
}
