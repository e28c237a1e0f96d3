/** The worker's options, checked and filled in. */

import { type Clock, systemClock } from '../../contract/clock.ts';
import { BadArgument } from '../../contract/errors.ts';
import {
  checkBoolean,
  checkKnown,
  checkNumber,
  checkPlainObject,
  checkText,
  checkWhole,
  show,
} from '../../validate/checks.ts';
import { type BackoffRule, makeBackoff } from './backoff.ts';
import type { Logger, StopOptions, WorkerOptions, WorkerSettings } from './worker-types.ts';

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

const SETTINGS = ['concurrency', 'minPriority', 'routingKeys'];
const KNOWN = [
  ...SETTINGS,
  'app',
  'visibilityMs',
  'maxAttempts',
  'backoff',
  'timeoutMs',
  'abortGraceMs',
  'stopTimeoutMs',
  'maxErrorLength',
  'pollMs',
  'releaseDeadWorkers',
  'logger',
  'clock',
];

const DEFAULTS: Settings = { concurrency: 4, minPriority: 0, routingKeys: undefined };

/** Raises BadArgument for the first option that is wrong. */
export function readOptions(options: WorkerOptions = {}): Configuration {
  checkPlainObject("The worker's options", options);
  checkKnown("the worker's options", options, KNOWN);
  const given: WorkerOptions = options;
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
    logger,
    clock = systemClock,
  } = given;
  checkText('app', app);
  if (app === '' || app.includes(':'))
    throw new BadArgument(`app must be a name without ':', not ${show(app)}.`);
  checkNumber('visibilityMs', visibilityMs, 100);
  if (maxAttempts !== Number.POSITIVE_INFINITY)
    checkWhole('maxAttempts (or Infinity)', maxAttempts, 1, Number.MAX_SAFE_INTEGER);
  checkNumber('timeoutMs', timeoutMs, 0);
  checkNumber('abortGraceMs', abortGraceMs, 0);
  checkNumber('stopTimeoutMs', stopTimeoutMs, 0);
  checkWhole('maxErrorLength', maxErrorLength, 100, 1_000_000);
  checkNumber('pollMs', pollMs, 0);
  checkBoolean('releaseDeadWorkers', releaseDeadWorkers);
  if (logger !== undefined) checkLogger(logger);
  return {
    ...readSettings(given, DEFAULTS),
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
    logger: logger ?? null,
    clock,
  };
}

/** For configure(): refuses options that are settled once the worker runs. */
export function checkSettingNames(settings: WorkerSettings): void {
  checkPlainObject('The settings', settings);
  checkKnown('the settings that can change while a worker runs', settings, SETTINGS);
}

/** `before`, with what `given` names in its place. An explicit undefined for routingKeys means every group. */
export function readSettings(given: WorkerSettings, before: Settings): Settings {
  const { concurrency = before.concurrency, minPriority = before.minPriority } = given;
  const routingKeys = 'routingKeys' in given ? given.routingKeys : before.routingKeys;
  checkWhole('concurrency', concurrency, 1, 1000);
  checkWhole('minPriority', minPriority, 0, 4);
  if (routingKeys !== undefined) {
    if (!Array.isArray(routingKeys))
      throw new BadArgument(`routingKeys must be an array of strings, not ${show(routingKeys)}.`);
    for (const key of routingKeys) checkText('A routing key', key);
  }
  return { concurrency, minPriority, routingKeys: routingKeys && [...routingKeys] };
}

export function checkReason(reason: unknown): asserts reason is string {
  checkText('The reason of a pause', reason);
}

export function readStopOptions(
  options: StopOptions | undefined,
  before: Configuration,
): { stopTimeoutMs: number; abortGraceMs: number } {
  const given: StopOptions = options ?? {};
  checkPlainObject('The options of stop', given);
  checkKnown('the options of stop', given, ['stopTimeoutMs', 'abortGraceMs']);
  const { stopTimeoutMs = before.stopTimeoutMs, abortGraceMs = before.abortGraceMs } = given;
  checkNumber('stopTimeoutMs', stopTimeoutMs, 0);
  checkNumber('abortGraceMs', abortGraceMs, 0);
  return { stopTimeoutMs, abortGraceMs };
}

function checkLogger(logger: unknown): asserts logger is Logger {
  for (const level of ['debug', 'info', 'warn', 'error']) {
    const method = (logger as Record<string, unknown> | null)?.[level];
    if (typeof method !== 'function')
      throw new BadArgument(
        `logger.${level} must be a function, not ${show(method)}: pino and electron-log fit.`,
      );
  }
}
