/**
 * `npm run bench [-- NAME …]`: runs the named benchmarks (default: all), prints each line with its target, and, after a
 * run of all of them, writes RESULTS.md beside this file.
 */
import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import Database from 'better-sqlite3';
import { drain } from './drain.ts';
import { groupCommit } from './group-commit.ts';
import { asMarkdown, type Bench, type Row } from './row.ts';
import { verbs } from './verbs.ts';
import { walk } from './walk.ts';
import { worker } from './worker.ts';
import { workerElectron } from './worker-electron.ts';
import { workerIdle } from './worker-idle.ts';

const BENCHES: Record<string, Bench> = {
  verbs,
  walk,
  drain,
  'group-commit': groupCommit,
  worker,
  idle: workerIdle,
  electron: workerElectron,
};

function machine(): string {
  const [cpu] = cpus();
  const sqlite = new Database(':memory:');
  const version = sqlite.prepare('SELECT sqlite_version()').pluck().get();
  sqlite.close();
  return [
    `${type()} ${release()}, ${cpus().length} cores (${cpu?.model.trim() || 'model unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.version}, SQLite ${version}`,
    new Date().toISOString().slice(0, 10),
  ].join(' · ');
}

function print({ what, target, result, met }: Row): void {
  const verdict = met === null ? '  ' : met ? 'ok' : 'NO';
  console.log(`  ${verdict} ${what}: ${result}${target ? ` [${target}]` : ''}`);
}

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
