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

describe('the verdict on a suite', () => {
  test('is what was reported, if the runner ended well', () => {
    assert.deepEqual(verdict(0, tally(3, 0)), tally(3, 0));
  });
  test('counts a runner that crashed after its tests had passed as one failure', () => {
    assert.equal(verdict(1, tally(3, 0)).failed, 1);
    assert.equal(verdict('SIGSEGV', tally(3, 0)).failed, 1);
  });
  test('counts no failure twice', () => assert.equal(verdict(1, tally(3, 2)).failed, 2));
  test('counts a suite without a report as one failure, even if its runner ended well', () => {
    assert.equal(verdict(0, undefined).failed, 1);
    assert.equal(verdict(1, undefined).failed, 1);
  });
  test('counts a suite that ran nothing as one failure', () =>
    assert.equal(verdict(0, emptyTally()).failed, 1));
  test('on a check is one, passed or failed', () => {
    assert.equal(lastLine(verdictOfCheck(0)), '1 passed, 0 failed');
    assert.equal(lastLine(verdictOfCheck(2)), '0 passed, 1 failed');
    assert.equal(lastLine(verdictOfCheck('SIGKILL')), '0 passed, 1 failed');
  });
});

describe('the whole run', () => {
  test('succeeds if every suite passed something and failed nothing', () => {
    assert.equal(isSuccess([tally(1, 0), tally(7, 0)]), true);
  });
  test('fails with one failure in one suite', () =>
    assert.equal(isSuccess([tally(9, 0), tally(7, 1)]), false));
  test('fails with a suite that tested nothing', () =>
    assert.equal(isSuccess([tally(9, 0), tally(0, 0)]), false));
  test('fails without a suite', () => assert.equal(isSuccess([]), false));
  test('ends with the sums', () => {
    assert.equal(lastLine(sum([tally(9, 1), tally(7, 2)])), '16 passed, 3 failed');
  });
});

describe("Playwright's report", () => {
  const stats = { expected: 5, unexpected: 0, flaky: 0, skipped: 0 };
  const failedOf = (change: Partial<typeof stats>, errors: { message: string }[] = []) =>
    tallyOfPlaywright({ stats: { ...stats, ...change }, errors }).failed;

  test('of passed tests is no failure', () => assert.equal(failedOf({}), 0));
  test('counts the failed', () => assert.equal(failedOf({ unexpected: 2 }), 2));
  test('counts the flaky as failed', () => assert.equal(failedOf({ flaky: 1 }), 1));
  test('counts the skipped as failed', () => assert.equal(failedOf({ skipped: 3 }), 3));
  test('counts an error outside of the tests', () =>
    assert.equal(failedOf({}, [{ message: 'no config' }]), 1));
});

// The real runner, on test files that go wrong in every way there is: all of them in one run, whose events are counted
// for each file apart.
describe('a file of unit tests', () => {
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
    // Inside of a test node refuses to run tests, by this variable.
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
    ['ends the process as if all were well', 'process.exit(0);', 0, 1],
    ['throws as it loads', "throw new Error('x');", 0, 1],
    ['is no JavaScript', 'this is not JavaScript', 0, 1],
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
    test(`that ${what} counts ${passed} passed, ${failed} failed`, () => {
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

  test('that fails is shown with its name and its reason, and counted in the report', () => {
    const reporter = fileURLToPath(new URL('../reporter.ts', import.meta.url));
    const index = counts.findIndex(([what]) => what.startsWith('fails within'));
    const report = join(folder, 'report.json');
    const { stdout } = runTests([`--test-reporter=${reporter}`, nameOf(index)], { UNIT_REPORT: report });
    assert.match(stdout, /FAILED s > a/);
    assert.match(stdout, /the reason/);
    assert.equal(lastLine(JSON.parse(readFileSync(report, 'utf8'))), '0 passed, 1 failed');
  });
});
