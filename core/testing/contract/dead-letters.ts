import assert from 'node:assert/strict';
import { type Check, drain, fill, nothing, raises, take, VISIBILITY } from './kit.ts';
import { NUMBERS } from './number-schema.ts';

export function deadLetterContract(check: Check): void {
  check(
    'a dead letter keeps the message with its attempts, its publish time, its burial time and the error',
    async ({ queue, clock }) => {
      const publishedAt = clock.now();
      await queue.publish('g', { n: 1 }, { priority: 3, routingKey: 'k' });
      clock.advance(10);
      await queue.nack(await take(queue));
      const lease = await take(queue);
      clock.advance(10);
      await queue.bury(lease, { error: 'no use' });
      const [dead, ...rest] = await queue.deadLetters();
      assert.deepEqual(rest, []);
      assert.ok(dead);
      assert.deepEqual(
        { ...dead },
        {
          id: dead.id,
          seq: lease.seq,
          groupId: 'g',
          eventJson: '{"n":1}',
          priority: 3,
          routingKey: 'k',
          attempts: 2,
          publishedAt,
          buriedAt: clock.now(),
          error: 'no use',
        },
      );
    },
  );

  check('bury without an error keeps the last error of the message, or null', async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    await queue.nack(await take(queue), 0, { error: 'before' });
    await queue.bury(await take(queue));
    await queue.bury(await take(queue));
    const errors = (await queue.deadLetters()).map((dead) => dead.error);
    assert.deepEqual(errors, ['before', null]);
  });

  check(
    'bury of the last message removes its group, so the next publish sets priority again',
    async ({ queue }) => {
      await queue.publish('g', 1, { priority: 4 });
      await queue.bury(await take(queue));
      await queue.publish('g', 2);
      await nothing(queue, { minPriority: 1 });
      assert.deepEqual(await drain(queue), [2]);
    },
  );

  check('deadLetters returns pages of dead letters, oldest first', async ({ queue }) => {
    await fill(queue, 'g', 1, 2, 3, 4, 5);
    const seqs: number[] = [];
    for (let n = 0; n < 5; n++) {
      const lease = await take(queue);
      seqs.push(lease.seq);
      await queue.bury(lease);
    }
    const page = async (options: { afterId?: number; limit?: number }): Promise<number[]> =>
      (await queue.deadLetters(options)).map((dead) => dead.seq);
    const ids = (await queue.deadLetters()).map((dead) => dead.id);
    assert.deepEqual(await page({ limit: 2 }), seqs.slice(0, 2));
    assert.deepEqual(await page({ limit: 2, afterId: ids[1] ?? 0 }), seqs.slice(2, 4));
    assert.deepEqual(await page({ afterId: ids[3] ?? 0 }), seqs.slice(4));
    assert.deepEqual(await page({}), seqs);
  });

  check('deadLetters returns at most 100 dead letters unless limit says otherwise', async ({ queue }) => {
    for (let n = 0; n < 101; n++) await queue.publish(`g${n}`, n);
    for (const lease of await queue.claimMany('w', VISIBILITY, 101)) await queue.bury(lease);
    assert.equal((await queue.deadLetters()).length, 100);
    assert.equal((await queue.deadLetters({ limit: 200 })).length, 101);
  });

  check(
    'republish publishes the dead letter at the tail of its group, as a new message with no attempts',
    async ({ queue }) => {
      await fill(queue, 'g', 1, 2);
      const lease = await take(queue);
      await queue.bury(lease, { error: 'no use' });
      const seq = await queue.republish(lease.seq);
      assert.ok(seq > lease.seq + 1);
      assert.deepEqual(await queue.deadLetters(), []);
      const second = await take(queue);
      assert.equal(second.event, 2);
      await queue.ack(second);
      const again = await take(queue);
      assert.deepEqual([again.seq, again.event, again.attempt], [seq, 1, 1]);
    },
  );

  check('republish into a drained group restores the priority and the routing key', async ({ queue }) => {
    await queue.publish('g', 1, { priority: 3, routingKey: 'k' });
    const lease = await take(queue);
    await queue.bury(lease);
    await queue.republish(lease.seq);
    assert.deepEqual(await drain(queue, { minPriority: 3, routingKeys: ['k'] }), [1]);
  });

  check(
    'republish into an existing group does not change its priority and routing key',
    async ({ queue }) => {
      await queue.publish('g', 1, { priority: 3, routingKey: 'k' });
      const lease = await take(queue);
      await queue.bury(lease);
      await queue.publish('g', 2, { priority: 1 });
      await queue.republish(lease.seq);
      await nothing(queue, { minPriority: 2 });
      await nothing(queue, { routingKeys: ['k'] });
      assert.deepEqual(await drain(queue), [2, 1]);
    },
  );

  check(
    'republish raises NOT_FOUND for a seq that is not a dead letter or was re-published before',
    async ({ queue }) => {
      await fill(queue, 'g', 1);
      const lease = await take(queue);
      await raises('NOT_FOUND', () => queue.republish(lease.seq), 'a living message');
      await queue.bury(lease);
      await queue.republish(lease.seq);
      await raises('NOT_FOUND', () => queue.republish(lease.seq), 'a second time');
      assert.deepEqual(await drain(queue), [1]);
    },
  );

  check(
    'a claim buries an event that is not JSON, with the reason, and returns the next message',
    async ({ queue, putRaw }) => {
      await putRaw('bad', '{"n": oops');
      await putRaw('bad', '2');
      await putRaw('good', '3');
      assert.equal((await take(queue)).event, 2);
      assert.equal((await take(queue)).event, 3);
      const [dead, ...rest] = await queue.deadLetters();
      assert.deepEqual(rest, []);
      assert.equal(dead?.eventJson, '{"n": oops');
      assert.match(dead?.error ?? '', /JSON/);
    },
  );

  check(
    'a claim that finds only events that are not JSON buries them all and returns null',
    async ({ queue, putRaw }) => {
      for (const text of ['', 'nope', '{', '[1,]', '"\n"']) await putRaw('bad', text);
      await nothing(queue);
      assert.equal((await queue.deadLetters()).length, 5);
    },
  );

  check(
    'claimMany and ackAndClaim bury events that are not JSON and return the messages behind them',
    async ({ queue, putRaw }) => {
      for (const group of ['a', 'b', 'c']) {
        await putRaw(group, 'bad');
        await putRaw(group, `"${group}"`);
      }
      const leases = await queue.claimMany('w', VISIBILITY, 2);
      assert.deepEqual(
        leases.map((lease) => lease.event),
        ['a', 'b'],
      );
      assert.ok(leases[0]);
      assert.equal((await queue.ackAndClaim(leases[0], VISIBILITY))?.event, 'c');
      assert.equal((await queue.deadLetters()).length, 3);
    },
  );

  check(
    'publish and publishMany raise BAD_EVENT for an event that does not fit the schema, and write nothing',
    async ({ queue }) => {
      await raises('BAD_EVENT', () => queue.publish('g', 'seven'));
      await raises('BAD_EVENT', () =>
        queue.publishMany([1, 'two'].map((event) => ({ groupId: 'g', event }))),
      );
      await nothing(queue);
      await fill(queue, 'g', 7);
      assert.deepEqual(await drain(queue), [7]);
    },
    { schema: NUMBERS },
  );

  check(
    'a claim buries an event that does not fit the schema, with the reason, and returns the next message',
    async ({ queue, putRaw }) => {
      await putRaw('g', '"seven"');
      await putRaw('g', '8');
      assert.deepEqual(await drain(queue), [8]);
      const [dead] = await queue.deadLetters();
      assert.equal(dead?.eventJson, '"seven"');
      assert.match(dead?.error ?? '', /must be a number/);
    },
    { schema: NUMBERS },
  );
}
