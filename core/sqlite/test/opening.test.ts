import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { sqliteTransportUpgrade } from '../../index.ts';
import { execute, rows } from './support/file-check.ts';
import { hashOf } from './support/hash.ts';
import { claim, drain, withFile } from './support/sync-queue.ts';

/** A file as a program made it that knew the specification before routing: two groups, one message leased. */
function oldFile(path: string, expiry: number): void {
  const db = new Database(path);
  db.exec(`
    CREATE TABLE harel_transport_messages (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, event TEXT NOT NULL,
      locked_by TEXT, lock_expiry REAL);
    CREATE TABLE harel_transport_groups (
      group_id TEXT PRIMARY KEY, last_claimed_at REAL NOT NULL DEFAULT 0.0, priority INT NOT NULL DEFAULT 0);
    CREATE INDEX harel_transport_groups_by_last_claimed ON harel_transport_groups (last_claimed_at);
    CREATE INDEX harel_transport_messages_by_group ON harel_transport_messages (group_id, seq);
    INSERT INTO harel_transport_groups VALUES ('held', 5.0, 2), ('free', 0.0, 1);
    INSERT INTO harel_transport_messages (group_id, event, locked_by, lock_expiry)
      VALUES ('held', '"held"', 'old worker', ${expiry}), ('free', '"free"', NULL, NULL), ('held', '"next"', NULL, NULL);
  `);
  db.close();
}

describe('a file without routing keys', () => {
  it('a file without routing_key gets it and the other columns once, on opening, and keeps its messages', () =>
    withFile(({ open, file, clock }) => {
      oldFile(file, clock.now() / 1_000 + 60);
      const queue = open();
      const names = rows(file, "SELECT name FROM pragma_table_info('harel_transport_groups')").map(
        (row) => row.name,
      );
      assert.deepEqual(names.slice(0, 4), ['group_id', 'last_claimed_at', 'priority', 'routing_key']);
      assert.equal(claim(queue).event, 'free');
      assert.equal(queue.claim('w', 1_000), null, 'the other group is held by the old worker');
      clock.advance(60_001);
      const taken = queue.claim('w', 1_000, { minPriority: 2 });
      assert.deepEqual([taken?.event, taken?.publishedAt, taken?.attempt], ['held', null, 1]);
      queue.close();
      const before = rows(file, 'SELECT sql FROM sqlite_schema ORDER BY name');
      open();
      assert.deepEqual(rows(file, 'SELECT sql FROM sqlite_schema ORDER BY name'), before);
    }));

  it('with createSchema false a file without routing_key is refused and unchanged until it is upgraded', () =>
    withFile(({ open, file, clock }) => {
      oldFile(file, clock.now() / 1_000 + 60);
      assert.throws(() => open({ createSchema: false }), { code: 'NOT_A_QUEUE' });
      const db = new Database(file);
      const statements = sqliteTransportUpgrade(db);
      assert.ok(
        statements.some((sql) => /ALTER TABLE harel_transport_groups ADD COLUMN routing_key TEXT/.test(sql)),
      );
      db.transaction(() => {
        for (const statement of statements) db.exec(statement);
      })();
      db.close();
      const queue = open({ createSchema: false });
      assert.equal(claim(queue).event, 'free');
      assert.equal(queue.claim('w', 1_000), null);
    }));

  it('a file that has routing_key gets only the columns that are missing', () =>
    withFile(({ open, file, clock }) => {
      oldFile(file, clock.now() / 1_000 - 1);
      execute(
        file,
        "ALTER TABLE harel_transport_groups ADD COLUMN routing_key TEXT; UPDATE harel_transport_groups SET routing_key = 'k'",
      );
      const queue = open();
      assert.equal(queue.claim('w', 1_000, { routingKeys: ['k'] })?.event, 'free');
      assert.equal(queue.claim('w', 1_000, { routingKeys: ['k'] })?.event, 'held');
    }));
});

describe('the repair of a file on opening', () => {
  it('a message without a group row is deliverable again after opening', () =>
    withFile(({ open, file }) => {
      const queue = open();
      queue.publish('whole', 'w');
      execute(
        file,
        `INSERT INTO harel_transport_messages (group_id, event) VALUES ('b', '"b1"'), ('a', '"a1"'), ('b', '"b2"')`,
      );
      queue.close();
      assert.deepEqual(drain(open()), ['w', 'b1', 'a1', 'b2']);
    }));

  it('a group row that opening restores has the lock of its message', () =>
    withFile(({ open, file, clock }) => {
      open().close();
      const until = clock.now() / 1_000 + 10;
      execute(
        file,
        `INSERT INTO harel_transport_messages (group_id, event, locked_by, lock_expiry) VALUES ('g', '1', 'v', ${until})`,
      );
      const queue = open();
      assert.equal(queue.claim('w', 1_000), null);
      clock.advance(10_001);
      assert.equal(claim(queue).event, 1);
    }));

  it('opening drops a group row without messages, so the next publish sets the priority', () =>
    withFile(({ open, file }) => {
      open().close();
      execute(
        file,
        "INSERT INTO harel_transport_groups (group_id, priority, last_claimed_at) VALUES ('g', 4, 99.0)",
      );
      const queue = open();
      queue.publish('g', 1, { priority: 1 });
      assert.equal(queue.claim('w', 1_000, { minPriority: 2 }), null);
      assert.equal(claim(queue).event, 1);
    }));

  it('a claim drops a group row without messages and goes on to the next group', () =>
    withFile(({ open, file }) => {
      const queue = open();
      execute(file, "INSERT INTO harel_transport_groups (group_id) VALUES ('ghost one'), ('ghost two')");
      queue.publish('g', 1);
      assert.equal(claim(queue).event, 1);
      assert.equal(queue.claim('w', 1_000), null);
      assert.deepEqual(
        rows(file, "SELECT group_id FROM harel_transport_groups WHERE group_id LIKE 'ghost%'"),
        [],
      );
    }));
});

describe('a file from a newer version', () => {
  it('a file from a newer version raises NEWER_FILE and is unchanged', () =>
    withFile(({ open, file, folder }) => {
      open().close();
      execute(file, "UPDATE harel_transport_meta SET value = 1000 WHERE key = 'schema_version'");
      const before = hashOf(file);
      for (const options of [{}, { readonly: true }, { createSchema: false }]) {
        assert.throws(() => open(options), { code: 'NEWER_FILE', message: /1000/ });
      }
      assert.equal(hashOf(file), before);
      assert.deepEqual(folder.openHandles(), []);
    }));
});

describe('a readonly transport', () => {
  it('calls of a readonly transport that write raise READ_ONLY, and calls that read work', () =>
    withFile(({ open, file }) => {
      const writer = open();
      writer.publish('g', 1);
      const lease = claim(writer);
      const reader = open({ readonly: true });
      const before = rows(file, 'SELECT * FROM harel_transport_messages');
      assert.deepEqual(reader.holders().holders, [{ workerId: 'w', leases: 1 }]);
      assert.deepEqual(reader.deadLetters(), []);
      assert.equal(reader.nextExpiry(), lease.expiresAt);
      const verbs: (() => unknown)[] = [
        () => reader.publish('g', 1),
        () => reader.publishMany([{ groupId: 'g', event: 1 }]),
        () => reader.claim('w', 1_000),
        () => reader.claimMany('w', 1_000, 1),
        () => reader.ack(lease),
        () => reader.nack(lease),
        () => reader.extend(lease, 1_000),
        () => reader.bury(lease),
        () => reader.ackAndClaim(lease, 1_000),
        () => reader.ackAndClaimMany([lease], 'w', 1_000, 1),
        () => reader.republish(1),
        () => reader.release(['w']),
      ];
      for (const verb of verbs) assert.throws(verb, { code: 'READ_ONLY' }, String(verb));
      assert.deepEqual(rows(file, 'SELECT * FROM harel_transport_messages'), before);
    }));

  it('opening a missing file with readonly raises CANNOT_OPEN and creates no file', () =>
    withFile(({ open, folder }) => {
      assert.throws(() => open({ path: folder.file('none.db'), readonly: true }), { code: 'CANNOT_OPEN' });
      assert.throws(() => hashOf(folder.file('none.db')), { code: 'ENOENT' });
    }));

  it('opening with readonly repairs nothing', () =>
    withFile(({ open, file }) => {
      open().close();
      execute(file, "INSERT INTO harel_transport_messages (group_id, event) VALUES ('g', '1')");
      open({ readonly: true }).close();
      assert.deepEqual(rows(file, 'SELECT group_id FROM harel_transport_groups'), []);
      open();
      assert.equal(rows(file, 'SELECT group_id FROM harel_transport_groups').length, 1);
    }));
});
