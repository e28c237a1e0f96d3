import assert from 'node:assert/strict';
import type { Transport, TransportEventName } from '../../contract/transport.ts';
import { type Check, drain, fill, raises, take, VISIBILITY } from './kit.ts';

const NAMES = ['published', 'claimed', 'acked', 'nacked', 'parked', 'extended', 'buried', 'closed'] as const;

/** Everything the queue tells from now on, in the order of telling. */
function listen(queue: Transport): [TransportEventName, unknown][] {
  const heard: [TransportEventName, unknown][] = [];
  for (const name of NAMES) queue.on(name, (detail) => heard.push([name, { ...detail }]));
  return heard;
}

export function eventContract(check: Check): void {
  check(
    'each verb tells what it did, in order, with the names of what it touched',
    async ({ queue, clock }) => {
      const heard = listen(queue);
      const seq = await queue.publish('g', 1);
      const told = { seq, groupId: 'g' };
      const first = await take(queue, 'w');
      const until = clock.now() + VISIBILITY;
      await queue.nack(first);
      const second = await take(queue, 'w');
      clock.advance(1);
      await queue.extend(second, VISIBILITY);
      await queue.close();
      assert.deepEqual(heard, [
        ['published', told],
        ['claimed', { ...told, workerId: 'w', expiresAt: until }],
        ['nacked', told],
        ['claimed', { ...told, workerId: 'w', expiresAt: until }],
        ['extended', { ...told, expiresAt: until + 1 }],
        ['closed', { error: null }],
      ]);
    },
  );

  check('park, bury and ack are told as what they are', async ({ queue, clock }) => {
    await fill(queue, 'g', 1, 2);
    const heard = listen(queue);
    const parked = await take(queue);
    await queue.nack(parked, 1_000);
    const until = clock.now() + 1_000;
    clock.advance(1_001);
    const buried = await take(queue);
    await queue.bury(buried, { error: 'why' });
    const acked = await take(queue);
    await queue.ack(acked);
    assert.deepEqual(
      heard.filter(([name]) => name !== 'claimed'),
      [
        ['parked', { seq: parked.seq, groupId: 'g', until }],
        ['buried', { seq: buried.seq, groupId: 'g', error: 'why' }],
        ['acked', { seq: acked.seq, groupId: 'g' }],
      ],
    );
  });

  check('the batch verbs tell one event for each message', async ({ queue }) => {
    const heard = listen(queue);
    await queue.publishMany(['a', 'b', 'c'].map((groupId) => ({ groupId, event: groupId })));
    const leases = await queue.claimMany('w', VISIBILITY, 2);
    await queue.ackAndClaimMany(leases, 'w', VISIBILITY, 5);
    const counts: Record<string, number> = {};
    for (const [name] of heard) counts[name] = (counts[name] ?? 0) + 1;
    assert.deepEqual(counts, { published: 3, claimed: 3, acked: 2 });
  });

  check('ackAndClaim tells the ack before the claim', async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    const lease = await take(queue);
    const heard = listen(queue);
    await queue.ackAndClaim(lease, VISIBILITY);
    assert.deepEqual(
      heard.map(([name]) => name),
      ['acked', 'claimed'],
    );
  });

  check('a bad event that a claim buries is told, with its reason', async ({ queue, putRaw }) => {
    await putRaw('g', 'not json');
    const heard = listen(queue);
    assert.deepEqual(await drain(queue), []);
    const [first] = heard;
    assert.equal(heard.length, 1);
    assert.equal(first?.[0], 'buried');
    assert.match(JSON.stringify(first?.[1]), /JSON/);
  });

  check('a call that failed tells nothing', async ({ queue }) => {
    await fill(queue, 'g', 1);
    const lease = await take(queue);
    await queue.ack(lease);
    const heard = listen(queue);
    await raises('LEASE_LOST', () => queue.ack(lease));
    await raises('BAD_ARGUMENT', () => queue.publish('g', 1, { priority: 9 }));
    await raises('BAD_EVENT', () =>
      queue.publishMany([
        { groupId: 'g', event: 1 },
        { groupId: 'g', event: undefined },
      ]),
    );
    assert.equal(await queue.claim('w', VISIBILITY), null);
    assert.deepEqual(heard, []);
  });

  check('what is told is already true: a listener can claim what it hears of', async ({ queue }) => {
    const claims: unknown[] = [];
    queue.on('published', () => claims.push(queue.claim('listener', VISIBILITY)));
    await queue.publish('g', 'news');
    const [lease] = await Promise.all(claims);
    assert.equal((lease as { event?: unknown } | null)?.event, 'news');
  });

  check('off ends the telling, for that listener alone', async ({ queue }) => {
    const heard: string[] = [];
    const one = (): void => void heard.push('one');
    const two = (): void => void heard.push('two');
    queue.on('published', one);
    queue.on('published', two);
    queue.off('published', one);
    queue.off('acked', two);
    await fill(queue, 'g', 1);
    assert.deepEqual(heard, ['two']);
  });
}
