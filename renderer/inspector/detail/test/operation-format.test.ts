import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageDetail } from '../../../../core/contract/admin.ts';
import { sentences, whyNot } from '../operation-format.ts';

test('a dead letter can be acked and re-published, and nothing else', () => {
  const dead = { state: 'dead' } as MessageDetail;
  assert.equal(whyNot('ack', dead), null);
  assert.equal(whyNot('republish', dead), null);
  assert.match(whyNot('park', dead) ?? '', /re-publish/);
  assert.match(whyNot('nack', dead) ?? '', /re-publish/);
});

test('what nobody holds cannot be given back', () => {
  assert.match(whyNot('nack', { state: 'ready' } as MessageDetail) ?? '', /free already/);
  assert.equal(whyNot('nack', { state: 'parked' } as MessageDetail), null);
  assert.equal(whyNot('nack', { state: 'lapsed' } as MessageDetail), null);
});

test('sentences end with one full stop each', () => {
  assert.equal(
    sentences('Leased by worker-2', 'Nothing was changed.'),
    'Leased by worker-2. Nothing was changed.',
  );
});
