import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageClock } from '../page-clock.ts';

test('the clock ticks at the start of each second while there is a subscriber, and not afterwards', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 10_400 });
  const clock = new PageClock();
  const times: number[] = [];
  const unsubscribe = clock.subscribe(() => times.push(clock.now()));
  t.mock.timers.tick(600);
  t.mock.timers.tick(1000);
  unsubscribe();
  t.mock.timers.tick(5000);
  assert.deepEqual(times, [10_400, 11_000, 12_000]);
});

test('the clock follows a queue whose time differs by a second or more', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 10_000 });
  const clock = new PageClock();
  clock.subscribe(() => {});
  clock.correct(10_999);
  assert.equal(clock.now(), 10_000);
  clock.correct(70_000);
  assert.equal(clock.now(), 70_000);
});
