import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import {
  countEvent,
  emptyTally,
  isSuccess,
  lastLine,
  sum,
  type Tally,
  tallyOfPlaywright,
  verdict,
  verdictOfCheck,
} from '../tally.ts';

const tally = (passed: number, failed: number): Tally => ({ passed, failed, problems: [] });

test('the verdict on a suite is its report when the runner exits with 0', () => {
  assert.deepEqual(verdict(0, tally(3, 0)), tally(3, 0));
});
test('a runner that crashes after its tests passed counts as one failure', () => {
  assert.equal(verdict(1, tally(3, 0)).failed, 1);
  assert.equal(verdict('SIGSEGV', tally(3, 0)).failed, 1);
});
test('a failure that is in the report and in the exit code counts once', () =>
  assert.equal(verdict(1, tally(3, 2)).failed, 2));
test('a suite without a report counts as one failure, even when the runner exits with 0', () => {
  assert.equal(verdict(0, undefined).failed, 1);
  assert.equal(verdict(1, undefined).failed, 1);
});
test('a suite that ran no test counts as one failure', () =>
  assert.equal(verdict(0, emptyTally()).failed, 1));
test('a check counts as one test, passed or failed', () => {
  assert.equal(lastLine(verdictOfCheck(0)), '1 passed, 0 failed');
  assert.equal(lastLine(verdictOfCheck(2)), '0 passed, 1 failed');
  assert.equal(lastLine(verdictOfCheck('SIGKILL')), '0 passed, 1 failed');
});

test('a run succeeds when every suite has a passed test and no failed one', () => {
  assert.equal(isSuccess([tally(1, 0), tally(7, 0)]), true);
});
test('a run fails with one failed test in one suite', () =>
  assert.equal(isSuccess([tally(9, 0), tally(7, 1)]), false));
test('a run fails with a suite that has no test', () =>
  assert.equal(isSuccess([tally(9, 0), tally(0, 0)]), false));
test('a run without a suite fails', () => assert.equal(isSuccess([]), false));
test('the last line of a run has the sums over its suites', () => {
  assert.equal(lastLine(sum([tally(9, 1), tally(7, 2)])), '16 passed, 3 failed');
});

describe('a report by Playwright', () => {
  const stats = { expected: 5, unexpected: 0, flaky: 0, skipped: 0 };
  const failedOf = (change: Partial<typeof stats>, errors: { message: string }[] = []) =>
    tallyOfPlaywright({ stats: { ...stats, ...change }, errors }).failed;

  test('a report by Playwright of passed tests has no failure', () => assert.equal(failedOf({}), 0));
  test('a failed test in a report by Playwright counts as failed', () =>
    assert.equal(failedOf({ unexpected: 2 }), 2));
  test('a flaky test in a report by Playwright counts as failed', () =>
    assert.equal(failedOf({ flaky: 1 }), 1));
  test('a skipped test in a report by Playwright counts as failed', () =>
    assert.equal(failedOf({ skipped: 3 }), 3));
  test('an error outside of the tests in a report by Playwright counts as failed', () =>
    assert.equal(failedOf({}, [{ message: 'no config' }]), 1));
});

// The real runner, on test files that fail in every way. All run at once, and the events of each file are counted.
describe('the report of the unit tests', () => {
  const eventsReporter = `
    export default async function* (source) {
      for await (const { type, data } of source) {
        const details = { ...data.details, error: { failureType: data.details?.error?.failureType } };
        if (type === 'test:pass' || type === 'test:fail') yield JSON.stringify({ type, data: { ...data, details } }) + '\\n';
      }
    }`;
  const nameOf = (index: number) => `${index}.test.mjs`;
  let folder: string;
  let events: TestEvent[];

  function runTests(args: string[], env: NodeJS.ProcessEnv = {}) {
    // With this variable, which is set inside of a test, node refuses to run tests.
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const options = { cwd: folder, encoding: 'utf8', env: { ...inherited, ...env } } as const;
    return spawnSync(process.execPath, ['--test', ...args], options);
  }

  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'leasehold-tally-')));
    writeFileSync(join(folder, 'events.mjs'), eventsReporter);
    for (const [index, [, code]] of counts.entries()) {
      writeFileSync(
        join(folder, nameOf(index)),
        `import { after, describe, test } from 'node:test';\n${code}\n`,
      );
    }
    const run = runTests(['--test-reporter=./events.mjs', '*.test.mjs']);
    events = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  });
  after(() => rmSync(folder, { recursive: true }));

  const counts: [what: string, code: string, passed: number, failed: number][] = [
    ['passes', "test('a', () => {}); describe('s', () => { test('b', () => {}); });", 2, 0],
    ['fails', "test('a', () => { throw new Error('x'); }); test('b', () => {});", 1, 1],
    [
      'fails within a suite, once',
      "describe('s', () => { test('a', () => { throw new Error('the reason'); }); });",
      0,
      1,
    ],
    ['has no test', '', 0, 1],
    ['ends the process', "test('a', () => {}); process.exit(3);", 0, 1],
    ['ends the process with exit code 0', 'process.exit(0);', 0, 1],
    ['throws while it loads', "throw new Error('x');", 0, 1],
    ['is not JavaScript', 'this is not JavaScript', 0, 1],
    ['skips a test', "test.skip('a', () => {}); test('b', () => {});", 1, 1],
    ['skips a suite', "describe.skip('s', () => { test('a', () => {}); }); test('b', () => {});", 1, 1],
    ['leaves a test to do', "test.todo('a'); test('b', () => {});", 1, 1],
    [
      'fails in a hook',
      "describe('s', () => { after(() => { throw new Error('x'); }); test('a', () => {}); });",
      1,
      1,
    ],
    [
      'throws after its test has ended',
      "test('a', () => { setTimeout(() => { throw new Error('x'); }, 5); }); test('b', () => new Promise((r) => setTimeout(r, 50)));",
      2,
      1,
    ],
  ];
  for (const [index, [what, , passed, failed]] of counts.entries()) {
    test(`a test file that ${what} counts ${passed} passed and ${failed} failed`, () => {
      const file = join(folder, nameOf(index));
      const found = emptyTally();
      for (const event of events) {
        const isOfFile = event.data !== undefined && 'file' in event.data && event.data.file === file;
        if (isOfFile) countEvent(found, event, folder);
      }
      const result = verdict(0, found);
      assert.equal(lastLine(result), `${passed} passed, ${failed} failed`, result.problems.join('\n'));
      assert.equal(isSuccess([result]), failed === 0);
    });
  }

  test('a failed test is printed with its name and its error, and is counted in the report', () => {
    const reporter = fileURLToPath(new URL('../reporter.ts', import.meta.url));
    const index = counts.findIndex(([what]) => what.startsWith('fails within'));
    const report = join(folder, 'report.json');
    const { stdout } = runTests([`--test-reporter=${reporter}`, nameOf(index)], { UNIT_REPORT: report });
    assert.match(stdout, /FAILED s > a/);
    assert.match(stdout, /the reason/);
    assert.equal(lastLine(JSON.parse(readFileSync(report, 'utf8'))), '0 passed, 1 failed');
  });
});
