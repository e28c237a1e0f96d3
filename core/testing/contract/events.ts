import assert from 'node:assert/strict';
import type { Transport, TransportEventName } from '../../contract/transport.ts';
import { type Check, drain, fill, raises, take, VISIBILITY } from './kit.ts';

const NAMES = ['published', 'claimed', 'acked', 'nacked', 'parked', 'extended', 'buried', 'closed'] as const;

/** Records every event from now on, in order. */
function recordEvents(queue: Transport): [TransportEventName, unknown][] {
  const recorded: [TransportEventName, unknown][] = [];
  for (const name of NAMES) queue.on(name, (detail) => recorded.push([name, { ...detail }]));
  return recorded;
}

export function eventContract(check: Check): void {
  check(
    'publish, claim, nack, extend and close each emit their event, in order, with seq and group',
    async ({ queue, clock }) => {
      const recorded = recordEvents(queue);
      const seq = await queue.publish('g', 1);
      const message = { seq, groupId: 'g' };
      const first = await take(queue, 'w');
      const until = clock.now() + VISIBILITY;
      await queue.nack(first);
      const second = await take(queue, 'w');
      clock.advance(1);
      await queue.extend(second, VISIBILITY);
      await queue.close();
      assert.deepEqual(recorded, [
        ['published', message],
        ['claimed', { ...message, workerId: 'w', expiresAt: until }],
        ['nacked', message],
        ['claimed', { ...message, workerId: 'w', expiresAt: until }],
        ['extended', { ...message, expiresAt: until + 1 }],
        ['closed', { error: null }],
      ]);
    },
  );

  check(
    'park, bury and ack each emit their event, with the end of the park and the error of the burial',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1, 2);
      const recorded = recordEvents(queue);
      const parked = await take(queue);
      await queue.nack(parked, 1_000);
      const until = clock.now() + 1_000;
      clock.advance(1_001);
      const buried = await take(queue);
      await queue.bury(buried, { error: 'why' });
      const acked = await take(queue);
      await queue.ack(acked);
      assert.deepEqual(
        recorded.filter(([name]) => name !== 'claimed'),
        [
          ['parked', { seq: parked.seq, groupId: 'g', until }],
          ['buried', { seq: buried.seq, groupId: 'g', error: 'why' }],
          ['acked', { seq: acked.seq, groupId: 'g' }],
        ],
      );
    },
  );

  check('publishMany, claimMany and ackAndClaimMany emit one event for each message', async ({ queue }) => {
    const recorded = recordEvents(queue);
    await queue.publishMany(['a', 'b', 'c'].map((groupId) => ({ groupId, event: groupId })));
    const leases = await queue.claimMany('w', VISIBILITY, 2);
    await queue.ackAndClaimMany(leases, 'w', VISIBILITY, 5);
    const counts: Record<string, number> = {};
    for (const [name] of recorded) counts[name] = (counts[name] ?? 0) + 1;
    assert.deepEqual(counts, { published: 3, claimed: 3, acked: 2 });
  });

  check('ackAndClaim emits acked before claimed', async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    const lease = await take(queue);
    const recorded = recordEvents(queue);
    await queue.ackAndClaim(lease, VISIBILITY);
    assert.deepEqual(
      recorded.map(([name]) => name),
      ['acked', 'claimed'],
    );
  });

  check(
    'a claim that buries an event that is not JSON emits buried with the reason, and nothing else',
    async ({ queue, putRaw }) => {
      await putRaw('g', 'not json');
      const recorded = recordEvents(queue);
      assert.deepEqual(await drain(queue), []);
      const [first] = recorded;
      assert.equal(recorded.length, 1);
      assert.equal(first?.[0], 'buried');
      assert.match(JSON.stringify(first?.[1]), /JSON/);
    },
  );

  check('a call that fails or finds nothing emits no event', async ({ queue }) => {
    await fill(queue, 'g', 1);
    const lease = await take(queue);
    await queue.ack(lease);
    const recorded = recordEvents(queue);
    await raises('LEASE_LOST', () => queue.ack(lease));
    await raises('BAD_ARGUMENT', () => queue.publish('g', 1, { priority: 9 }));
    await raises('BAD_EVENT', () =>
      queue.publishMany([
        { groupId: 'g', event: 1 },
        { groupId: 'g', event: undefined },
      ]),
    );
    assert.equal(await queue.claim('w', VISIBILITY), null);
    assert.deepEqual(recorded, []);
  });

  check(
    'a listener of published can claim the message at once, since events follow the commit',
    async ({ queue }) => {
      const claims: unknown[] = [];
      queue.on('published', () => claims.push(queue.claim('listener', VISIBILITY)));
      await queue.publish('g', 'event');
      const [lease] = await Promise.all(claims);
      assert.equal((lease as { event?: unknown } | null)?.event, 'event');
    },
  );

  check('off removes one listener of one event, and the others are still called', async ({ queue }) => {
    const recorded: string[] = [];
    const one = (): void => void recorded.push('one');
    const two = (): void => void recorded.push('two');
    queue.on('published', one);
    queue.on('published', two);
    queue.off('published', one);
    queue.off('acked', two);
    await fill(queue, 'g', 1);
    assert.deepEqual(recorded, ['two']);
  });
}
