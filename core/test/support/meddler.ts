/** Program: another program on the queue's file, with another build of SQLite. It holds the write lock, or maintains the file. */
import { DatabaseSync } from 'node:sqlite';
import { programArguments } from '../../sqlite/test/support/program-side.ts';

export interface MeddlerArguments {
  readonly file: string;
  /** How long it holds the write lock; null: it runs each statement of `sql`. */
  readonly holdMs: number | null;
  readonly sql: readonly string[];
}

const { file, holdMs, sql } = programArguments<MeddlerArguments>();
const db = new DatabaseSync(file);
db.exec('PRAGMA busy_timeout = 30000');
if (holdMs !== null) {
  db.exec('BEGIN IMMEDIATE');
  process.stdout.write('"up"\n');
  await new Promise((resolve) => setTimeout(resolve, holdMs));
  db.exec('ROLLBACK');
}
for (const statement of sql) {
  try {
    db.exec(statement);
  } catch (error) {
    // VACUUM waits for no reader, and nobody promises it the lock.
    if (!/locked|busy/.test(String(error))) throw error;
  }
}
db.close();
