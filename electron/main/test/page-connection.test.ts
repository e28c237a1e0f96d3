import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageDetail } from '../../../core/contract/admin.ts';
import { PageConnection } from '../page-connection.ts';
import { adminOver, FENCE as fence } from './stub-admin.ts';
import { ORIGIN, stubContents } from './stub-contents.ts';

const hideToken = (event: unknown) => ({ ...(event as object), token: '•••' });
const info = { title: 'Jobs', operations: ['ack'] } as const;

test('a page that is connected anew gets what the newer options allow, and hides what they hide', async () => {
  const page = stubContents();
  const listeners = new Set<() => void>();
  const admin = {
    ...adminOver('{"token":"s3cret"}').admin,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const connection = new PageConnection(page.contents, ORIGIN, admin, { info, redact: undefined });
  const read = async () => {
    const answer = await page.send('leasehold:message', page.frame, 1);
    return (answer as { value: MessageDetail }).value.eventJson;
  };
  const ack = async () => {
    const answer = await page.send('leasehold:operate', page.frame, { kind: 'ack', fence });
    return (answer as { ok: boolean }).ok;
  };
  assert.deepEqual([await read(), await ack()], ['{"token":"s3cret"}', true]);
  assert.equal(connection.update({ info: { ...info, operations: ['ack'] }, redact: undefined }), false);
  assert.equal(connection.update({ info: { ...info, operations: [] }, redact: hideToken }), true);
  assert.deepEqual([await read(), await ack()], ['{"token":"•••"}', false]);
  for (const listener of listeners) listener();
  assert.deepEqual(page.sent, ['leasehold:changed']);
  connection.close();
  assert.deepEqual([page.channels(), listeners.size], [[], 0]);
});
