/**
 * Notices that another program changed the schema while the queue is open. A rebuilt table has lost its triggers, and
 * without them nothing that Leasehold added is right after the next write of that program.
 */
import type { Database } from 'better-sqlite3';
import { LeaseholdError } from '../../contract/errors.ts';
import type { Names } from './names.ts';
import { sqliteTransportUpgrade } from './schema-upgrade.ts';

/**
 * Returns a check to be called in each write transaction that relies on the triggers: one comparison unless the schema has
 * changed. What is missing is then restored, or refused with NOT_A_QUEUE where a migration tool owns the schema.
 */
export function makeSchemaGuard(db: Database, names: Names, createSchema: boolean): () => void {
  const readVersion = db.prepare('PRAGMA schema_version').pluck();
  let checked = readVersion.get();
  return () => {
    const version = readVersion.get();
    if (version === checked) return;
    const statements = sqliteTransportUpgrade(db, names.prefix);
    if (statements.length > 0 && !createSchema)
      throw new LeaseholdError(
        'NOT_A_QUEUE',
        `${db.name}: another program changed the schema of the ${names.prefix} tables, and triggers, indexes or columns are missing. Run the statements of sqliteTransportUpgrade(database).`,
      );
    for (const statement of statements) db.exec(statement);
    // Changed again by the statements. After a rollback the number differs once more, and the check runs again.
    checked = readVersion.get();
  };
}
