import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefreshPauser } from '../refresh-pauser.ts';

test('a moving pointer holds until it has rested, and each move starts the rest anew', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pauser = new RefreshPauser();
  pauser.touch();
  t.mock.timers.tick(RefreshPauser.IDLE_MS - 1);
  assert.equal(pauser.isPaused(), true);
  pauser.touch();
  t.mock.timers.tick(RefreshPauser.IDLE_MS - 1);
  assert.equal(pauser.isPaused(), true);
  t.mock.timers.tick(1);
  assert.equal(pauser.isPaused(), false);
});

test('leaving the rows lets go at once, but not of a pressed button or an open form', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pauser = new RefreshPauser();
  pauser.touch();
  pauser.leave();
  assert.equal(pauser.isPaused(), false);

  pauser.touch();
  pauser.press(true);
  pauser.leave();
  assert.equal(pauser.isPaused(), true);
  pauser.press(false);
  assert.equal(pauser.isPaused(), false);

  const close = pauser.pause();
  pauser.touch();
  pauser.leave();
  assert.equal(pauser.isPaused(), true);
  close();
  close();
  assert.equal(pauser.isPaused(), false);
});

test('listeners hear only of a beginning and an end', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pauser = new RefreshPauser();
  const heard: boolean[] = [];
  const unsubscribe = pauser.subscribe(() => heard.push(pauser.isPaused()));
  pauser.touch();
  pauser.touch();
  pauser.press(true);
  pauser.press(false);
  pauser.leave();
  assert.deepEqual(heard, [true, false]);
  unsubscribe();
  pauser.touch();
  pauser.leave();
  assert.deepEqual(heard, [true, false]);
});
