import assert from 'node:assert/strict';
import { type Check, fill, nothing, raises, take, VISIBILITY } from './kit.ts';

export function queueStateContract(check: Check): void {
  check(
    'nextExpiry returns the earliest end of a lease or a park, and null when there is none',
    async (bench) => {
      const { queue, clock } = bench;
      for (const group of ['a', 'b', 'c']) await fill(queue, group, group);
      assert.equal(await queue.nextExpiry(), null);
      await take(queue);
      assert.equal(await queue.nextExpiry(), clock.now() + VISIBILITY);
      await queue.nack(await take(queue), 12_345);
      assert.equal(await queue.nextExpiry(), clock.now() + 12_345);
      const short = await queue.claim('w', 1_000);
      assert.ok(short);
      assert.equal(await queue.nextExpiry(), clock.now() + 1_000);
      await queue.ack(short);
      assert.equal(await queue.nextExpiry(), clock.now() + 12_345);
    },
  );

  check(
    'nextExpiry considers only groups that satisfy minPriority and routingKeys',
    async ({ queue, clock }) => {
      await queue.publish('low', 1, { priority: 1, routingKey: 'a' });
      await queue.publish('high', 1, { priority: 3, routingKey: 'b' });
      await queue.claim('w', 1_000, { routingKeys: ['a'] });
      await queue.claim('w', 2_000, { routingKeys: ['b'] });
      const start = clock.now();
      assert.equal(await queue.nextExpiry({ minPriority: 0 }), start + 1_000);
      assert.equal(await queue.nextExpiry({ minPriority: 2 }), start + 2_000);
      assert.equal(await queue.nextExpiry({ minPriority: 4 }), null);
      assert.equal(await queue.nextExpiry({ routingKeys: ['b'] }), start + 2_000);
      assert.equal(await queue.nextExpiry({ routingKeys: ['a', 'b'] }), start + 1_000);
      assert.equal(await queue.nextExpiry({ routingKeys: ['c'] }), null);
      assert.equal(await queue.nextExpiry({ routingKeys: [] }), null);
    },
  );

  check(
    'nextExpiry changes with an extend, and when the wall clock is set back',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      const lease = await take(queue);
      clock.advance(1_000);
      await queue.extend(lease, 60_000);
      assert.equal(await queue.nextExpiry(), clock.now() + 60_000);
      clock.step(-10_000_000);
      await nothing(queue);
      assert.equal(await queue.nextExpiry(), clock.now() + 60_000);
    },
  );

  check(
    'holders returns the workers with leases, including lapsed leases and excluding parks',
    async ({ queue, clock }) => {
      for (const group of ['a', 'b', 'c', 'd']) await fill(queue, group, group);
      assert.deepEqual(await queue.holders(), { holders: [], next: null });
      await queue.claimMany('one', VISIBILITY, 2);
      await take(queue, 'two');
      await queue.nack(await take(queue, 'three'), 1_000);
      clock.advance(VISIBILITY + 1);
      const { holders } = await queue.holders();
      assert.deepEqual(holders, [
        { workerId: 'one', leases: 2 },
        { workerId: 'two', leases: 1 },
      ]);
    },
  );

  check(
    'release frees the leases of the named workers at once, with the attempt counted, and no others',
    async ({ queue }) => {
      for (const group of ['a', 'b', 'c', 'd']) await fill(queue, group, group);
      const [a] = await queue.claimMany('dead', VISIBILITY, 1);
      await queue.claimMany('dead too', VISIBILITY, 1);
      const alive = await take(queue, 'alive');
      await queue.nack(await take(queue, 'dead'), 60_000);
      assert.ok(a);
      assert.deepEqual(await queue.release(['dead', 'dead too', 'unknown']), { released: 2, next: null });
      await raises('LEASE_LOST', () => queue.ack(a));
      const again = await queue.claimMany('w', VISIBILITY, 9);
      assert.deepEqual(
        again.map((lease) => [lease.event, lease.attempt, lease.crashes]),
        [
          ['a', 2, 1],
          ['b', 2, 1],
        ],
      );
      await queue.ack(alive);
      assert.deepEqual(
        (await queue.holders()).holders.map((holder) => holder.workerId),
        ['w'],
      );
    },
  );

  check('release returns 0 for an empty list and for workers without leases', async ({ queue }) => {
    await fill(queue, 'g', 1);
    await take(queue, 'w');
    assert.deepEqual(await queue.release([]), { released: 0, next: null });
    assert.deepEqual(await queue.release(['idle']), { released: 0, next: null });
    await nothing(queue);
  });

  check(
    'dataVersion changes with writes of another program and not with those of its own transport',
    async ({ queue, putRaw }) => {
      const before = await queue.dataVersion();
      await fill(queue, 'g', 1);
      await queue.ack(await take(queue));
      assert.equal(await queue.dataVersion(), before);
      await putRaw('g', '2');
      assert.notEqual(await queue.dataVersion(), before);
    },
  );
}
