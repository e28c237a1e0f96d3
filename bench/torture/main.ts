/**
 * `npm run torture [-- NAME …] [--size N] [--seed N]`: runs the named torture runs (default: all), prints a summary, and
 * writes the section of each into bench/TORTURE.md. It exits with 1 when a run found a violation, or missed a planted fault.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machine, print } from '../report.ts';
import { RUNS } from './runs.ts';
import { amountOf, sectionOf, withSections } from './summary.ts';
import { supervise } from './supervise.ts';

const REPORT = new URL('../TORTURE.md', import.meta.url);

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  console.error(`--${option} ${text} must be a whole number below a billion.`);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  options: { size: { type: 'string' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const size = wholeNumber('size', values.size);
const seed = wholeNumber('seed', values.seed) ?? 1;
const names = positionals.length > 0 ? positionals : Object.keys(RUNS);
const unknown = names.find((name) => !Object.hasOwn(RUNS, name));
if (unknown !== undefined) {
  console.error(`There is no torture run "${unknown}". There are: ${Object.keys(RUNS).join(', ')}.`);
  process.exit(2);
}

const showProgress = (line: string) => {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K  ${line}`);
};
const sections = new Map<string, string>();
const failed: string[] = [];
for (const name of names) {
  console.log(`\n${name} (seed ${seed})`);
  const finished = await supervise({ name, size, seed }, showProgress);
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
  console.log(`  ${finished.title}: ${amountOf(finished)} in ${finished.seconds.toFixed(0)} s`);
  finished.rows.forEach(print);
  if (finished.rows.some(({ met }) => met === false)) failed.push(name);
  sections.set(name, sectionOf(name, finished, seed, machine()));
}
const before = existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : '';
writeFileSync(REPORT, withSections(before, sections, Object.keys(RUNS)));
const verdict = failed.length === 0 ? 'nothing failed' : `failed: ${failed.join(', ')}`;
console.log(`\n${names.length} runs, ${verdict}. Written to bench/TORTURE.md.`);
process.exitCode = failed.length === 0 ? 0 : 1;
