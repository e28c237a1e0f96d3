import assert from 'node:assert/strict';
import { type Check, drain, fill, nothing, take, VISIBILITY } from './kit.ts';

export function settleContract(check: Check): void {
  check('ack removes the message, and the next message of its group can be claimed', async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    const lease = await take(queue);
    await nothing(queue);
    await queue.ack(lease);
    assert.equal((await take(queue)).event, 2);
  });

  check(
    'a message that is nacked without a delay can be claimed at once and keeps its place in the group',
    async ({ queue }) => {
      await fill(queue, 'g', 1, 2);
      await queue.nack(await take(queue));
      assert.deepEqual(await drain(queue), [1, 2]);
    },
  );

  check('a nacked group is claimed after the groups that waited', async ({ queue, clock }) => {
    await fill(queue, 'a', 'a1');
    await fill(queue, 'b', 'b1');
    await queue.nack(await take(queue));
    clock.advance(1);
    assert.deepEqual(await drain(queue), ['b1', 'a1']);
  });

  check(
    'nack with a delay hides the whole group until the delay has passed, and its order is kept',
    async (bench) => {
      const { queue, clock } = bench;
      await fill(queue, 'g', 1, 2);
      await queue.nack(await take(queue), 5_000);
      await nothing(queue);
      clock.advance(5_000);
      await nothing(queue);
      clock.advance(1);
      assert.deepEqual(await drain(queue), [1, 2]);
    },
  );

  check('a parked group does not hold other groups back', async ({ queue }) => {
    await fill(queue, 'a', 'a1', 'a2');
    await fill(queue, 'b', 'b1', 'b2');
    await queue.nack(await take(queue), 5_000);
    assert.deepEqual(await drain(queue), ['b1', 'b2']);
  });

  check(
    'a message that is published to a parked group waits until the delay has passed',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      await queue.nack(await take(queue), 5_000);
      await fill(queue, 'g', 2);
      await nothing(queue);
      clock.advance(5_001);
      assert.deepEqual(await drain(queue), [1, 2]);
    },
  );

  check(
    'a lease hides its group for its visibility, then lapses, and the message is claimed again',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1, 2);
      await take(queue);
      clock.advance(VISIBILITY);
      await nothing(queue);
      clock.advance(1);
      assert.equal((await take(queue)).event, 1);
    },
  );

  check(
    'extend sets the expiry relative to now, and the whole group stays hidden until then',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1, 2);
      const lease = await take(queue);
      clock.advance(20_000);
      const longer = await queue.extend(lease, 60_000);
      assert.ok(longer.fence > lease.fence);
      assert.deepEqual({ ...longer }, { ...lease, expiresAt: clock.now() + 60_000, fence: longer.fence });
      clock.advance(60_000);
      await nothing(queue);
      clock.advance(1);
      assert.equal((await take(queue)).event, 1);
    },
  );

  check('extend can move the expiry closer', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    await queue.extend(await take(queue), 1_000);
    clock.advance(1_001);
    assert.equal((await take(queue)).event, 1);
  });

  check('the lease that extend returns can be extended again and acked', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    let lease = await take(queue);
    for (let n = 0; n < 5; n++) {
      clock.advance(20_000);
      lease = await queue.extend(lease, VISIBILITY);
      await nothing(queue);
    }
    await queue.ack(lease);
    assert.deepEqual(await drain(queue), []);
  });

  check('bury removes the message from its group, and the next one can be claimed', async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    await queue.bury(await take(queue), { error: 'broken' });
    assert.deepEqual(await drain(queue), [2]);
  });

  check(
    'every delivery counts as an attempt, after a nack, a park or a lapsed lease',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      const first = await take(queue);
      assert.equal(first.attempt, 1);
      await queue.nack(first);
      const second = await take(queue);
      assert.equal(second.attempt, 2);
      await queue.nack(second, 1_000);
      clock.advance(1_001);
      assert.equal((await take(queue)).attempt, 3);
      clock.advance(VISIBILITY + 1);
      assert.equal((await take(queue)).attempt, 4);
    },
  );

  check('extend does not count as an attempt', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    const lease = await take(queue);
    clock.advance(1);
    const longer = await queue.extend(lease, VISIBILITY);
    assert.equal(longer.attempt, 1);
    await queue.nack(longer);
    assert.equal((await take(queue)).attempt, 2);
  });

  check(
    'nack with countAttempt false does not count the attempt, but counts the delivery',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      await queue.nack(await take(queue), 0, { countAttempt: false });
      const again = await take(queue);
      assert.equal(again.attempt, 1);
      await queue.nack(again, 1_000, { countAttempt: false });
      clock.advance(1_001);
      const third = await take(queue);
      assert.equal(third.attempt, 1);
      assert.equal(third.delivery, 3, 'a delivery is counted all the same: it is part of the fence');
      await queue.nack(third);
      assert.equal((await take(queue)).attempt, 2);
    },
  );

  check(
    'nack stores its error for the next attempt, and a nack without an error keeps the stored one',
    async ({ queue }) => {
      await fill(queue, 'g', 1);
      await queue.nack(await take(queue), 0, { error: 'first: ü 🪢' });
      const second = await take(queue);
      assert.equal(second.lastError, 'first: ü 🪢');
      await queue.nack(second);
      const third = await take(queue);
      assert.equal(third.lastError, 'first: ü 🪢');
      await queue.nack(third, 0, { error: 'third' });
      assert.equal((await take(queue)).lastError, 'third');
    },
  );

  check(
    'the publish time of a message survives a nack, a park and a lapsed lease',
    async ({ queue, clock }) => {
      const publishedAt = clock.now();
      await fill(queue, 'g', 1);
      clock.advance(10);
      await queue.nack(await take(queue), 1_000);
      clock.advance(1_001);
      await take(queue);
      clock.advance(VISIBILITY + 1);
      assert.equal((await take(queue)).publishedAt, publishedAt);
    },
  );
}
