import assert from 'node:assert/strict';
import type { Lease, Transport } from '../../contract/transport.ts';
import { type Check, drain, fill, nothing, raises, take, VISIBILITY } from './kit.ts';

/** Every call that needs a held lease. */
const SETTLES: Record<string, (queue: Transport, lease: Lease) => unknown> = {
  ack: (queue, lease) => queue.ack(lease),
  'nack without a delay': (queue, lease) => queue.nack(lease, 0, { error: 'stale' }),
  'nack with a delay': (queue, lease) => queue.nack(lease, 60_000, { error: 'stale' }),
  extend: (queue, lease) => queue.extend(lease, 60_000),
  bury: (queue, lease) => queue.bury(lease, { error: 'stale' }),
  ackAndClaim: (queue, lease) => queue.ackAndClaim(lease, VISIBILITY),
};

/** The calls that settle the lease. extend replaces it with a new one. */
const ENDS = Object.entries(SETTLES).filter(([name]) => name !== 'extend');

export function lostLeaseContract(check: Check): void {
  check(
    'a parked message cannot be settled with a lease that names the sentinel as its worker',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      const lease = await take(queue);
      await queue.nack(lease, VISIBILITY);
      const forged = { ...lease, workerId: '__parked__' };
      for (const [name, settle] of Object.entries(SETTLES))
        await raises('BAD_ARGUMENT', () => settle(queue, forged), name);
      await raises('BAD_ARGUMENT', () => queue.ackAndClaimMany([forged], 'w', VISIBILITY, 1));
      await nothing(queue);
      clock.advance(VISIBILITY + 1);
      assert.deepEqual(await drain(queue), [1]);
    },
  );

  for (const [name, settle] of Object.entries(SETTLES)) {
    check(
      `${name} raises LEASE_LOST and changes nothing after another worker has taken the message`,
      async ({ queue, clock }) => {
        await fill(queue, 'g', 1, 2);
        await fill(queue, 'other', 'o');
        const stale = await take(queue, 'slow');
        clock.advance(VISIBILITY + 1);
        assert.equal((await take(queue, 'fast')).event, 'o');
        const held = await take(queue, 'fast');
        assert.equal(held.seq, stale.seq);
        await raises('LEASE_LOST', () => settle(queue, stale), name);
        await nothing(queue);
        assert.deepEqual(await queue.deadLetters(), []);
        await queue.nack(held);
        const again = await take(queue);
        assert.deepEqual([again.event, again.attempt, again.lastError], [1, 3, null]);
        await queue.ack(again);
        assert.equal((await take(queue)).event, 2);
      },
    );

    check(
      `${name} raises LEASE_LOST for the first of two claims of one message by one worker in one millisecond`,
      async ({ queue }) => {
        await fill(queue, 'g', 1);
        const first = await take(queue, 'w');
        await queue.nack(first, 0, { countAttempt: false });
        const second = await take(queue, 'w');
        assert.equal(first.expiresAt, second.expiresAt);
        await raises('LEASE_LOST', () => settle(queue, first), name);
        await nothing(queue);
        await queue.ack(second);
        assert.deepEqual(await drain(queue), []);
      },
    );

    check(`${name} accepts a lapsed lease whose message was not taken since`, async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      const lease = await take(queue);
      clock.advance(VISIBILITY * 10);
      await settle(queue, lease);
      await raises('LEASE_LOST', () => queue.ack(lease), 'the lease is settled or replaced');
    });

    check(`${name} raises LEASE_LOST for the lease that an extend has replaced`, async ({ queue, clock }) => {
      await fill(queue, 'g', 1, 2);
      const lease = await take(queue);
      clock.advance(1);
      const longer = await queue.extend(lease, VISIBILITY);
      await raises('LEASE_LOST', () => settle(queue, lease), name);
      await nothing(queue);
      await queue.ack(longer);
      assert.deepEqual(await drain(queue), [2]);
    });

    check(
      `${name} raises LEASE_LOST for a lease that was extended twice in one millisecond`,
      async ({ queue }) => {
        await fill(queue, 'g', 1, 2);
        const lease = await take(queue);
        const once = await queue.extend(lease, VISIBILITY);
        const twice = await queue.extend(once, VISIBILITY);
        assert.equal(lease.expiresAt, twice.expiresAt);
        for (const old of [lease, once]) await raises('LEASE_LOST', () => settle(queue, old), name);
        await queue.ack(twice);
        assert.deepEqual(await drain(queue), [2]);
      },
    );

    check(`${name} raises LEASE_LOST for a lease with another worker, seq or fence`, async ({ queue }) => {
      await fill(queue, 'g', 1);
      const lease = await take(queue);
      const forged: Lease[] = [
        { ...lease, workerId: 'another worker' },
        { ...lease, fence: lease.fence + 1 },
        { ...lease, seq: lease.seq + 1 },
      ];
      for (const each of forged) await raises('LEASE_LOST', () => settle(queue, each), name);
      await nothing(queue);
      await queue.ack(lease);
      assert.deepEqual(await queue.deadLetters(), []);
    });

    for (const [end, first] of ENDS) {
      check(`${name} raises LEASE_LOST and changes nothing after ${end}`, async ({ queue, clock }) => {
        await fill(queue, 'g', 1, 2);
        const lease = await take(queue);
        await first(queue, lease);
        const dead = await queue.deadLetters();
        await raises('LEASE_LOST', () => settle(queue, lease), name);
        assert.deepEqual(await queue.deadLetters(), dead);
        clock.advance(VISIBILITY * 10);
        const rest = end.startsWith('nack') ? [1, 2] : [2];
        assert.deepEqual(await drain(queue), rest);
      });
    }
  }

  check(
    'ack of a lapsed lease raises LEASE_LOST after another worker has acked the message',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1, 2);
      const stale = await take(queue, 'slow');
      clock.advance(VISIBILITY + 1);
      await queue.ack(await take(queue, 'fast'));
      const next = await take(queue, 'fast');
      await raises('LEASE_LOST', () => queue.ack(stale));
      await queue.ack(next);
      assert.deepEqual(await drain(queue), []);
    },
  );

  check(
    'extend of a lapsed lease whose message was not taken since hides the group again',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1, 2);
      const lease = await take(queue);
      clock.advance(VISIBILITY * 2);
      const longer = await queue.extend(lease, VISIBILITY);
      await nothing(queue);
      await queue.ack(longer);
      assert.deepEqual(await drain(queue), [2]);
    },
  );

  check(
    'the lease of a buried message does not settle the message that republish makes of it',
    async ({ queue }) => {
      await fill(queue, 'g', 1);
      const lease = await take(queue);
      await queue.bury(lease);
      const [dead] = await queue.deadLetters();
      assert.ok(dead);
      await queue.republish(dead.seq);
      await raises('LEASE_LOST', () => queue.ack(lease));
      assert.deepEqual(await drain(queue), [1]);
    },
  );
}
