import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import {
  AsyncSqliteTransport,
  SCHEMA_VERSION,
  type SqliteTransport,
  sqliteTransportUpgrade,
} from '../../index.ts';
import { formerTriggersOfSchema2, triggersOfSchema1 } from '../file/former-triggers.ts';
import { namesFor } from '../file/names.ts';
import { execute, rows } from './support/file-check.ts';
import { SPECIFIED_TABLES } from './support/specified-sql.ts';
import { claim, withFile } from './support/sync-queue.ts';
import { inTempFolder } from './support/temp-folder.ts';

/** A file as the version with schema 1 made it. */
function makeSchema1(file: string): Database.Database {
  const db = new Database(file);
  db.exec(`
    CREATE TABLE harel_transport_messages (seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, event TEXT NOT NULL,
      locked_by TEXT, lock_expiry REAL, attempts INTEGER NOT NULL DEFAULT 0, deliveries INTEGER NOT NULL DEFAULT 0,
      published_at REAL, last_error TEXT, origin_seq INTEGER);
    CREATE TABLE harel_transport_groups (group_id TEXT PRIMARY KEY, last_claimed_at REAL NOT NULL DEFAULT 0.0,
      priority INT NOT NULL DEFAULT 0, routing_key TEXT, blocked_until REAL, locked_behind INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE harel_transport_dead_letters (seq INTEGER PRIMARY KEY, group_id TEXT NOT NULL, event TEXT NOT NULL,
      priority INT NOT NULL, routing_key TEXT, attempts INTEGER NOT NULL, published_at REAL, origin_seq INTEGER,
      buried_at REAL NOT NULL, last_error TEXT);
    CREATE TABLE harel_transport_journal (id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, operator TEXT NOT NULL,
      act TEXT NOT NULL, seq INTEGER NOT NULL, group_id TEXT NOT NULL, detail TEXT NOT NULL);
    CREATE TABLE harel_transport_meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    INSERT INTO harel_transport_meta VALUES ('schema_version', 1);`);
  for (const trigger of triggersOfSchema1(namesFor())) db.exec(trigger);
  return db;
}

describe('a file of this schema whose triggers an earlier version wrote', () => {
  it('is opened, and gets those of this version', () =>
    withFile(({ open, file }) => {
      const former = formerTriggersOfSchema2(namesFor());
      open().close();
      const triggers = rows(file, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name");
      for (const sql of former) execute(file, `DROP TRIGGER ${sql.split(/\s/)[2]}; ${sql}`);
      open().publish('g', 1);
      assert.deepEqual(
        rows(file, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"),
        triggers,
      );
    }));
});

describe('a file of schema 1', () => {
  it('is upgraded with its leases, parks, locks behind a head and dead letters', () =>
    withFile(({ open, file, clock }) => {
      const db = makeSchema1(file);
      const now = clock.now() / 1000;
      db.exec(`
        INSERT INTO harel_transport_messages (seq, group_id, event, locked_by, lock_expiry, attempts, deliveries) VALUES
          (11, 'leased', '11', 'w', ${now + 10}, 2, 3), (12, 'parked', '12', '__parked__', ${now + 20}, 1, 1),
          (13, 'behind', '13', NULL, NULL, 0, 0), (14, 'behind', '14', '__parked__', ${now + 30}, 0, 0), (15, 'free', '15', NULL, NULL, 4, 4);
        INSERT INTO harel_transport_groups (group_id, last_claimed_at, locked_behind) VALUES
          ('leased', ${now - 1}, 0), ('parked', ${now - 2}, 0), ('behind', 0, 1), ('free', 0, 0);
        INSERT INTO harel_transport_dead_letters VALUES (7, 'd', '"seven"', 3, 'k', 5, ${now}, 2, ${now}, 'no'), (3, 'd', '"three"', 0, NULL, 1, NULL, NULL, ${now}, NULL);`);
      db.close();

      const queue = open();
      assert.deepEqual(
        queue
          .deadLetters()
          .map(({ id, seq, eventJson, attempts, routingKey, error }) => [
            id,
            seq,
            eventJson,
            attempts,
            routingKey,
            error,
          ]),
        [
          [1, 3, '"three"', 1, null, null],
          [2, 7, '"seven"', 5, 'k', 'no'],
        ],
      );
      assert.deepEqual([claim(queue).event, queue.claim('w', 1000)], [15, null]);
      clock.advance(10_001);
      const lapsed = claim(queue);
      assert.deepEqual([lapsed.event, lapsed.attempt, lapsed.delivery, lapsed.crashes], [11, 3, 4, 1]);
      clock.advance(10_000);
      assert.equal(claim(queue).event, 12);
      clock.advance(10_000);
      assert.equal(claim(queue).event, 13);
      assert.equal(queue.republish(2), 16);
      assert.deepEqual(rows(file, 'SELECT value FROM harel_transport_meta'), [{ value: SCHEMA_VERSION }]);
    }));

  it('needs nothing more once it was upgraded', () =>
    withFile(({ open, file, connect }) => {
      makeSchema1(file).close();
      open().close();
      assert.deepEqual(sqliteTransportUpgrade(connect()), []);
    }));
});

/** Rebuilds a table as a program does that wants to change it, with the columns of the specification only. */
const rebuild = (table: 'messages' | 'groups'): string => {
  const { definition, columns } = SPECIFIED_TABLES[table];
  return `
  -- Without this, SQLite refuses a rebuild of the groups: the triggers on the messages name them.
  PRAGMA legacy_alter_table = ON;
  CREATE TABLE rebuilt (${definition});
  INSERT INTO rebuilt SELECT ${columns} FROM harel_transport_${table};
  DROP TABLE harel_transport_${table};
  ALTER TABLE rebuilt RENAME TO harel_transport_${table};`;
};

describe('a schema that another program changes while the queue is open', () => {
  it('is restored by the next claim, and the locks that were written without triggers are known', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      for (const event of [1, 2]) queue.publish('g', event);
      queue.publish('h', 3);
      queue.nack(claim(queue), 60_000);
      execute(file, rebuild('messages'));
      execute(
        file,
        `UPDATE harel_transport_messages SET locked_by = NULL, lock_expiry = NULL WHERE seq = 1;
         UPDATE harel_transport_messages SET locked_by = 'other', lock_expiry = ${clock.now() / 1000 + 60} WHERE seq = 2`,
      );
      assert.deepEqual([claim(queue).event, queue.claim('w', 1000)], [3, null]);
      clock.advance(60_001);
      assert.equal(claim(queue).event, 1);
    }));

  for (const [what, call] of Object.entries({
    publish: (queue) => queue.publish('g', 2),
    release: (queue) => queue.release(['w']),
    nextExpiry: (queue) => queue.nextExpiry(),
    'publish in a transaction of the app': (queue, app) => app.transaction(() => queue.publish('g', 2))(),
  } satisfies Record<string, (queue: SqliteTransport, app: Database.Database) => unknown>))
    it(`is restored by a ${what}, whichever table has lost its columns`, () =>
      withFile(({ open, connect, file }) => {
        const app = connect();
        const queue = open({ database: app });
        queue.publish('g', 1);
        for (const table of ['messages', 'groups'] as const) {
          execute(file, rebuild(table));
          call(queue, app);
        }
        assert.equal(claim(queue).event, 1);
      }));

  it('is restored by a read after the wall clock stepped back', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      const { expiresAt } = claim(queue);
      clock.step(-3_600_000);
      execute(file, rebuild('groups'));
      assert.equal(queue.nextExpiry(), expiresAt - 3_600_000);
    }));

  it('is restored by calls that a thread commits together', () =>
    inTempFolder(async (folder) => {
      const queue = new AsyncSqliteTransport({ path: folder.file() });
      await queue.publish('g', 1);
      execute(folder.file(), rebuild('messages'));
      await Promise.all([queue.publish('g', 2), queue.publish('h', 3)]);
      assert.deepEqual(
        (await queue.claimMany('w', 1000, 9)).map(({ event }) => event),
        [1, 3],
      );
      await queue.close();
    }));

  it('a lease from before settles nothing, also when the same worker claims the message again', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      const before = claim(queue);
      execute(file, rebuild('messages'));
      clock.advance(60_000);
      const after = claim(queue);
      assert.throws(() => queue.ack(before), { code: 'LEASE_LOST' });
      queue.ack(after);
    }));

  it('is refused with the remedy where a migration tool owns it', () =>
    withFile(({ open, file }) => {
      open().publish('g', 1);
      const queue = open({ createSchema: false });
      execute(file, 'DROP TRIGGER harel_transport_messages_lock_changed');
      assert.throws(() => queue.claim('w', 1000), { code: 'NOT_A_QUEUE', message: /sqliteTransportUpgrade/ });
      const db = new Database(file);
      for (const statement of sqliteTransportUpgrade(db)) db.exec(statement);
      db.close();
      assert.equal(claim(queue).event, 1);
    }));

  it('does not matter to a claim when it concerns other tables, or is an ANALYZE', () =>
    withFile(({ open, file }) => {
      const queue = open();
      for (const event of [1, 2]) queue.publish(`g${event}`, event);
      execute(file, 'CREATE TABLE mine (id)');
      assert.equal(claim(queue).event, 1);
      execute(file, 'ANALYZE');
      assert.equal(claim(queue).event, 2);
    }));
});
