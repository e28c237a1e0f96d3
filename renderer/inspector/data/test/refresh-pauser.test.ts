import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefreshPauser } from '../refresh-pauser.ts';

test('a movement pauses refreshes for IDLE_MS, and the next movement restarts that time', (t) => {
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

test('leaving the rows ends the pause of a movement at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pauser = new RefreshPauser();
  pauser.touch();
  pauser.leave();
  assert.equal(pauser.isPaused(), false);
});

test('leaving the rows does not end the pause of a pressed pointer', () => {
  const pauser = new RefreshPauser();
  pauser.press(true);
  pauser.leave();
  assert.equal(pauser.isPaused(), true);
  pauser.press(false);
  assert.equal(pauser.isPaused(), false);
});

test('a pause lasts until each form that asked for it has ended it, once', () => {
  const pauser = new RefreshPauser();
  const resumeA = pauser.pause();
  const resumeB = pauser.pause();
  resumeA();
  resumeA();
  assert.equal(pauser.isPaused(), true);
  resumeB();
  assert.equal(pauser.isPaused(), false);
});

test('subscribers are called when a pause begins and when it ends, not for movements during it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pauser = new RefreshPauser();
  const calls: boolean[] = [];
  const unsubscribe = pauser.subscribe(() => calls.push(pauser.isPaused()));
  pauser.touch();
  pauser.touch();
  pauser.press(true);
  pauser.press(false);
  pauser.leave();
  assert.deepEqual(calls, [true, false]);
  unsubscribe();
  pauser.touch();
  pauser.leave();
  assert.deepEqual(calls, [true, false]);
});
