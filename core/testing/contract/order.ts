import assert from 'node:assert/strict';
import { type Check, drain, fill, nothing, take, VISIBILITY } from './kit.ts';

export function orderContract(check: Check): void {
  check('a group delivers its messages in the order in which they were published', async ({ queue }) => {
    await fill(queue, 'g', 1, 2, 3);
    assert.deepEqual(await drain(queue), [1, 2, 3]);
    await nothing(queue);
  });

  check(
    'a lease carries seq, group, event, worker, expiry, attempt, crashes, fence and publish time',
    async ({ queue, clock }) => {
      const publishedAt = clock.now();
      const seq = await queue.publish('g', { n: 1, deep: [true, null, 'ü'] });
      clock.advance(5_000);
      const lease = await take(queue, 'worker');
      assert.ok(Number.isSafeInteger(lease.fence));
      assert.deepEqual(
        { ...lease },
        {
          seq,
          groupId: 'g',
          event: { n: 1, deep: [true, null, 'ü'] },
          workerId: 'worker',
          expiresAt: clock.now() + VISIBILITY,
          attempt: 1,
          delivery: 1,
          fence: lease.fence,
          crashes: 0,
          publishedAt,
          lastError: null,
        },
      );
    },
  );

  check('a structured clone of a lease settles, since a lease is plain data', async ({ queue }) => {
    await fill(queue, 'g', 1);
    await queue.ack(structuredClone(await take(queue)));
    await nothing(queue);
  });

  check('an event can be any JSON value, and a claim returns an equal one', async ({ queue }) => {
    const events = [
      null,
      false,
      0,
      -1.5e300,
      '',
      'text',
      [],
      {},
      { a: [{ b: null }] },
      '\ud800',
      'nul\0nul',
      '🪢',
    ];
    await fill(queue, 'g', ...events);
    assert.deepEqual(await drain(queue), events);
  });

  check(
    'a claim skips groups with a leased message, and returns null when there is no other group',
    async ({ queue }) => {
      await fill(queue, 'a', 'a1', 'a2');
      await fill(queue, 'b', 'b1', 'b2');
      const events = [(await take(queue)).event, (await take(queue)).event];
      assert.deepEqual(events, ['a1', 'b1']);
      await nothing(queue);
    },
  );

  check('a claim on an empty queue returns null, and claimMany an empty array', async ({ queue }) => {
    await nothing(queue);
    assert.deepEqual(await queue.claimMany('w', VISIBILITY, 10), []);
  });

  check('seqs increase and are never reused, even after the newest message was acked', async ({ queue }) => {
    const first = await queue.publish('g', 1);
    await drain(queue);
    const second = await queue.publish('g', 2);
    const third = await queue.publish('h', 3);
    assert.ok(first < second && second < third);
  });

  check(
    'groups that were never claimed are claimed in the order of their first publish',
    async ({ queue }) => {
      for (const group of ['m', 'z', 'a', 'k']) await fill(queue, group, group);
      assert.deepEqual(await drain(queue), ['m', 'z', 'a', 'k']);
    },
  );

  check(
    'a group that was never claimed is claimed before a group that was claimed just now',
    async ({ queue, clock }) => {
      await fill(queue, 'a', 'a1', 'a2');
      await queue.ack(await take(queue));
      await fill(queue, 'late', 'late1');
      clock.advance(1);
      assert.deepEqual(await drain(queue), ['late1', 'a2']);
    },
  );

  check(
    'groups take turns: a claim returns the group whose last claim is longest ago',
    async ({ queue, clock }) => {
      for (const group of ['a', 'b', 'c']) await fill(queue, group, `${group}1`, `${group}2`, `${group}3`);
      const order: unknown[] = [];
      for (let n = 0; n < 9; n++) {
        clock.advance(10);
        const lease = await take(queue);
        order.push(lease.event);
        await queue.ack(lease);
      }
      assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
    },
  );

  check('groups take turns even when all claims happen in the same millisecond', async ({ queue }) => {
    for (const group of ['a', 'b', 'c']) await fill(queue, group, `${group}1`, `${group}2`);
    assert.deepEqual(await drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  check(
    'a group that was drained and gets a new message counts as never claimed',
    async ({ queue, clock }) => {
      await fill(queue, 'a', 'a1');
      await fill(queue, 'b', 'b1', 'b2');
      await queue.ack(await take(queue));
      await queue.ack(await take(queue));
      clock.advance(1_000);
      await fill(queue, 'a', 'a2');
      assert.deepEqual(await drain(queue), ['a2', 'b2']);
    },
  );

  check('group ids that differ in case, width, accents or spaces are different groups', async ({ queue }) => {
    const ids = [
      'g',
      'G',
      ' g',
      'g ',
      'ｇ',
      'é',
      'e\u0301',
      '🪢',
      '',
      "'; DROP TABLE x; --",
      '%',
      'x'.repeat(10_000),
    ];
    for (const id of ids) await fill(queue, id, id);
    const leases = await queue.claimMany('w', VISIBILITY, ids.length + 1);
    assert.deepEqual(
      leases.map((lease) => lease.groupId),
      ids,
    );
  });
}
