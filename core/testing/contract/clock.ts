import assert from 'node:assert/strict';
import { type Check, drain, fill, nothing, take, VISIBILITY } from './kit.ts';

const HOUR = 3_600_000;

export function clockContract(check: Check): void {
  check(
    'a lease is held at exactly its expiry and has lapsed one millisecond later, for any visibility',
    async (bench) => {
      const { queue, clock } = bench;
      await fill(queue, 'g', 1);
      for (const visibility of [1, 2, 3, 7, 10, 33, 99, 101, 333, 999, 1_001, 12_345, 30_000, 86_400_001]) {
        const lease = await queue.claim('w', visibility);
        assert.ok(lease, `claimable before a visibility of ${visibility}`);
        assert.equal(lease.expiresAt, clock.now() + visibility);
        clock.advance(visibility);
        await nothing(queue);
        clock.advance(1);
      }
    },
  );

  check(
    'a parked message is hidden at exactly its end and can be claimed one millisecond later, for any delay',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      for (const delay of [1, 3, 7, 99, 333, 1_001, 86_400_001]) {
        await queue.nack(await take(queue), delay);
        clock.advance(delay);
        await nothing(queue);
        clock.advance(1);
      }
      await take(queue);
    },
  );

  check(
    'a lease does not last longer than its visibility when the wall clock is set back',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      await take(queue);
      clock.advance(10_000);
      clock.step(-HOUR);
      await nothing(queue);
      clock.advance(20_001);
      assert.equal((await take(queue)).event, 1);
    },
  );

  check(
    'a claim after the visibility takes the message even if the wall clock was set back right after the lease began',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      await take(queue);
      clock.step(-HOUR);
      clock.advance(VISIBILITY + 1);
      assert.equal((await take(queue)).event, 1);
    },
  );

  check(
    'a park does not last longer than its delay when the wall clock is set back',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      await queue.nack(await take(queue), 5_000);
      clock.step(-HOUR);
      await nothing(queue);
      clock.advance(5_001);
      assert.equal((await take(queue)).event, 1);
    },
  );

  check(
    'a lease keeps its visibility when the wall clock is set back twice with an extend in between',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      const lease = await take(queue);
      clock.step(-HOUR);
      await queue.extend(lease, VISIBILITY);
      clock.step(-HOUR);
      clock.advance(VISIBILITY);
      await nothing(queue);
      clock.advance(1);
      assert.equal((await take(queue)).event, 1);
    },
  );

  check(
    'a lease from before the wall clock was set back can be acked, nacked and buried',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1, 2, 3, 4);
      const acked = await take(queue);
      clock.step(-HOUR);
      await queue.ack(acked);
      const nacked = await take(queue);
      clock.step(-HOUR);
      await nothing(queue);
      await queue.nack(nacked);
      const buried = await take(queue);
      clock.step(-HOUR);
      clock.advance(1_000);
      await queue.bury(buried);
      assert.deepEqual(await drain(queue), [3, 4]);
    },
  );

  check(
    'a lost lease still raises LEASE_LOST after the wall clock was set back to before its expiry',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      const stale = await take(queue, 'w');
      clock.advance(VISIBILITY + 1);
      const held = await take(queue, 'w');
      clock.step(-VISIBILITY - 1);
      await assert.rejects(async () => queue.ack(stale), { code: 'LEASE_LOST' });
      await queue.ack(held);
    },
  );

  check('groups take turns while the wall clock is set back repeatedly', async ({ queue, clock }) => {
    for (const group of ['a', 'b', 'c']) await fill(queue, group, `${group}1`, `${group}2`, `${group}3`);
    const order: unknown[] = [];
    for (let n = 0; n < 9; n++) {
      if (n % 2 === 1) clock.step(-HOUR);
      clock.advance(10);
      const lease = await take(queue);
      order.push(lease.event);
      await queue.ack(lease);
    }
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
  });

  check(
    'a lease lapses when the wall clock is set forward, as after the computer slept',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      await take(queue);
      clock.step(HOUR);
      assert.equal((await take(queue)).attempt, 2);
    },
  );
}
