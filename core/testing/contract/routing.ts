import assert from 'node:assert/strict';
import { type Check, drain, nothing, take } from './kit.ts';

export function routingContract(check: Check): void {
  check('the priority floor passes lower groups over', async ({ queue }) => {
    for (const priority of [0, 1, 2, 3, 4]) await queue.publish(`p${priority}`, priority, { priority });
    assert.deepEqual(await drain(queue, { minPriority: 3 }), [3, 4]);
    await nothing(queue, { minPriority: 3 });
    assert.deepEqual(await drain(queue, { minPriority: 0 }), [0, 1, 2]);
  });

  check('the priority floor filters and never orders', async ({ queue }) => {
    for (const priority of [1, 4, 0, 3, 2]) await queue.publish(`p${priority}`, priority, { priority });
    assert.deepEqual(await drain(queue, { minPriority: 1 }), [1, 4, 3, 2]);
  });

  check('the first publish of a group sets its priority and later ones leave it', async ({ queue }) => {
    await queue.publish('g', 1, { priority: 1 });
    await queue.publish('g', 2, { priority: 4 });
    await nothing(queue, { minPriority: 2 });
    assert.deepEqual(await drain(queue, { minPriority: 1 }), [1, 2]);
  });

  check('a group without a given priority has priority 0', async ({ queue }) => {
    await queue.publish('g', 1);
    await nothing(queue, { minPriority: 1 });
    assert.deepEqual(await drain(queue), [1]);
  });

  check('a drained group starts afresh: its next publish sets priority and key', async ({ queue }) => {
    await queue.publish('g', 1, { priority: 4, routingKey: 'old' });
    await drain(queue);
    await queue.publish('g', 2, { priority: 1, routingKey: 'new' });
    await nothing(queue, { minPriority: 2 });
    await nothing(queue, { routingKeys: ['old'] });
    assert.deepEqual(await drain(queue, { minPriority: 1, routingKeys: ['new'] }), [2]);
  });

  check('the first publish of a group sets its routing key and later ones leave it', async ({ queue }) => {
    await queue.publish('g', 1, { routingKey: 'a' });
    await queue.publish('g', 2, { routingKey: 'b' });
    await nothing(queue, { routingKeys: ['b'] });
    assert.deepEqual(await drain(queue, { routingKeys: ['a'] }), [1, 2]);
  });

  check('a claim with one routing key takes only the groups of that key', async ({ queue }) => {
    for (const key of ['a', 'b', 'a2']) await queue.publish(`g-${key}`, key, { routingKey: key });
    assert.deepEqual(await drain(queue, { routingKeys: ['a'] }), ['a']);
  });

  check(
    'a claim with several routing keys takes their groups in the order they waited',
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

  check('a routing key named twice counts once', async ({ queue }) => {
    await queue.publish('g', 1, { routingKey: 'a' });
    assert.deepEqual(await drain(queue, { routingKeys: ['a', 'a'] }), [1]);
  });

  check('a claim that names no keys takes every group, with a key and without', async ({ queue }) => {
    await queue.publish('keyed', 1, { routingKey: 'a' });
    await queue.publish('plain', 2);
    await queue.publish('null', 3, { routingKey: null });
    assert.deepEqual(await drain(queue, { routingKeys: undefined }), [1, 2, 3]);
  });

  check('an empty list of routing keys takes nothing', async ({ queue }) => {
    await queue.publish('keyed', 1, { routingKey: 'a' });
    await queue.publish('plain', 2);
    await nothing(queue, { routingKeys: [] });
    assert.deepEqual(await queue.claimMany('w', 1_000, 5, { routingKeys: [] }), []);
  });

  check('a group without a routing key matches no keyed claim', async ({ queue }) => {
    await queue.publish('plain', 1);
    await nothing(queue, { routingKeys: ['a', 'null', ''] });
  });

  check('the empty string is a routing key of its own', async ({ queue }) => {
    await queue.publish('empty', 1, { routingKey: '' });
    await queue.publish('plain', 2);
    assert.deepEqual(await drain(queue, { routingKeys: [''] }), [1]);
  });

  check('routing keys and the priority floor hold together', async ({ queue }) => {
    await queue.publish('low', 'low', { priority: 1, routingKey: 'a' });
    await queue.publish('other', 'other', { priority: 4, routingKey: 'b' });
    await queue.publish('high', 'high', { priority: 3, routingKey: 'a' });
    assert.deepEqual(await drain(queue, { minPriority: 2, routingKeys: ['a'] }), ['high']);
  });

  check('a keyed and an unkeyed claim share the turns of a group', async ({ queue, clock }) => {
    for (const group of ['a', 'b']) {
      await queue.publish(group, `${group}1`, { routingKey: 'k' });
      await queue.publish(group, `${group}2`);
    }
    await queue.ack(await take(queue, 'w', { routingKeys: ['k'] }));
    clock.advance(1);
    assert.equal((await take(queue)).event, 'b1');
  });

  check('hundreds of routing keys are served in one order', async ({ queue }) => {
    const keys = Array.from({ length: 300 }, (_, n) => `key-${n}`);
    for (const key of ['key-299', 'key-0', 'key-150']) await queue.publish(key, key, { routingKey: key });
    assert.deepEqual(await drain(queue, { routingKeys: keys }), ['key-299', 'key-0', 'key-150']);
  });
}
