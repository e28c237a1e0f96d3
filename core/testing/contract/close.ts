import assert from 'node:assert/strict';
import { type Check, fill, raises, take, VISIBILITY } from './kit.ts';

export function closeContract(check: Check): void {
  check('every call of a closed transport raises CLOSED, except close itself', async ({ queue }) => {
    await fill(queue, 'g', 1);
    const lease = await take(queue);
    await queue.close();
    await queue.close();
    const verbs: Record<string, () => unknown> = {
      publish: () => queue.publish('g', 1),
      publishMany: () => queue.publishMany([{ groupId: 'g', event: 1 }]),
      claim: () => queue.claim('w', VISIBILITY),
      claimMany: () => queue.claimMany('w', VISIBILITY, 1),
      ack: () => queue.ack(lease),
      nack: () => queue.nack(lease),
      extend: () => queue.extend(lease, VISIBILITY),
      bury: () => queue.bury(lease),
      ackAndClaim: () => queue.ackAndClaim(lease, VISIBILITY),
      ackAndClaimMany: () => queue.ackAndClaimMany([lease], 'w', VISIBILITY, 1),
      deadLetters: () => queue.deadLetters(),
      republish: () => queue.republish(1),
      nextExpiry: () => queue.nextExpiry(),
      holders: () => queue.holders(),
      release: () => queue.release(['w']),
      dataVersion: () => queue.dataVersion(),
    };
    for (const [name, verb] of Object.entries(verbs)) await raises('CLOSED', verb, name);
  });

  check('close leaves no timer of the clock behind', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    await queue.nack(await take(queue), 1_000);
    await queue.close();
    assert.equal(clock.timers, 0);
  });

  check('calls made before close take effect', async ({ queue }) => {
    const publishes = Array.from({ length: 20 }, (_, n) => queue.publish('g', n));
    await queue.close();
    assert.equal(new Set(await Promise.all(publishes)).size, 20);
  });
}
