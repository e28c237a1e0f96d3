/**
 * `npm run bench [-- NAME …]`: runs the named benchmarks (default: all), prints each line with its target, and, after a
 * run of all of them, writes RESULTS.md beside this file.
 */
import { writeFileSync } from 'node:fs';
import { drain } from './drain.ts';
import { groupCommit } from './group-commit.ts';
import { inspector } from './inspector.ts';
import { log } from './log.ts';
import { opening } from './opening.ts';
import { processes } from './processes.ts';
import { machine, print } from './report.ts';
import { asMarkdown, type Bench } from './row.ts';
import { verbs } from './verbs.ts';
import { walk } from './walk.ts';
import { worker } from './worker.ts';
import { workerElectron } from './worker-electron.ts';
import { workerIdle } from './worker-idle.ts';

const BENCHES: Record<string, Bench> = {
  verbs,
  opening,
  walk,
  drain,
  'group-commit': groupCommit,
  log,
  processes,
  worker,
  idle: workerIdle,
  inspector,
  electron: workerElectron,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BENCHES);
const unknown = names.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`No benchmark "${unknown[0]}": there are ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(1);
}
const sections: string[] = [];
for (const name of names) {
  const bench = BENCHES[name] as Bench;
  console.log(`\n${bench.title}`);
  const rows = await bench.run();
  rows.forEach(print);
  sections.push(`## ${bench.title}\n\n${asMarkdown(rows)}`);
}
if (process.argv.length === 2) {
  const head = `# Results\n\n${machine()}\n\nMade by \`npm run bench\`. Figures differ from machine to machine; ratios within one run are what counts.`;
  writeFileSync(new URL('RESULTS.md', import.meta.url), `${[head, ...sections].join('\n\n')}\n`);
  console.log('\nWritten to bench/RESULTS.md');
}
