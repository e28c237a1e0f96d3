import assert from 'node:assert/strict';
import { type Check, drain, nothing, take } from './kit.ts';

export function routingContract(check: Check): void {
  check('a claim skips groups whose priority is below minPriority', async ({ queue }) => {
    for (const priority of [0, 1, 2, 3, 4]) await queue.publish(`p${priority}`, priority, { priority });
    assert.deepEqual(await drain(queue, { minPriority: 3 }), [3, 4]);
    await nothing(queue, { minPriority: 3 });
    assert.deepEqual(await drain(queue, { minPriority: 0 }), [0, 1, 2]);
  });

  check('minPriority does not change the order in which groups are claimed', async ({ queue }) => {
    for (const priority of [1, 4, 0, 3, 2]) await queue.publish(`p${priority}`, priority, { priority });
    assert.deepEqual(await drain(queue, { minPriority: 1 }), [1, 4, 3, 2]);
  });

  check(
    'the first publish of a group sets its priority, and later ones do not change it',
    async ({ queue }) => {
      await queue.publish('g', 1, { priority: 1 });
      await queue.publish('g', 2, { priority: 4 });
      await nothing(queue, { minPriority: 2 });
      assert.deepEqual(await drain(queue, { minPriority: 1 }), [1, 2]);
    },
  );

  check('a group that is published without a priority has priority 0', async ({ queue }) => {
    await queue.publish('g', 1);
    await nothing(queue, { minPriority: 1 });
    assert.deepEqual(await drain(queue), [1]);
  });

  check('the next publish of a drained group sets its priority and routing key again', async ({ queue }) => {
    await queue.publish('g', 1, { priority: 4, routingKey: 'old' });
    await drain(queue);
    await queue.publish('g', 2, { priority: 1, routingKey: 'new' });
    await nothing(queue, { minPriority: 2 });
    await nothing(queue, { routingKeys: ['old'] });
    assert.deepEqual(await drain(queue, { minPriority: 1, routingKeys: ['new'] }), [2]);
  });

  check(
    'the first publish of a group sets its routing key, and later ones do not change it',
    async ({ queue }) => {
      await queue.publish('g', 1, { routingKey: 'a' });
      await queue.publish('g', 2, { routingKey: 'b' });
      await nothing(queue, { routingKeys: ['b'] });
      assert.deepEqual(await drain(queue, { routingKeys: ['a'] }), [1, 2]);
    },
  );

  check('a claim with one routing key returns only groups with that key', async ({ queue }) => {
    for (const key of ['a', 'b', 'a2']) await queue.publish(`g-${key}`, key, { routingKey: key });
    assert.deepEqual(await drain(queue, { routingKeys: ['a'] }), ['a']);
  });

  check(
    'a claim with several routing keys returns their groups by turn, not key by key',
    async ({ queue, clock }) => {
      for (const key of ['c', 'a', 'b', 'd']) {
        await queue.publish(`g-${key}`, `${key}1`, { routingKey: key });
        await queue.publish(`g-${key}`, `${key}2`, { routingKey: key });
      }
      clock.advance(1);
      const routingKeys = ['a', 'b', 'c'];
      assert.deepEqual(await drain(queue, { routingKeys }), ['c1', 'a1', 'b1', 'c2', 'a2', 'b2']);
    },
  );

  check('a routing key that a claim names twice counts once', async ({ queue }) => {
    await queue.publish('g', 1, { routingKey: 'a' });
    assert.deepEqual(await drain(queue, { routingKeys: ['a', 'a'] }), [1]);
  });

  check('a claim without routingKeys returns every group, with or without a key', async ({ queue }) => {
    await queue.publish('keyed', 1, { routingKey: 'a' });
    await queue.publish('plain', 2);
    await queue.publish('null', 3, { routingKey: null });
    assert.deepEqual(await drain(queue, { routingKeys: undefined }), [1, 2, 3]);
  });

  check('a claim with an empty list of routing keys returns nothing', async ({ queue }) => {
    await queue.publish('keyed', 1, { routingKey: 'a' });
    await queue.publish('plain', 2);
    await nothing(queue, { routingKeys: [] });
    assert.deepEqual(await queue.claimMany('w', 1_000, 5, { routingKeys: [] }), []);
  });

  check('a claim with routing keys never returns a group without a key', async ({ queue }) => {
    await queue.publish('plain', 1);
    await nothing(queue, { routingKeys: ['a', 'null', ''] });
  });

  check('the empty string is a routing key, different from no key', async ({ queue }) => {
    await queue.publish('empty', 1, { routingKey: '' });
    await queue.publish('plain', 2);
    assert.deepEqual(await drain(queue, { routingKeys: [''] }), [1]);
  });

  check(
    'a claim with routing keys and minPriority returns only groups that satisfy both',
    async ({ queue }) => {
      await queue.publish('low', 'low', { priority: 1, routingKey: 'a' });
      await queue.publish('other', 'other', { priority: 4, routingKey: 'b' });
      await queue.publish('high', 'high', { priority: 3, routingKey: 'a' });
      assert.deepEqual(await drain(queue, { minPriority: 2, routingKeys: ['a'] }), ['high']);
    },
  );

  check(
    'a claim with routing keys uses up the turn of a group for a claim without them',
    async ({ queue, clock }) => {
      for (const group of ['a', 'b']) {
        await queue.publish(group, `${group}1`, { routingKey: 'k' });
        await queue.publish(group, `${group}2`);
      }
      await queue.ack(await take(queue, 'w', { routingKeys: ['k'] }));
      clock.advance(1);
      assert.equal((await take(queue)).event, 'b1');
    },
  );

  check(
    'a claim with 300 routing keys returns their groups in the order of publishing',
    async ({ queue }) => {
      const keys = Array.from({ length: 300 }, (_, n) => `key-${n}`);
      for (const key of ['key-299', 'key-0', 'key-150']) await queue.publish(key, key, { routingKey: key });
      assert.deepEqual(await drain(queue, { routingKeys: keys }), ['key-299', 'key-0', 'key-150']);
    },
  );
}
