import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCHEMA_VERSION, SqliteTransport } from '../../index.ts';
import { triggersOfSchema1 } from '../file/former-triggers.ts';
import { namesFor } from '../file/names.ts';
import { execute, rows } from './support/file-check.ts';
import { hashOf } from './support/hash.ts';
import type { HostileOutcome } from './support/hostile.ts';
import { HOSTILE, ODD } from './support/hostile-files.ts';
import { Program } from './support/program.ts';
import { drain, withFile } from './support/sync-queue.ts';
import { TempFolder } from './support/temp-folder.ts';

/** An endless query can only be ended with its process. */
const WATCHDOG_MS = 60_000;

describe('a file whose schema runs more than the queue', () => {
  it('both transports and the admin refuse it, name what is strange, run nothing, and leave every byte', async () => {
    using folder = new TempFolder();
    const files = Object.entries({ ...HOSTILE, ...ODD }).map(([what, [sql, named]], n) => {
      const file = folder.file(`${n}.db`);
      makeQueue(file);
      execute(file, sql);
      // The threads run the same check; starting them takes most of the time.
      const openers = ['sync', 'sync, readonly', ...(what in HOSTILE ? ['async', 'admin'] : [])];
      return { what, named, file, openers, before: hashOf(file) };
    });
    const program = new Program('hostile', { files });
    const watchdog = setTimeout(() => program.kill(), WATCHDOG_MS);
    const outcomes = await program.lines<HostileOutcome>();
    clearTimeout(watchdog);
    for (const { what, named, file, openers, before } of files) {
      const found = outcomes.filter((outcome) => outcome.file === file);
      assert.deepEqual(
        found.map(({ opener, code }) => [opener, code]),
        openers.map((opener) => [opener, 'NOT_A_QUEUE']),
        what,
      );
      for (const { message } of found) assert.ok(message?.includes(`"${named}"`), `${what}: ${message}`);
      assert.equal(hashOf(file), before, what);
    }
  });

  it("a temporary table or trigger of the caller's connection that affects the queue's tables is refused", () =>
    withFile(({ open, connect }) => {
      open().close();
      for (const sql of [
        'CREATE TEMP TABLE harel_transport_messages (seq, group_id)',
        'CREATE TEMP VIEW harel_transport_meta AS SELECT 1 AS key',
        'CREATE TEMP TRIGGER eat AFTER INSERT ON harel_transport_messages BEGIN DELETE FROM harel_transport_groups; END',
      ]) {
        const database = connect();
        database.exec(sql);
        assert.throws(() => open({ database }), { code: 'NOT_A_QUEUE', message: /temporary/ }, sql);
      }
    }));
});

describe('a file with what other programs may add', () => {
  it('plain indexes, columns with plain defaults, a renamed table, views, and tables with triggers of their own are no reason to refuse', () =>
    withFile(({ open, file }) => {
      open().close();
      execute(
        file,
        `CREATE INDEX extra ON harel_transport_messages (event, group_id DESC);
         ALTER TABLE harel_transport_messages ADD COLUMN note TEXT NOT NULL DEFAULT 'it''s (fine)';
         ALTER TABLE harel_transport_groups ADD COLUMN weight REAL DEFAULT -1.5e-7 /* CHECK (no) */;
         CREATE TABLE mine (id INTEGER PRIMARY KEY CHECK (id > 0), parent REFERENCES mine (id) ON DELETE CASCADE);
         CREATE TRIGGER mine_changed AFTER INSERT ON mine BEGIN DELETE FROM mine WHERE id < 3; END;
         ALTER TABLE harel_transport_messages RENAME TO moved; ALTER TABLE moved RENAME TO harel_transport_messages;
         CREATE VIEW waiting AS SELECT * FROM harel_transport_messages;`,
      );
      const queue = open();
      queue.publish('g', 1);
      assert.deepEqual(drain(queue), [1]);
    }));

  it('the triggers of schema 1 are recognised', () =>
    withFile(({ open, file }) => {
      open().close();
      const names = namesFor();
      const triggers = () =>
        rows(file, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name");
      const present = triggers();
      const drop = present.map(({ name }) => `DROP TRIGGER ${name};`).join('');
      execute(
        file,
        `${drop} ${triggersOfSchema1(names).join(';')}; UPDATE harel_transport_meta SET value = 1 WHERE key = 'schema_version'`,
      );
      const queue = open();
      queue.publish('g', 1);
      assert.deepEqual(drain(queue), [1]);
      assert.deepEqual(triggers(), present);
      assert.ok(SCHEMA_VERSION >= 1);
    }));
});

describe('a table prefix in another case', () => {
  it('a prefix that differs from the one in the file only in case is refused, and the message gives the other', () =>
    withFile(({ open, file }) => {
      open({ tablePrefix: 'Uploads' }).publish('g', 1);
      const before = rows(file, 'SELECT sql FROM sqlite_schema');
      for (const tablePrefix of ['uploads', 'UPLOADS'])
        assert.throws(() => open({ tablePrefix }), { code: 'BAD_ARGUMENT', message: /"Uploads"/ });
      assert.deepEqual(rows(file, 'SELECT sql FROM sqlite_schema'), before);
      open();
    }));
});

function makeQueue(file: string): void {
  const queue = new SqliteTransport({ path: file, durability: 'normal' });
  queue.publish('g', 'kept');
  queue.close();
}
