/**
 * Program, a control: on files whose index by turn is damaged it runs a statement that an earlier version of the claim had,
 * and that never returns on some of them. The watchdog must find that.
 */
import Database from 'better-sqlite3';
import { makeWholeFile, unorderedEntries } from './damage.ts';
import { GROUPS } from './foreign-sql.ts';
import { TempFolder } from './temp-folder.ts';
import { eachItem } from './watched.ts';

const LEVELS = `WITH RECURSIVE level(priority) AS (
  SELECT MIN(priority) FROM ${GROUPS} WHERE priority >= 0
  UNION ALL
  SELECT (SELECT MIN(priority) FROM ${GROUPS} WHERE priority > level.priority) FROM level WHERE level.priority IS NOT NULL
)
SELECT COUNT(*) FROM level`;

const damages = unorderedEntries(makeWholeFile(), `${GROUPS}_by_turn`);

await eachItem((item) => {
  using folder = new TempFolder();
  damages[item % damages.length]?.write(folder.file());
  const db = new Database(folder.file());
  try {
    db.prepare(LEVELS).get();
  } catch {
    // Damage that SQLite notices.
  } finally {
    db.close();
  }
  return [];
});
