import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Limiter } from '../limiter.ts';

const settled = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

test('the first poke runs at once, and any number of pokes meanwhile become one run after the wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const limiter = new Limiter(async () => {
    runs++;
  }, 250);
  limiter.poke();
  assert.equal(runs, 1);
  for (let i = 0; i < 10; i++) limiter.poke();
  await settled();
  t.mock.timers.tick(249);
  await settled();
  assert.equal(runs, 1);
  t.mock.timers.tick(1);
  await settled();
  assert.equal(runs, 2);
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(runs, 2);
  limiter.poke();
  assert.equal(runs, 3);
});

test('a run that takes longer than the wait is never joined by a second one, and the poke is kept', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const limiter = new Limiter(() => {
    runs++;
    return runs === 1 ? promise : Promise.resolve();
  }, 250);
  limiter.poke();
  limiter.poke();
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(runs, 1);
  resolve();
  await settled();
  assert.equal(runs, 2);
});

test('a stopped limiter runs no more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const limiter = new Limiter(async () => {
    runs++;
  }, 250);
  limiter.poke();
  limiter.poke();
  limiter.stop();
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(runs, 1);
});
