import assert from 'node:assert/strict';
import { type Check, drain, fill, nothing, raises } from './kit.ts';

export function eventValueContract(check: Check): void {
  check(
    'publish raises BAD_EVENT before any write for an event that JSON cannot represent',
    async ({ queue }) => {
      const cycle: Record<string, unknown> = {};
      cycle.self = cycle;
      const events = [undefined, () => 1, Symbol('s'), 1n, { deep: [1n] }, cycle];
      for (const event of events)
        await raises('BAD_EVENT', () => queue.publish('g', event), String(typeof event));
      await nothing(queue);
    },
  );

  check(
    'an event of exactly maxEventBytes is published, and one byte more raises EVENT_TOO_LARGE before any write',
    async ({ queue }) => {
      // JSON adds two quotes, and ü takes two bytes.
      const fits = `ü${'x'.repeat(96)}`;
      await raises('EVENT_TOO_LARGE', () => queue.publish('g', `${fits}x`));
      await raises('EVENT_TOO_LARGE', () => queue.publishMany([{ groupId: 'g', event: `${fits}x` }]));
      await nothing(queue);
      await fill(queue, 'g', fits);
      assert.deepEqual(await drain(queue), [fits]);
    },
    { maxEventBytes: 100 },
  );
}
