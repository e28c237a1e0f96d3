import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageDetail } from '../../../../core/contract/admin.ts';
import { type Draft, draftOf, judged as judgedFrom, originalOf } from '../republish.ts';

const detail: MessageDetail = {
  seq: 812,
  groupId: 'tenant-7',
  state: 'dead',
  attempts: 5,
  priority: 2,
  routingKey: 'eu',
  holder: null,
  expiresAt: null,
  publishedAt: 0,
  lastError: 'ETIMEDOUT',
  preview: '{"id":9007199254740993}',
  eventJson: '{"id":9007199254740993}',
  redacted: false,
  originSeq: null,
  why: 'Dead.',
  fence: { seq: 812, lockedBy: null, lockExpiry: null, deliveries: 5, dead: true },
};

const judged = (of: MessageDetail, draft: Draft) => judgedFrom(originalOf(of), draft);

test('nothing edited is re-published as it is', () => {
  const { operation, changes, eventDiff } = judged(detail, draftOf(detail));
  assert.deepEqual(operation, { kind: 'republish', fence: detail.fence });
  assert.deepEqual([changes, eventDiff], [[], []]);
});

test('spaces alone change nothing', () => {
  const draft = { ...draftOf(detail), event: '{ "id" :\n9007199254740993 }' };
  assert.deepEqual(judged(detail, draft).operation, { kind: 'republish', fence: detail.fence });
});

test('what was edited is sent and nothing else, with big numbers exact', () => {
  const draft = {
    ...draftOf(detail),
    event: '{\n  "id": 9007199254740995\n}',
    group: 'tenant-8',
    routingKey: '',
  };
  const { operation, changes, eventDiff } = judged(detail, draft);
  assert.deepEqual(operation, {
    kind: 'republish',
    fence: detail.fence,
    eventJson: '{"id":9007199254740995}',
    groupId: 'tenant-8',
    routingKey: null,
  });
  assert.deepEqual(
    changes.map((change) => change.field),
    ['Group', 'Routing key'],
  );
  assert.deepEqual(
    eventDiff.filter((line) => line.kind !== 'same').map((line) => line.text.trim()),
    ['"id": 9007199254740993', '"id": 9007199254740995'],
  );
});

test('what is not JSON cannot be sent', () => {
  const { operation, mistake } = judged(detail, { ...draftOf(detail), event: '{"id": }' });
  assert.equal(operation, null);
  assert.equal(mistake?.line, 1);
});

test('an event that was never JSON can be put right', () => {
  const broken = { ...detail, eventJson: '{oops' };
  assert.equal(judged(broken, draftOf(broken)).operation, null);
  const fixed = judged(broken, { ...draftOf(broken), event: '{"oops":1}' });
  assert.deepEqual(fixed.operation, { kind: 'republish', fence: detail.fence, eventJson: '{"oops":1}' });
});
