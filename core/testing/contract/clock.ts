import assert from 'node:assert/strict';
import { type Check, drain, fill, nothing, take, VISIBILITY } from './kit.ts';

const HOUR = 3_600_000;

export function clockContract(check: Check): void {
  check('a lease is held at exactly its expiry and lapsed after it, whatever the fraction', async (bench) => {
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
  });

  check('a park is over strictly after its end, whatever the fraction', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    for (const delay of [1, 3, 7, 99, 333, 1_001, 86_400_001]) {
      await queue.nack(await take(queue), delay);
      clock.advance(delay);
      await nothing(queue);
      clock.advance(1);
    }
    await take(queue);
  });

  check('a clock set back makes no lease outlast its visibility', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    await take(queue);
    clock.advance(10_000);
    clock.step(-HOUR);
    await nothing(queue);
    clock.advance(20_001);
    assert.equal((await take(queue)).event, 1);
  });

  check(
    'a clock set back is noticed by the claim that comes after the visibility',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      await take(queue);
      clock.step(-HOUR);
      clock.advance(VISIBILITY + 1);
      assert.equal((await take(queue)).event, 1);
    },
  );

  check('a clock set back makes no park outlast its delay', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    await queue.nack(await take(queue), 5_000);
    clock.step(-HOUR);
    await nothing(queue);
    clock.advance(5_001);
    assert.equal((await take(queue)).event, 1);
  });

  check(
    'a clock set back twice, with an extend between, still keeps the visibility',
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

  check('a lease from before the clock was set back still settles', async ({ queue, clock }) => {
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
  });

  check('a clock set back does not let a stale lease settle', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    const stale = await take(queue, 'w');
    clock.advance(VISIBILITY + 1);
    const held = await take(queue, 'w');
    clock.step(-VISIBILITY - 1);
    await assert.rejects(async () => queue.ack(stale), { code: 'LEASE_LOST' });
    await queue.ack(held);
  });

  check('groups keep their turns when the clock is set back', async ({ queue, clock }) => {
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

  check('a clock set forward (a computer that slept) lapses what was held', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    await take(queue);
    clock.step(HOUR);
    assert.equal((await take(queue)).attempt, 2);
  });
}
