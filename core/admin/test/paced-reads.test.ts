import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../contract/clock.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { PacedReads } from '../paced-reads.ts';
import type { Steps } from '../queries/snapshot.ts';

function withReads(isLogTooLong = (): boolean => false) {
  const clock = new FakeClock();
  // A step advances the clock, which must not happen within an advance.
  const after: Clock['after'] = (ms, run) => clock.after(ms, () => queueMicrotask(run));
  const reads = new PacedReads(
    { now: () => clock.now(), monotonic: () => clock.monotonic(), after },
    isLogTooLong,
  );
  /** The steps that have run: name and time. */
  const ran: [string, number][] = [];
  /** Asks for a read whose steps take these times. Its name is its argument. */
  const ask = (method: string, name: string, ...steps: number[]) =>
    reads.run(method, name, function* (): Steps<string> {
      for (const [index, ms] of steps.entries()) {
        if (index > 0) yield;
        ran.push([name, clock.monotonic()]);
        clock.advance(ms);
      }
      return name;
    });
  /** Lets the reads that may run do so, until all of them wait for the clock. */
  const settle = () => new Promise(setImmediate);
  const advance = async (ms: number) => {
    const until = clock.monotonic() + ms;
    await settle();
    for (let next = clock.nextTimerIn; next !== null; next = clock.nextTimerIn) {
      if (clock.monotonic() + next > until) break;
      clock.advance(next);
      await settle();
    }
    clock.advance(Math.max(0, until - clock.monotonic()));
    await settle();
  };
  return { reads, ran, ask, advance };
}

test('a gap follows a long step while the log is too long, at most 250 ms, and none follows a short one', async () => {
  let looks = 0;
  // After the first step the log is restarted at the third look, after the second one never.
  const { ran, ask, advance } = withReads(() => ++looks !== 3);
  void ask('messages', 'long', 30, 200, 1);
  void ask('message', 'short', 1);
  void ask('groups', 'last', 1);
  await advance(1000);
  assert.deepEqual(ran, [
    ['long', 0],
    ['long', 80],
    ['long', 530],
    ['short', 531],
    ['last', 532],
  ]);
});

test('a read that repeats the last one of its method waits for ten times what that one took', async () => {
  const { ran, ask, advance } = withReads();
  assert.equal(await ask('messages', 'a', 4), 'a');
  const repeated = ask('messages', 'a', 4);
  await advance(39);
  assert.equal(ran.length, 1);
  await advance(1);
  assert.equal(await repeated, 'a');
  assert.deepEqual(ran, [
    ['a', 0],
    ['a', 44],
  ]);
});

test('a read with another argument does not wait while refreshes rest, and starts before those that are due', async () => {
  const { ran, ask, advance } = withReads();
  await ask('messages', 'a', 4);
  void ask('messages', 'a', 4);
  assert.equal(await ask('messages', 'b', 1), 'b');
  assert.deepEqual(ran[1], ['b', 4]);
  await advance(0);
  // The list shows b now, so a is again something new.
  assert.deepEqual(ran[2], ['a', 5]);
});

test('the refreshes of one round run together, and the next round waits for all of them', async () => {
  const { ran, ask, advance } = withReads();
  const askAll = () => [ask('overview', 'o', 3), ask('messages', 'm', 4)];
  await Promise.all(askAll());
  const second = askAll();
  await advance(40);
  await Promise.all(second);
  const third = askAll();
  await advance(70);
  await Promise.all(third);
  assert.deepEqual(ran, [
    ['o', 0],
    ['m', 3],
    ['o', 47],
    ['m', 50],
    ['o', 120],
    ['m', 123],
  ]);
});

test('several equal reads that wait are one read', async () => {
  const { ran, ask, advance } = withReads();
  await ask('messages', 'a', 4);
  const answers = [ask('messages', 'a', 4), ask('messages', 'a', 4), ask('messages', 'a', 4)];
  await advance(40);
  assert.deepEqual(await Promise.all(answers), ['a', 'a', 'a']);
  assert.equal(ran.length, 2);
});

test('a refresh does not wait after an operation, and no read waits after hurry', async () => {
  const { reads, ran, ask, advance } = withReads();
  await ask('messages', 'a', 4);
  await advance(0);
  const refresh = ask('messages', 'a', 4);
  assert.equal(reads.mayRefresh, false);
  reads.expectPerson();
  assert.equal(await refresh, 'a');
  const waiting = ask('messages', 'a', 100, 100);
  reads.hurry();
  assert.equal(await waiting, 'a');
  assert.deepEqual(ran.at(-1), ['a', 108]);
});

test('a step that fails rejects its own read and the next one runs', async () => {
  const { reads, ask } = withReads();
  const failing = reads.run('messages', 'x', () => ({
    next() {
      throw new Error('The disk is gone.');
    },
  }));
  const next = ask('messages', 'a', 1);
  await assert.rejects(failing, /The disk is gone/);
  assert.equal(await next, 'a');
});
