import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SqliteTransport } from '../../index.ts';
import { execute } from './support/file-check.ts';
import { claim, withFile } from './support/sync-queue.ts';

const HUGE = '9007199254740993';

/** What another program writes into the tables, and how the burial names the reason. */
const UNSERVABLE: Record<string, readonly [sql: string, reason: RegExp]> = {
  'whose group id is a BLOB': [
    `INSERT INTO harel_transport_messages (group_id, event) VALUES (X'61', '1');
     INSERT INTO harel_transport_groups (group_id) VALUES (X'61')`,
    /group id is not text/,
  ],
  'whose event is a BLOB': [
    `INSERT INTO harel_transport_messages (group_id, event) VALUES ('bad', X'31');
     INSERT INTO harel_transport_groups (group_id) VALUES ('bad')`,
    /event is not text/,
  ],
  'whose seq is beyond 2^53': [
    `INSERT INTO harel_transport_messages (seq, group_id, event) VALUES (${HUGE}, 'bad', '1');
     INSERT INTO harel_transport_groups (group_id) VALUES ('bad')`,
    new RegExp(`seq ${HUGE}.*2\\^53`),
  ],
  'whose seq is below -2^53': [
    `INSERT INTO harel_transport_messages (seq, group_id, event) VALUES (-${HUGE}, 'bad', '1');
     INSERT INTO harel_transport_groups (group_id) VALUES ('bad')`,
    /2\^53/,
  ],
};

describe('a message that no lease can name exactly', () => {
  for (const [what, [sql, reason]] of Object.entries(UNSERVABLE))
    it(`${what} is buried with the reason, and all others are claimed`, () =>
      withFile(({ open, file }) => {
        const queue = open();
        const first = queue.publish('g1', 1);
        execute(file, sql);
        assert.deepEqual([claim(queue).event, queue.claim('w', 1000)], [1, null]);
        const second = queue.publish('g2', 2);
        assert.ok(second > first && Number.isSafeInteger(second));
        assert.equal(claim(queue).event, 2);
        const [dead, ...rest] = queue.deadLetters();
        assert.deepEqual([rest.length, dead?.attempts], [0, 0]);
        assert.match(dead?.error ?? '', reason);
      }));

  it('is refused by publish when the sequence has passed 2^53, and nothing is written', () =>
    withFile(({ open, file }) => {
      const queue = open();
      queue.publish('g', 1);
      execute(
        file,
        `UPDATE sqlite_sequence SET seq = 9007199254740991 WHERE name = 'harel_transport_messages'`,
      );
      assert.throws(() => queue.publish('h', 2), { message: /sqlite_sequence/ });
      assert.deepEqual([claim(queue).event, queue.claim('w', 1000)], [1, null]);
    }));
});

describe('a seq that a dead letter had already', () => {
  it('is buried again, and both dead letters are published again', () =>
    withFile(({ open, file }) => {
      const queue = open();
      const bury = () => queue.bury(claim(queue));
      queue.publish('g', 'first');
      bury();
      execute(file, "DELETE FROM sqlite_sequence WHERE name = 'harel_transport_messages'");
      queue.publish('g', 'second');
      bury();
      const dead = queue.deadLetters();
      assert.equal(dead[0]?.seq, dead[1]?.seq);
      for (const { id } of dead) queue.republish(id);
      assert.deepEqual([claim(queue).event, queue.deadLetters()], ['first', []]);
    }));
});

describe('the order of the groups', () => {
  const turns: Record<string, string> = {
    'in milliseconds': '1700000000000.0',
    'that is huge': '1e300',
    'that is infinite': '9e999',
    'that is text': "'later'",
    'that is a BLOB': "X'01'",
    'that is negative': '-1e300',
  };
  for (const [what, turn] of Object.entries(turns))
    it(`is a round robin whatever the file holds: a last_claimed_at ${what}`, () =>
      withFile(({ open, file }) => {
        const queue = open();
        for (const group of ['a', 'b', 'c'])
          for (let event = 0; event < 10; event++) queue.publish(group, event);
        execute(file, `UPDATE harel_transport_groups SET last_claimed_at = ${turn} WHERE group_id = 'b'`);
        const served = serve(queue, 12);
        assert.deepEqual(served.slice(3).toSorted(), [...'aaabbbccc']);
        assert.ok(served.slice(0, 3).filter((group) => group === 'b').length <= 1);
      }));
});

/** Claims and acks so many messages, and returns their groups. */
function serve(queue: SqliteTransport, messages: number): string[] {
  return Array.from({ length: messages }, () => {
    const lease = claim(queue);
    queue.ack(lease);
    return lease.groupId;
  });
}

describe('a message in whose columns another program wrote what no lease can hold', () => {
  for (const value of ['9007199254740993', '9223372036854775807', "'text'", "X'00'", '1.5', "'9e999'"])
    it(`(${value}) is claimed under a lease that counts, extends and settles`, () =>
      withFile(({ open, file }) => {
        const queue = open();
        for (const column of ['fence', 'crashes', 'attempts', 'deliveries']) {
          queue.publish(column, column);
          execute(file, `UPDATE harel_transport_messages SET ${column} = ${value}`);
          const lease = claim(queue);
          queue.countAttempt(lease, true);
          queue.nack(queue.extend(lease, 1000), 0, { error: 'failed' });
          queue.ack(claim(queue));
          assert.equal(queue.claim('w', 1000), null);
        }
      }));
});
