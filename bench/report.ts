/** What the reports in this folder and the lines on the terminal share. */
import { cpus, release, totalmem, type } from 'node:os';
import Database from 'better-sqlite3';
import type { Row } from './row.ts';

/** The machine, the versions and the date, in one line. */
export function machine(): string {
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

export function print({ what, target, result, met }: Row): void {
  const verdict = met === null ? '  ' : met ? 'ok' : 'NO';
  console.log(`  ${verdict} ${what}: ${result}${target ? ` [${target}]` : ''}`);
}
