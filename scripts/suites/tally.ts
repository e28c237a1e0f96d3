// Turns the reports of the runners into counts. Everything but a test that ran and passed is a failure: a skipped test, a flaky
// test, a runner that crashed, a suite without tests.
import { resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export interface Tally {
  passed: number;
  failed: number;
  /** Reasons for failures that are not failed tests. Each one is included in `failed`. */
  problems: string[];
}

export const emptyTally = (): Tally => ({ passed: 0, failed: 0, problems: [] });

function fail(tally: Tally, problem: string, count = 1) {
  tally.failed += count;
  tally.problems.push(problem);
}

/**
 * Adds one event of node:test. Tests count. A suite counts only if it fails by itself, for example in a hook.
 * @param folder the working directory of the runner, to which file names are relative
 */
export function countEvent(tally: Tally, event: TestEvent, folder = ''): void {
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return;
  const { data } = event;
  const isSuite = data.details.type === 'suite';
  if (data.skip !== undefined || data.todo !== undefined) {
    fail(tally, `skipped or todo: ${data.name}`);
  } else if (event.type === 'test:pass') {
    if (isSuite) return;
    // node:test reports a file as a test if it contains no test.
    if (data.file !== undefined && resolve(folder, data.name) === data.file)
      fail(tally, `no test in ${data.name}`);
    else tally.passed++;
  } else if (failureType(event) !== 'subtestsFailed') {
    tally.failed++;
  }
}

export function failureType(event: Extract<TestEvent, { type: 'test:fail' }>): unknown {
  const { error } = event.data.details;
  return 'failureType' in error ? error.failureType : undefined;
}

/** The part of Playwright's JSON report that is used here. */
export interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  errors: { message?: string }[];
}

export function tallyOfPlaywright({ stats, errors }: PlaywrightReport): Tally {
  const tally: Tally = { passed: stats.expected, failed: stats.unexpected, problems: [] };
  if (stats.flaky > 0) fail(tally, `${stats.flaky} flaky`, stats.flaky);
  if (stats.skipped > 0) fail(tally, `${stats.skipped} skipped or not run`, stats.skipped);
  for (const error of errors) fail(tally, error.message ?? 'an error outside of any test');
  return tally;
}

/**
 * Returns the result of a suite.
 * @param ending the exit code of the runner, or the signal that ended it
 * @param reported undefined if the runner left no report
 */
export function verdict(ending: number | NodeJS.Signals, reported: Tally | undefined): Tally {
  const tally = reported === undefined ? emptyTally() : { ...reported, problems: [...reported.problems] };
  if (reported === undefined) fail(tally, `the runner left no report (it ended with ${ending})`);
  else if (ending !== 0 && tally.failed === 0) fail(tally, `the runner ended with ${ending}`);
  else if (tally.passed + tally.failed === 0) fail(tally, 'nothing was tested');
  return tally;
}

/** A check without tests counts as one. */
export const verdictOfCheck = (ending: number | NodeJS.Signals): Tally =>
  ending === 0 ? { passed: 1, failed: 0, problems: [] } : { passed: 0, failed: 1, problems: [] };

export function sum(tallies: Tally[]): Tally {
  const total = emptyTally();
  for (const { passed, failed, problems } of tallies) {
    total.passed += passed;
    total.failed += failed;
    total.problems.push(...problems);
  }
  return total;
}

/** Success needs at least one suite, at least one test in each, and no failure. */
export const isSuccess = (tallies: Tally[]): boolean =>
  tallies.length > 0 && tallies.every(({ passed, failed }) => passed > 0 && failed === 0);

export const lastLine = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`;
