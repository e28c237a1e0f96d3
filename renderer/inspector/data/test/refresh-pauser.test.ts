import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hold } from '../refresh-pauser.ts';

test('a moving pointer holds until it has rested, and each move starts the rest anew', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hold = new Hold();
  hold.touched();
  t.mock.timers.tick(Hold.REST_MS - 1);
  assert.equal(hold.held, true);
  hold.touched();
  t.mock.timers.tick(Hold.REST_MS - 1);
  assert.equal(hold.held, true);
  t.mock.timers.tick(1);
  assert.equal(hold.held, false);
});

test('leaving the rows lets go at once, but not of a pressed button or an open form', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hold = new Hold();
  hold.touched();
  hold.left();
  assert.equal(hold.held, false);

  hold.touched();
  hold.pressed(true);
  hold.left();
  assert.equal(hold.held, true);
  hold.pressed(false);
  assert.equal(hold.held, false);

  const close = hold.formOpened();
  hold.touched();
  hold.left();
  assert.equal(hold.held, true);
  close();
  close();
  assert.equal(hold.held, false);
});

test('listeners hear only of a beginning and an end', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hold = new Hold();
  const heard: boolean[] = [];
  const unsubscribe = hold.subscribe(() => heard.push(hold.held));
  hold.touched();
  hold.touched();
  hold.pressed(true);
  hold.pressed(false);
  hold.left();
  assert.deepEqual(heard, [true, false]);
  unsubscribe();
  hold.touched();
  hold.left();
  assert.deepEqual(heard, [true, false]);
});
