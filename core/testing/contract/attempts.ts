import assert from 'node:assert/strict';
import type { Lease, Transport } from '../../contract/transport.ts';
import { type Check, fill, raises, take, VISIBILITY } from './kit.ts';

const counts = ({ attempt, crashes }: Lease): number[] => [attempt, crashes];

async function takeAhead(queue: Transport): Promise<Lease> {
  const [lease] = await queue.claimMany('w', VISIBILITY, 1, { startNow: 0 });
  assert.ok(lease);
  return lease;
}

export function attemptContract(check: Check): void {
  check(
    'the attempts of messages that were claimed ahead are not counted when their leases lapse',
    async ({ queue, clock }) => {
      for (const group of ['a', 'b', 'c']) await fill(queue, group, group);
      await queue.claimMany('w', VISIBILITY, 3, { startNow: 1 });
      clock.advance(VISIBILITY + 1);
      const again = await queue.claimMany('w', VISIBILITY, 3);
      assert.deepEqual(again.map(counts), [
        [2, 1],
        [1, 1],
        [1, 1],
      ]);
    },
  );

  check('the attempt of a message that was claimed ahead is counted by a nack', async ({ queue }) => {
    await fill(queue, 'g', 1);
    await queue.nack(await takeAhead(queue));
    assert.equal((await take(queue)).attempt, 2);
  });

  for (const [how, delayMs] of [
    ['a nack', 0],
    ['a park', 1],
  ] as const)
    check(`an attempt is not counted by ${how} with countAttempt false`, async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      for (const next of [take, takeAhead]) {
        await queue.nack(await next(queue), delayMs, { countAttempt: false });
        clock.advance(2);
      }
      assert.equal((await take(queue)).attempt, 1);
    });

  check(
    'countAttempt counts an attempt once, takes it back, and leaves the lease valid',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      const lease = await takeAhead(queue);
      await queue.countAttempt(lease, true);
      await queue.countAttempt(lease, true);
      clock.advance(VISIBILITY + 1);
      const second = await take(queue);
      assert.equal(second.attempt, 2);
      await queue.countAttempt(second, false);
      clock.advance(VISIBILITY + 1);
      const third = await take(queue);
      assert.equal(third.attempt, 2);
      await raises('LEASE_LOST', () => queue.countAttempt(second, true));
      await queue.ack(third);
    },
  );

  check(
    'crashes counts the leases in a row that ended without a settle, until a nack or a park',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      const lapse = async (): Promise<Lease> => {
        clock.advance(VISIBILITY + 1);
        return take(queue);
      };
      const first = await take(queue);
      assert.deepEqual(counts(first), [1, 0]);
      await queue.release(['w']);
      assert.deepEqual(counts(await take(queue)), [2, 1]);
      const stopped = await lapse();
      assert.deepEqual(counts(stopped), [3, 2]);
      await queue.nack(stopped, 0, { countAttempt: false });
      const again = await take(queue);
      assert.deepEqual(counts(again), [3, 2], 'a stop is no proof that the handler can end');
      await queue.nack(again, 1, { countAttempt: false });
      clock.advance(2);
      const parked = await take(queue);
      assert.deepEqual(counts(parked), [3, 0]);
      const lapsed = await lapse();
      assert.deepEqual(counts(lapsed), [4, 1]);
      await queue.nack(lapsed);
      assert.deepEqual(counts(await take(queue)), [5, 0]);
    },
  );

  check('a park that ends is no crash', async ({ queue, clock }) => {
    await fill(queue, 'g', 1);
    await queue.nack(await take(queue), 1_000);
    clock.advance(1_001);
    assert.equal((await take(queue)).crashes, 0);
  });

  check(
    'a claim with startNow does not count the attempt of a message with crashes',
    async ({ queue, clock }) => {
      await fill(queue, 'g', 1);
      await take(queue);
      for (let crashes = 1; crashes <= 3; crashes++) {
        clock.advance(VISIBILITY + 1);
        const [lease] = await queue.claimMany('w', VISIBILITY, 1, { startNow: 1 });
        assert.ok(lease);
        assert.deepEqual(counts(lease), [2, crashes]);
      }
    },
  );

  check(
    'a claim with maxAttempts does not count a last attempt, which countAttempt then counts',
    async ({ queue, clock }) => {
      await fill(queue, 'failed', 1);
      await queue.nack(await take(queue));
      await fill(queue, 'new', 1);
      const claim = () => queue.claimMany('w', VISIBILITY, 2, { maxAttempts: 2 });
      const attempts = (leases: readonly Lease[]) =>
        Object.fromEntries(leases.map(({ groupId, attempt }) => [groupId, attempt]));
      assert.deepEqual(attempts(await claim()), { new: 1, failed: 2 });
      clock.advance(VISIBILITY + 1);
      const again = await claim();
      assert.deepEqual(attempts(again), { new: 2, failed: 2 });
      for (const lease of again) await queue.countAttempt(lease, true);
      clock.advance(VISIBILITY + 1);
      assert.deepEqual(attempts(await claim()), { new: 3, failed: 3 });
      clock.advance(VISIBILITY + 1);
      assert.deepEqual(attempts(await claim()), { new: 3, failed: 3 }, 'nor one beyond the last');
    },
  );

  check('a dead letter counts the attempt of its burial, unless countAttempt is false', async ({ queue }) => {
    for (const group of ['a', 'b']) await fill(queue, group, group);
    await queue.bury(await takeAhead(queue));
    await queue.bury(await take(queue), { countAttempt: false });
    assert.deepEqual(
      (await queue.deadLetters()).map(({ attempts }) => attempts),
      [1, 0],
    );
  });

  check(
    'releaseNow frees what one worker holds, without attempts or crashes, and no other worker',
    async ({ queue }) => {
      for (const group of ['a', 'b', 'c', 'd']) await fill(queue, group, group);
      await queue.claimMany('w', VISIBILITY, 2, { startNow: 1 });
      const other = await take(queue, 'other');
      await queue.nack(await take(queue, 'w'), 60_000);
      assert.equal(queue.releaseNow('w'), 2);
      assert.equal(queue.releaseNow('w'), 0);
      const again = await queue.claimMany('x', VISIBILITY, 9);
      assert.deepEqual(again.map(counts), [
        [1, 0],
        [1, 0],
      ]);
      await queue.ack(other);
    },
  );
}
