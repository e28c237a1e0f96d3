import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Lease } from '../../index.ts';
import { openTransportService } from '../async/thread-service.ts';
import type { ThreadMethod } from '../async/transport-protocol.ts';
import { execute, rows } from './support/file-check.ts';
import { claim, drain, withFile } from './support/sync-queue.ts';

const HOUR = 3_600_000;

describe('a wall clock that steps back', () => {
  it("after a step back a transport shortens its own locks and never another writer's", () =>
    withFile(({ open, file, clock }) => {
      const mine = open();
      const other = open();
      mine.publish('a', 'a');
      mine.publish('b', 'b');
      const first = claim(mine, 'mine');
      const second = claim(other, 'other');
      clock.step(-HOUR);
      mine.publish('c', 'c');
      const locks = rows(
        file,
        'SELECT locked_by, lock_expiry FROM harel_transport_messages WHERE locked_by IS NOT NULL',
      );
      assert.deepEqual(locks, [
        { locked_by: 'mine', lock_expiry: (first.expiresAt - HOUR) / 1_000 },
        { locked_by: 'other', lock_expiry: second.expiresAt / 1_000 },
      ]);
      other.ack(second);
      mine.ack(first);
    }));

  it('a lock that was settled and taken again in one commit is shortened', () =>
    withFile(({ file, clock }) => {
      const service = openTransportService(
        { path: file, durability: 'normal' },
        clock,
        () => {},
        () => {},
      );
      const answer = (...calls: [ThreadMethod, unknown][]) =>
        service.answer(
          calls.map((call) => [...call, 0]),
          0,
        ).values;
      answer(['publish', [{ groupId: 'g', eventJson: '1', priority: 0, routingKey: null }]]);
      const [[lease]] = answer(['claimMany', ['w', 30_000, 1, {}]]) as [[Lease]];
      answer(['nack', [lease, 0, {}]], ['claimMany', ['w', 30_000, 1, {}]]);
      clock.step(-HOUR);
      answer(['claimMany', ['w', 30_000, 1, {}]]);
      assert.deepEqual(rows(file, 'SELECT lock_expiry AS expiry FROM harel_transport_messages'), [
        { expiry: (lease.expiresAt - HOUR) / 1000 },
      ]);
      service.close();
    }));

  it('after a step back a lock that lapsed and was taken by another writer is not shortened', () =>
    withFile(({ open, file, clock }) => {
      const mine = open();
      const other = open();
      mine.publish('a', 'a');
      claim(mine, 'w', 1_000);
      clock.advance(1_001);
      const lease = claim(other, 'w', 60_000);
      clock.step(-HOUR);
      mine.publish('c', 'c');
      const [lock] = rows(file, 'SELECT lock_expiry FROM harel_transport_messages WHERE seq = 1');
      assert.deepEqual(lock, { lock_expiry: lease.expiresAt / 1_000 });
    }));

  it('leases still settle, and lapse in time, after a first attempt to shorten them failed', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      for (const group of ['a', 'b', 'c']) queue.publish(group, group);
      const [first] = [claim(queue), claim(queue), claim(queue)];
      clock.step(-HOUR);
      execute(
        file,
        `CREATE TRIGGER refuse BEFORE UPDATE OF lock_expiry ON harel_transport_messages WHEN OLD.seq = 2
        BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      );
      assert.throws(() => queue.ack(first), { code: 'STORAGE' });
      execute(file, 'DROP TRIGGER refuse');
      queue.ack(first);
      clock.advance(30_001);
      assert.deepEqual(drain(queue), ['b', 'c']);
    }));

  it('thousands of parks that lapsed before a step back stay lapsed', () =>
    withFile(({ open, clock }) => {
      const queue = open();
      const many = 2_500;
      queue.publishMany(Array.from({ length: many }, (_, n) => ({ groupId: `g${n}`, event: n })));
      for (const lease of queue.claimMany('w', 1_000, many)) queue.nack(lease, 1_000);
      clock.advance(1_001);
      queue.publish('last', 'last');
      queue.nack(claim(queue), 500);
      clock.step(-HOUR);
      clock.advance(501);
      assert.equal(queue.claimMany('w', 1_000, many + 1).length, many + 1);
    }));

  it('many small steps back have the effect of one large step', () =>
    withFile(({ open, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      claim(queue);
      for (let n = 0; n < 400; n++) {
        clock.step(-15);
        queue.claim('w', 1_000);
      }
      // The last small step may be below the tolerance for differences between the two clocks.
      clock.advance(30_021);
      assert.equal(claim(queue).event, 1);
    }));

  it('a step back and an equal step forward between two calls change no lock', () =>
    withFile(({ open, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      const lease = claim(queue);
      clock.step(-HOUR);
      clock.step(HOUR);
      assert.equal(queue.claim('w', 1_000), null);
      assert.equal(queue.nextExpiry(), lease.expiresAt);
    }));
});
