// Runs all suites or those named on the command line. Arguments after the name of one suite go to its runner:
// `npm test unit core/worker/test/claiming.test.ts`, `npm test e2e -- -g "dead letter"`.
import { constants } from 'node:os';
import { current, suites } from './suites/suites.ts';
import { isSuccess, lastLine, sum, type Tally } from './suites/tally.ts';

const args = process.argv.slice(2);
const end = args.findIndex((arg) => !(arg in suites));
const named = end === -1 ? args : args.slice(0, end);
const extra = end === -1 ? [] : args.slice(end);
if (extra.length > 0 && named.length !== 1) {
  console.error(`Name one suite before its arguments: ${Object.keys(suites).join(', ')}.`);
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    current?.kill(signal);
    // Let the runner clean up first. The display ends with this process.
    const leave = () => process.exit(128 + constants.signals[signal]);
    if (current === undefined) leave();
    else current.once('exit', leave);
  });
}

const results: { name: string; tally: Tally; seconds: string }[] = [];
for (const name of named.length > 0 ? named : Object.keys(suites)) {
  console.log(`\n${name}`);
  const started = performance.now();
  const tally = await suites[name]?.(extra);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (tally !== undefined) results.push({ name, tally, seconds });
}

console.log('');
for (const { name, tally, seconds } of results) {
  console.log(`${name.padEnd(6)} ${lastLine(tally)} (${seconds} s)`);
  for (const problem of tally.problems) console.log(`       ${problem}`);
}
const tallies = results.map(({ tally }) => tally);
process.exitCode = isSuccess(tallies) ? 0 : 1;
console.log(lastLine(sum(tallies)));
