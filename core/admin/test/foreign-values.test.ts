import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishEachState, withAdmin } from './admin-fixture.ts';

/** What another program may write into a column of any type. */
const VALUES = ["'text'", "x'c3a4ff'", '-1', '1e300', '9e999', "''"];
const COLUMNS: readonly (readonly [string, string])[] = [
  ['messages', 'group_id'],
  ['messages', 'event'],
  ['messages', 'locked_by'],
  ['messages', 'lock_expiry'],
  ['messages', 'attempts'],
  ['messages', 'published_at'],
  ['messages', 'last_error'],
  ['messages', 'origin_seq'],
  ['groups', 'last_claimed_at'],
  ['groups', 'priority'],
  ['groups', 'routing_key'],
  ['groups', 'blocked_until'],
  ['dead_letters', 'seq'],
  ['dead_letters', 'group_id'],
  ['dead_letters', 'event'],
  ['dead_letters', 'priority'],
  ['dead_letters', 'attempts'],
  ['dead_letters', 'buried_at'],
  ['dead_letters', 'last_error'],
];

const TYPES: Record<string, readonly string[]> = {
  seq: ['number'],
  headSeq: ['number'],
  depth: ['number'],
  attempts: ['number'],
  priority: ['number'],
  groupId: ['string'],
  preview: ['string'],
  eventJson: ['string'],
  why: ['string'],
  expiresAt: ['number', 'null'],
  publishedAt: ['number', 'null'],
  oldestPublishedAt: ['number', 'null'],
  lastClaimedAt: ['number', 'null'],
  originSeq: ['number', 'null'],
  holder: ['string', 'null'],
  lastError: ['string', 'null'],
  routingKey: ['string', 'null'],
};

function checkTypes(row: object, what: string): void {
  for (const [name, value] of Object.entries(row)) {
    const types = TYPES[name];
    if (types) assert.ok(types.includes(value === null ? 'null' : typeof value), `${what}: ${name}`);
    if (types?.includes('number')) assert.ok(!Number.isNaN(value), `${what}: ${name}`);
  }
}

test('values of another type than the column, written by another program, reach the page as the type that it expects', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    publishEachState({ queue, edit });
    edit(`CREATE TABLE kept_messages AS SELECT * FROM harel_transport_messages;
CREATE TABLE kept_groups AS SELECT * FROM harel_transport_groups;
CREATE TABLE kept_dead_letters AS SELECT * FROM harel_transport_dead_letters`);
    for (const [table, column] of COLUMNS)
      for (const value of VALUES) {
        const what = `${table}.${column} = ${value}`;
        // Two groups cannot have one id, nor can all messages be in one.
        const where =
          column === 'group_id' ? 'WHERE rowid = (SELECT MAX(rowid) FROM harel_transport_messages)' : '';
        edit(`UPDATE harel_transport_${table} SET ${column} = ${value} ${where}`);
        const overview = await admin.overview();
        checkTypes(overview, what);
        for (const row of (await admin.groups()).rows) checkTypes(row, what);
        const { rows } = await admin.messages();
        for (const row of rows) {
          checkTypes(row, what);
          const key = row.deadId === null ? row.seq : { deadId: row.deadId };
          checkTypes((await admin.message(key)) ?? {}, what);
        }
        await admin.messages({ sort: 'attempts', search: 'é' });
        await admin.groups({ sort: 'expiry' });
        edit(`DELETE FROM harel_transport_${table};
INSERT INTO harel_transport_${table} SELECT * FROM kept_${table}`);
      }
  }));
