/** Program: creates a file in an older journal mode of SQLite, holds its write lock for a while, and releases it. */
import { DatabaseSync } from 'node:sqlite';
import { programArguments } from './program-side.ts';

export interface HolderArguments {
  readonly file: string;
  readonly holdMs: number;
}

const { file, holdMs } = programArguments<HolderArguments>();
const db = new DatabaseSync(file);
db.exec('PRAGMA journal_mode = DELETE; CREATE TABLE mine (id); BEGIN IMMEDIATE; INSERT INTO mine VALUES (1)');
process.stdout.write('"up"\n');
setTimeout(() => {
  db.exec('COMMIT');
  db.close();
}, holdMs);
