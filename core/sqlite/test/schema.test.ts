import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { SCHEMA_VERSION, sqliteTransportSchema, sqliteTransportUpgrade } from '../../index.ts';
import { rows } from './support/file-check.ts';
import { claim, drain, withFile } from './support/sync-queue.ts';

const columns = (file: string, table: string): Record<string, unknown>[] =>
  rows(file, `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo('${table}') ORDER BY cid`);

const indexed = (file: string, index: string): unknown[] =>
  rows(file, `SELECT name FROM pragma_index_info('${index}') ORDER BY seqno`).map((row) => row.name);

/** The text of every table, index and trigger, without regard to line breaks. */
const shape = (file: string): string[] =>
  rows(file, 'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name').map((row) =>
    String(row.sql).replace(/\s+/g, ' ').replaceAll('"', ''),
  );

describe("the specification's schema in a queue's file", () => {
  it("the messages table begins with the specification's columns, in its order and types", () =>
    withFile(({ open, file }) => {
      open();
      assert.deepEqual(columns(file, 'harel_transport_messages').slice(0, 5), [
        { name: 'seq', type: 'INTEGER', notnull: 0, dflt_value: null, pk: 1 },
        { name: 'group_id', type: 'TEXT', notnull: 1, dflt_value: null, pk: 0 },
        { name: 'event', type: 'TEXT', notnull: 1, dflt_value: null, pk: 0 },
        { name: 'locked_by', type: 'TEXT', notnull: 0, dflt_value: null, pk: 0 },
        { name: 'lock_expiry', type: 'REAL', notnull: 0, dflt_value: null, pk: 0 },
      ]);
      assert.match(shape(file).join('\n'), /seq INTEGER PRIMARY KEY AUTOINCREMENT/);
    }));

  it("the groups table begins with the specification's columns, routing_key last", () =>
    withFile(({ open, file }) => {
      open();
      assert.deepEqual(columns(file, 'harel_transport_groups').slice(0, 4), [
        { name: 'group_id', type: 'TEXT', notnull: 0, dflt_value: null, pk: 1 },
        { name: 'last_claimed_at', type: 'REAL', notnull: 1, dflt_value: '0.0', pk: 0 },
        { name: 'priority', type: 'INT', notnull: 1, dflt_value: '0', pk: 0 },
        { name: 'routing_key', type: 'TEXT', notnull: 0, dflt_value: null, pk: 0 },
      ]);
    }));

  it('every added column has a default for writers that do not know it', () =>
    withFile(({ open, file }) => {
      open();
      const beyond = [
        ...columns(file, 'harel_transport_messages').slice(5),
        ...columns(file, 'harel_transport_groups').slice(4),
      ];
      assert.ok(beyond.length > 0);
      for (const { name, notnull, dflt_value } of beyond)
        assert.ok(notnull === 0 || dflt_value !== null, String(name));
    }));

  it("the specification's three indexes exist on its columns", () =>
    withFile(({ open, file }) => {
      open();
      assert.deepEqual(indexed(file, 'harel_transport_groups_by_last_claimed'), ['last_claimed_at']);
      assert.deepEqual(indexed(file, 'harel_transport_messages_by_group'), ['group_id', 'seq']);
      assert.deepEqual(indexed(file, 'harel_transport_groups_by_routing_key'), [
        'routing_key',
        'last_claimed_at',
      ]);
    }));

  it('the file holds the event as JSON, a lease as worker and epoch seconds, a claim as epoch seconds', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      queue.publish('g', { n: 1 }, { priority: 3, routingKey: 'k' });
      clock.advance(250);
      claim(queue, 'worker', 1_500);
      const now = clock.now() / 1_000;
      assert.deepEqual(
        rows(file, 'SELECT seq, group_id, event, locked_by, lock_expiry FROM harel_transport_messages'),
        [{ seq: 1, group_id: 'g', event: '{"n":1}', locked_by: 'worker', lock_expiry: now + 1.5 }],
      );
      assert.deepEqual(
        rows(file, 'SELECT group_id, last_claimed_at, priority, routing_key FROM harel_transport_groups'),
        [{ group_id: 'g', last_claimed_at: now, priority: 3, routing_key: 'k' }],
      );
    }));

  it('a parked message has the sentinel __parked__ and an expiry, a free message has neither holder nor expiry', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      const lock = () => rows(file, 'SELECT locked_by, lock_expiry FROM harel_transport_messages')[0];
      queue.publish('g', 1);
      assert.deepEqual(lock(), { locked_by: null, lock_expiry: null });
      queue.nack(claim(queue), 2_000);
      assert.deepEqual(lock(), { locked_by: '__parked__', lock_expiry: clock.now() / 1_000 + 2 });
      clock.advance(2_001);
      queue.nack(claim(queue));
      assert.deepEqual(lock(), { locked_by: null, lock_expiry: null });
    }));

  it('ack drops the group row with the last message and not before', () =>
    withFile(({ open, file }) => {
      const queue = open();
      const groups = () => rows(file, 'SELECT group_id FROM harel_transport_groups').length;
      queue.publish('g', 1);
      queue.publish('g', 2);
      queue.ack(claim(queue));
      assert.equal(groups(), 1);
      queue.ack(claim(queue));
      assert.equal(groups(), 0);
    }));

  it('a seq is never used again, even after a restart with an empty table', () =>
    withFile(({ open }) => {
      const first = open();
      const seq = first.publish('g', 1);
      assert.deepEqual(drain(first), [1]);
      first.close();
      assert.equal(open().publish('g', 2), seq + 1);
    }));
});

describe('a schema owned by a migration tool', () => {
  it('sqliteTransportSchema creates exactly what opening creates', () =>
    withFile(({ open, file, folder }) => {
      open();
      const migrated = folder.file('migrated.db');
      const db = new Database(migrated);
      for (const statement of sqliteTransportSchema()) db.exec(statement);
      db.close();
      assert.deepEqual(shape(migrated), shape(file));
    }));

  it('opening an empty file with createSchema false raises, names the remedy and creates nothing', () =>
    withFile(({ open, file }) => {
      new Database(file).exec('CREATE TABLE mine (id)').close();
      assert.throws(() => open({ createSchema: false }), {
        code: 'NOT_A_QUEUE',
        message: /sqliteTransportUpgrade/,
      });
      assert.deepEqual(shape(file), ['CREATE TABLE mine (id)']);
    }));

  it('opening with createSchema false works on the schema of a migration tool', () =>
    withFile(({ open, file }) => {
      const db = new Database(file);
      for (const statement of sqliteTransportSchema()) db.exec(statement);
      db.close();
      const queue = open({ createSchema: false });
      queue.publish('g', 1);
      assert.deepEqual(drain(queue), [1]);
    }));

  it('sqliteTransportUpgrade returns the whole schema for an empty database, and nothing once that ran', () =>
    withFile(({ open, file, folder }) => {
      open();
      const migrated = folder.file('migrated.db');
      const db = new Database(migrated);
      for (const statement of sqliteTransportUpgrade(db)) db.exec(statement);
      assert.deepEqual(sqliteTransportUpgrade(db), []);
      db.close();
      assert.deepEqual(shape(migrated), shape(file));
    }));

  it('the file holds its schema version', () =>
    withFile(({ open, file }) => {
      open();
      const [version] = rows(file, "SELECT value FROM harel_transport_meta WHERE key = 'schema_version'");
      assert.deepEqual(version, { value: SCHEMA_VERSION });
    }));
});

describe('the option tablePrefix', () => {
  it('two prefixes in one file are two independent queues', () =>
    withFile(({ open, file }) => {
      const one = open();
      const two = open({ tablePrefix: 'uploads' });
      one.publish('g', 'one');
      two.publish('g', 'two', { priority: 4 });
      const held = claim(one);
      assert.equal(held.event, 'one');
      assert.equal(two.claim('w', 1_000, { minPriority: 4 })?.event, 'two');
      one.bury(held);
      assert.deepEqual(two.deadLetters(), []);
      assert.deepEqual(two.holders().holders, [{ workerId: 'w', leases: 1 }]);
      assert.deepEqual(one.holders().holders, []);
      assert.deepEqual(rows(file, 'SELECT seq FROM harel_transport_messages'), []);
    }));

  it('a prefix that needs quoting in SQL is refused before the file is created', () =>
    withFile(async ({ open, file }) => {
      const { existsSync } = await import('node:fs');
      for (const tablePrefix of [
        '',
        '1st',
        'a b',
        'a"b',
        "a'; DROP TABLE x; --",
        'ü',
        'sqlite_x',
        'x'.repeat(65),
      ]) {
        assert.throws(() => open({ tablePrefix }), { code: 'BAD_ARGUMENT' }, tablePrefix);
      }
      assert.equal(existsSync(file), false);
    }));
});
