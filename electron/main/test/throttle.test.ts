import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throttle } from '../throttle.ts';

test('a burst runs once at once and once at the end of the interval', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const { call } = throttle(() => runs++, 250);
  for (let i = 0; i < 10; i++) call();
  assert.equal(runs, 1);
  t.mock.timers.tick(250);
  assert.equal(runs, 2);
  t.mock.timers.tick(1000);
  assert.equal(runs, 2);
});

test('a steady stream runs four times a second', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const { call } = throttle(() => runs++, 250);
  for (let ms = 0; ms < 1000; ms += 10) {
    call();
    t.mock.timers.tick(10);
  }
  assert.ok(runs >= 4 && runs <= 5, String(runs));
});

test('nothing runs after cancel', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const { call, cancel } = throttle(() => runs++, 250);
  call();
  call();
  cancel();
  t.mock.timers.tick(1000);
  assert.equal(runs, 1);
});
