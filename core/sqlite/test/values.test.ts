import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LeaseholdError } from '../../index.ts';
import { claim, drain, withFile } from './support/sync-queue.ts';

describe('large and unusual values', () => {
  it('an event of exactly 1 MiB is accepted, and one byte more is refused with its size and the remedy', () =>
    withFile(({ open }) => {
      const queue = open();
      const fits = 'x'.repeat(1_048_576 - 2);
      queue.publish('g', fits);
      assert.throws(() => queue.publish('g', `${fits}x`), {
        code: 'EVENT_TOO_LARGE',
        message: /1048577.*1048576.*maxEventBytes/,
      });
      assert.deepEqual(drain(queue), [fits]);
    }));

  it('values that JSON would silently empty are refused, and instances of classes with fields are accepted', () =>
    withFile(({ open }) => {
      const queue = open();
      for (const [value, kind] of [
        [new Map([[1, 2]]), /a Map/],
        [{ tags: new Set(['a']) }, /"tags" a Set/],
        [new Error('x'), /a Error/],
        [[/x/], /a RegExp/],
      ] as const)
        assert.throws(() => queue.publish('g', value), { code: 'BAD_EVENT', message: kind });
      class Point {
        readonly x = 1;
      }
      queue.publish('g', new Point());
      assert.deepEqual(drain(queue), [{ x: 1 }]);
    }));

  it('NUL and lone surrogates in an event are delivered unchanged', () =>
    withFile(({ open }) => {
      const queue = open();
      const event = {
        nul: 'a\0b',
        'key\0': 1,
        lone: '\ud83d',
        other: '\udc00x',
        pair: '🪢',
        last: '\uffff\u2028',
      };
      queue.publish('g', event);
      assert.deepEqual(drain(queue), [event]);
    }));

  it('NUL and lone surrogates in a group id, routing key or worker id are refused, and the error shows the value', () =>
    withFile(({ open }) => {
      const queue = open();
      for (const bad of ['nul\0', 'lone\ud800', '\udc00']) {
        assert.throws(() => queue.publish(bad, 1), { code: 'BAD_ARGUMENT' });
        assert.throws(() => queue.publish('g', 1, { routingKey: bad }), { code: 'BAD_ARGUMENT' });
        assert.throws(() => queue.claim(bad, 1_000), { code: 'BAD_ARGUMENT' });
      }
      assert.equal(queue.claim('w', 1_000), null);
    }));

  it('the error of a nack or bury is stored as far as SQLite text can hold it', () =>
    withFile(({ open }) => {
      const queue = open();
      queue.publish('g', 1);
      queue.nack(claim(queue), 0, { error: 'lone \ud800, long: '.padEnd(100_000, '.') });
      const lease = claim(queue);
      assert.ok(lease.lastError?.startsWith('lone \ufffd, long: ..'), lease.lastError?.slice(0, 40));
      queue.bury(lease, { error: 'a\0b' });
      assert.ok(queue.deadLetters()[0]?.error?.startsWith('a'));
    }));

  it('a group id of 10,000 characters and an empty group id are accepted', () =>
    withFile(({ open }) => {
      const queue = open();
      const long = 'ü'.repeat(10_000);
      for (const id of [long, '', `${long}x`]) queue.publish(id, id);
      assert.deepEqual(
        queue.claimMany('w', 1_000, 9).map(({ groupId }) => groupId),
        [long, '', `${long}x`],
      );
    }));

  it('an error message shortens a long value', () =>
    withFile(({ open }) => {
      const queue = open();
      assert.throws(
        () => queue.publish(`${'x'.repeat(10_000)}\0`, 1),
        (error) => error instanceof LeaseholdError && error.message.length < 400,
      );
    }));

  it('no error repeats a group id of a megabyte', () =>
    withFile(({ open }) => {
      const queue = open();
      const groupId = 'x'.repeat(1_000_000);
      queue.publish(groupId, 1);
      const lease = claim(queue);
      queue.ack(lease);
      const short = (error: Error) =>
        /^The lease of .* on message 1 \(group "x+…, attempt 1\)/.test(error.message) &&
        error.message.length < 400;
      for (const settle of [() => queue.ack(lease), () => queue.nack(lease), () => queue.extend(lease, 1000)])
        assert.throws(settle, (error) => error instanceof LeaseholdError && short(error));
    }));

  it('a visibility of a hundred years is stored exactly', () =>
    withFile(({ open, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      const years = 100 * 365 * 86_400_000;
      const lease = claim(queue, 'w', years);
      assert.equal(lease.expiresAt, clock.now() + years);
      clock.advance(years);
      assert.equal(queue.claim('w', 1_000), null);
      queue.ack(lease);
    }));
});
