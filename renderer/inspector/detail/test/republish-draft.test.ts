import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageDetail } from '../../../../core/contract/admin.ts';
import { type Draft, originOf, reviewDraft } from '../republish-draft.ts';

const detail: MessageDetail = {
  seq: 812,
  deadId: 3,
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
  fence: { seq: 812, lockedBy: null, fence: 5, deadId: 3 },
};

const draftOf = (of: MessageDetail): Draft => originOf(of).draft;
const review = (of: MessageDetail, draft: Draft) => reviewDraft(originOf(of), draft);

test('a draft without an edit re-publishes the message unchanged', () => {
  const { isEdited, operation, fieldChanges, eventDiff } = review(detail, draftOf(detail));
  assert.equal(isEdited, false);
  assert.deepEqual(operation, { kind: 'republish', fence: detail.fence });
  assert.deepEqual([fieldChanges, eventDiff], [[], []]);
});

test('a draft that differs in white space only re-publishes the message unchanged', () => {
  const draft = { ...draftOf(detail), event: '{ "id" :\n9007199254740993 }' };
  const { isEdited, operation } = review(detail, draft);
  assert.equal(isEdited, false);
  assert.deepEqual(operation, { kind: 'republish', fence: detail.fence });
});

test('an edited draft sends the edited fields only, with every digit of a big number', () => {
  const draft = {
    ...draftOf(detail),
    event: '{\n  "id": 9007199254740995\n}',
    group: 'tenant-8',
    routingKey: '',
  };
  const { isEdited, operation, fieldChanges, eventDiff } = review(detail, draft);
  assert.equal(isEdited, true);
  assert.deepEqual(operation, {
    kind: 'republish',
    fence: detail.fence,
    eventJson: '{"id":9007199254740995}',
    groupId: 'tenant-8',
    routingKey: null,
  });
  assert.deepEqual(fieldChanges, [
    { field: 'Group', before: 'tenant-7', after: 'tenant-8' },
    { field: 'Routing key', before: 'eu', after: '' },
  ]);
  assert.deepEqual(
    eventDiff.filter((line) => line.kind !== 'context').map((line) => line.text.trim()),
    ['"id": 9007199254740993', '"id": 9007199254740995'],
  );
});

test('a draft whose event is not JSON has no operation', () => {
  const { isEdited, operation, jsonProblem } = review(detail, { ...draftOf(detail), event: '{"id": }' });
  assert.equal(isEdited, true);
  assert.equal(operation, null);
  assert.equal(jsonProblem?.line, 1);
});

test('an event that is not JSON in the file can be corrected and re-published', () => {
  const broken = { ...detail, eventJson: '{oops' };
  assert.equal(review(broken, draftOf(broken)).operation, null);
  const fixed = review(broken, { ...draftOf(broken), event: '{"oops":1}' });
  assert.deepEqual(fixed.operation, { kind: 'republish', fence: detail.fence, eventJson: '{"oops":1}' });
});
