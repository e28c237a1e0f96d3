import assert from 'node:assert/strict';
import { type Check, drain, fill, nothing, raises, take, VISIBILITY } from './kit.ts';

export function batchContract(check: Check): void {
  check(
    'publishMany publishes its messages in order and returns their seqs in that order',
    async ({ queue }) => {
      const seqs = await queue.publishMany([
        { groupId: 'a', event: 'a1', priority: 2, routingKey: 'k' },
        { groupId: 'b', event: 'b1' },
        { groupId: 'a', event: 'a2', priority: 4 },
      ]);
      assert.equal(seqs.length, 3);
      assert.deepEqual(
        seqs,
        [...seqs].sort((one, two) => one - two),
      );
      const first = await take(queue, 'w', { minPriority: 2, routingKeys: ['k'] });
      assert.deepEqual([first.seq, first.event], [seqs[0], 'a1']);
      await queue.ack(first);
      await nothing(queue, { minPriority: 3 });
      assert.deepEqual(await drain(queue), ['b1', 'a2']);
    },
  );

  check('publishMany publishes nothing when one of its messages is refused', async ({ queue }) => {
    const good = { groupId: 'g', event: 1 };
    await raises('BAD_EVENT', () => queue.publishMany([good, { groupId: 'g', event: undefined }]));
    await raises('BAD_ARGUMENT', () => queue.publishMany([good, { groupId: 'g', event: 2, priority: 5 }]));
    await nothing(queue);
    await queue.publishMany([good, good]);
    assert.deepEqual(await drain(queue), [1, 1]);
  });

  check('publishMany takes the fields of a message that its class defines as getters', async ({ queue }) => {
    class Upload {
      get groupId() {
        return 'uploads';
      }
      get event() {
        return { file: 'a.txt' };
      }
      get priority() {
        return 3;
      }
    }
    await queue.publishMany([new Upload()]);
    const lease = await take(queue, 'w', { minPriority: 3 });
    assert.deepEqual([lease.groupId, lease.event], ['uploads', { file: 'a.txt' }]);
  });

  check('publishMany of an empty array returns an empty array', async ({ queue }) => {
    assert.deepEqual(await queue.publishMany([]), []);
    await nothing(queue);
  });

  check('publishMany publishes 5,000 messages at once', async ({ queue }) => {
    const messages = Array.from({ length: 5_000 }, (_, n) => ({ groupId: `g${n % 7}`, event: n }));
    assert.equal(new Set(await queue.publishMany(messages)).size, 5_000);
    const leases = await queue.claimMany('w', VISIBILITY, 100);
    assert.deepEqual(
      leases.map((lease) => lease.event),
      [0, 1, 2, 3, 4, 5, 6],
    );
  });

  check(
    'claimMany returns the heads of different groups, in the order of single claims',
    async ({ queue }) => {
      for (const group of ['a', 'b', 'c']) await fill(queue, group, `${group}1`, `${group}2`);
      const leases = await queue.claimMany('w', VISIBILITY, 2);
      assert.deepEqual(
        leases.map((lease) => lease.event),
        ['a1', 'b1'],
      );
      assert.equal((await take(queue)).event, 'c1');
      assert.deepEqual(await queue.claimMany('w', VISIBILITY, 5), []);
      for (const lease of leases) await queue.ack(lease);
      assert.deepEqual(await drain(queue), ['a2', 'b2']);
    },
  );

  check('claimMany returns one message of each group, however large its limit is', async ({ queue }) => {
    await fill(queue, 'a', 'a1', 'a2');
    await fill(queue, 'b', 'b1');
    assert.equal((await queue.claimMany('w', VISIBILITY, 100)).length, 2);
  });

  check('claimMany returns only groups that satisfy minPriority and routingKeys', async ({ queue }) => {
    await queue.publish('a', 'a', { priority: 2, routingKey: 'k' });
    await queue.publish('b', 'b', { priority: 1, routingKey: 'k' });
    await queue.publish('c', 'c', { priority: 4 });
    const leases = await queue.claimMany('w', VISIBILITY, 9, { minPriority: 2, routingKeys: ['k'] });
    assert.deepEqual(
      leases.map((lease) => lease.event),
      ['a'],
    );
  });

  check('the leases of one claimMany settle independently of one another', async ({ queue }) => {
    for (const group of ['a', 'b', 'c']) await fill(queue, group, group);
    const [a, b, c] = await queue.claimMany('w', VISIBILITY, 3);
    assert.ok(a && b && c);
    await queue.ack(b);
    await queue.nack(a);
    await queue.bury(c);
    assert.deepEqual(await drain(queue), ['a']);
  });

  check(
    'ackAndClaim acks a lease and claims the next message for the same worker',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1, 2);
      const first = await take(queue, 'me');
      clock.advance(5);
      const next = await queue.ackAndClaim(first, 7_000);
      assert.deepEqual([next?.event, next?.workerId, next?.expiresAt], [2, 'me', clock.now() + 7_000]);
      assert.ok(next);
      assert.equal(await queue.ackAndClaim(next, 7_000), null);
      assert.deepEqual(await drain(queue), []);
    },
  );

  check(
    'ackAndClaim claims from the group whose turn it is, not from the group of the acked message',
    async ({ queue, clock }) => {
      await fill(queue, 'a', 'a1', 'a2');
      await fill(queue, 'b', 'b1');
      clock.advance(1);
      const next = await queue.ackAndClaim(await take(queue), VISIBILITY);
      assert.equal(next?.event, 'b1');
    },
  );

  check('ackAndClaim claims only from groups that satisfy minPriority and routingKeys', async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    await queue.publish('high', 'high', { priority: 4, routingKey: 'k' });
    const next = await queue.ackAndClaim(await take(queue), VISIBILITY, {
      minPriority: 1,
      routingKeys: ['k'],
    });
    assert.equal(next?.event, 'high');
  });

  check('ackAndClaim of a lost lease raises LEASE_LOST and claims nothing', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    const stale = await take(queue);
    clock.advance(VISIBILITY + 1);
    await take(queue, 'fast');
    await fill(queue, 'other', 2);
    await raises('LEASE_LOST', () => queue.ackAndClaim(stale, VISIBILITY));
    assert.deepEqual(await drain(queue), [2]);
  });

  check('ackAndClaimMany acks several leases and claims as many messages as its limit', async ({ queue }) => {
    for (const group of ['a', 'b', 'c']) await fill(queue, group, `${group}1`, `${group}2`);
    const leases = await queue.claimMany('w', VISIBILITY, 2);
    const { claimed, lost } = await queue.ackAndClaimMany(leases, 'v', VISIBILITY, 2);
    assert.deepEqual(lost, []);
    assert.deepEqual(
      claimed.map((lease) => [lease.event, lease.workerId]),
      [
        ['c1', 'v'],
        ['a2', 'v'],
      ],
    );
    assert.deepEqual(await drain(queue), ['b2']);
  });

  check('ackAndClaimMany with limit 0 only acks, and without leases only claims', async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    const claimed = await queue.ackAndClaimMany([], 'w', VISIBILITY, 1);
    assert.deepEqual(
      claimed.claimed.map((lease) => lease.event),
      [1],
    );
    const acked = await queue.ackAndClaimMany(claimed.claimed, 'w', VISIBILITY, 0);
    assert.deepEqual(acked, { claimed: [], lost: [] });
    assert.deepEqual(await drain(queue), [2]);
  });

  check('ackAndClaimMany returns the leases that were lost and acks the others', async ({ queue, clock }) => {
    await fill(queue, 'a', 'a1');
    await fill(queue, 'b', 'b1', 'b2');
    const [a, b] = await queue.claimMany('slow', VISIBILITY, 2);
    assert.ok(a && b);
    clock.advance(VISIBILITY + 1);
    const taken = await take(queue, 'fast');
    assert.equal(taken.event, 'a1');
    const { claimed, lost } = await queue.ackAndClaimMany([a, b], 'slow', VISIBILITY, 5);
    assert.deepEqual(
      lost.map((lease) => lease.seq),
      [a.seq],
    );
    assert.deepEqual(
      claimed.map((lease) => lease.event),
      ['b2'],
    );
    await queue.ack(taken);
  });

  check(
    'ackAndClaimMany with the same lease twice acks it once and returns it once as lost',
    async ({ queue }) => {
      await fill(queue, 'g', 1, 2);
      const lease = await take(queue);
      const { lost } = await queue.ackAndClaimMany([lease, lease], 'w', VISIBILITY, 0);
      assert.deepEqual(
        lost.map(({ seq }) => seq),
        [lease.seq],
      );
      assert.deepEqual(await drain(queue), [2]);
    },
  );
}
