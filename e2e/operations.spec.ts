import { closeOtherWindows, openInspector, openMessage } from './support/app.ts';
import { buryElsewhere, claimElsewhere, deadLetters, lastSeq, message, messages } from './support/files.ts';
import { expect, shareApp, test } from './support/fixtures.ts';
import { FOLDERS, makeTree } from './support/tree.ts';

const HOUR = 3600;

const FILES = 2 * FOLDERS.length;

/** A paused app with two messages in each group. Each test changes a group of its own. */
const app = shareApp(async (launcher) => {
  const folder = launcher.temporaryFolder();
  makeTree(folder, FILES);
  const running = await launcher.launch({ folder, paused: true });
  await expect.poll(() => messages(running.data).length).toBe(FILES);
  return running;
});

test.afterEach(() => closeOtherWindows(app()));

/** Opens the inspector and finds the head of a group. */
async function inspect(groupId: string) {
  const { data } = app();
  const before = messages(data);
  const head = before.find(({ group_id }) => group_id === groupId);
  if (!head) throw new Error(`The group ${groupId} has no message.`);
  return { inspector: await openInspector(app()), data, before, head, seq: head.seq };
}

test('the groups page shows depth and head of a group, and follows a park by another program', async () => {
  const { inspector, data, seq } = await inspect('letters');
  const groups = inspector.getByRole('grid', { name: 'Groups' });
  const letters = groups.getByRole('row').filter({ hasText: 'letters' });
  await expect(letters).toContainText('2');
  await expect(letters).toContainText('Ready');
  await expect(groups.getByRole('row')).toHaveCount(1 + FOLDERS.length);

  claimElsewhere(data, seq, '__parked__');
  await expect(letters).toContainText('Parked');
  const side = await openMessage(inspector, seq);
  await expect(side).toContainText('Parked until');
});

test('an ack removes the message from the file', async () => {
  const { inspector, data, before, seq } = await inspect('photos/2023');
  const side = await openMessage(inspector, seq);
  await side.getByRole('button', { name: 'Ack', exact: true }).click();
  await side.getByRole('button', { name: 'Ack and remove' }).click();
  await expect(side).toContainText(`Message ${seq} is acked and removed.`);
  expect(message(data, seq)).toBeUndefined();
  expect(messages(data)).toEqual(before.filter((row) => row.seq !== seq));
});

test('park hides the group for the chosen time, and nack makes it claimable at once', async () => {
  const { inspector, data, seq } = await inspect('photos/2024');
  const side = await openMessage(inspector, seq);
  await side.getByRole('button', { name: 'Park', exact: true }).click();
  await side.getByRole('button', { name: '1 h' }).click();
  await expect(side).toContainText(`Message ${seq} is parked for 1 h`);
  const parked = message(data, seq);
  expect(parked?.locked_by).toBe('__parked__');
  expect(parked?.lock_expiry).toBeGreaterThan(Date.now() / 1000 + HOUR - 60);
  expect(parked?.lock_expiry).toBeLessThan(Date.now() / 1000 + HOUR + 60);

  await side.getByRole('button', { name: 'Nack now' }).click();
  await expect(side).toContainText(`Message ${seq} is free`);
  expect(message(data, seq)).toMatchObject({ locked_by: null, lock_expiry: null });
});

test('an unchanged re-publish puts the same event at the tail and records its origin', async () => {
  const { inspector, data, seq, head } = await inspect('source/app');
  const next = lastSeq(data) + 1;
  const side = await openMessage(inspector, seq);
  await side.getByRole('button', { name: 'Re-publish', exact: true }).click();
  await side.getByRole('button', { name: 'Re-publish unchanged' }).click();
  await expect(side).toContainText(`Message ${seq} is re-published as message ${next}.`);
  expect(message(data, seq)).toBeUndefined();
  expect(message(data, next)).toMatchObject({
    group_id: 'source/app',
    event: head.event,
    origin_seq: seq,
  });
});

test('an edited re-publish writes the edited event, and invalid JSON cannot be submitted', async () => {
  const { inspector, data, before, seq } = await inspect('source/lib');
  const next = lastSeq(data) + 1;
  const side = await openMessage(inspector, seq);
  await side.getByRole('button', { name: 'Re-publish', exact: true }).click();
  const text = side.getByRole('textbox', { name: 'Event' });
  await text.fill('{ "path": ');
  await expect(side.getByText(/^Line 1, column/)).toBeVisible();
  await expect(side.getByRole('button', { name: /^Re-publish (with changes|unchanged)$/ })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await text.fill('{ "path": "letters/other.txt", "id": 12345678901234567890 }');
  await side.getByRole('button', { name: 'Re-publish with changes' }).click();
  await expect(side).toContainText(`is re-published as message ${next}.`);
  expect(message(data, next)).toMatchObject({
    event: '{"path":"letters/other.txt","id":12345678901234567890}',
    origin_seq: seq,
  });
  expect(message(data, seq)).toBeUndefined();
  expect(messages(data)).toHaveLength(before.length);
});

test('an operation on a message that has changed since it was shown does nothing, and the page says so', async () => {
  const { inspector, data, before, seq } = await inspect('music');
  const side = await openMessage(inspector, seq);
  await side.getByRole('button', { name: 'Ack', exact: true }).click();
  const confirm = side.getByRole('button', { name: 'Ack and remove' });
  await expect(confirm).toBeVisible();

  claimElsewhere(data, seq, 'another-worker');
  const moved = message(data, seq);
  await confirm.click();
  const alert = side.getByRole('alert');
  await expect(alert).toContainText('The message has changed');
  await expect(alert).toContainText('another-worker');
  await expect(alert).toContainText('Nothing was done');
  expect(message(data, seq)).toEqual(moved);
  expect(messages(data)).toHaveLength(before.length);
});

test('of two dead letters and a message with one seq, the one that was opened is shown and re-published', async () => {
  const { inspector, data, seq } = await inspect('backup');
  for (const name of ['first', 'second']) buryElsewhere(data, seq, JSON.stringify({ buried: name }));
  const next = lastSeq(data) + 1;
  const side = await openMessage(inspector, seq);
  await expect(side).toContainText('backup/');
  await inspector.getByRole('combobox', { name: 'State' }).selectOption('Dead');
  const cell = inspector.getByRole('gridcell', { name: String(seq), exact: true });
  const rows = inspector.getByRole('grid', { name: 'Messages' }).getByRole('row').filter({ has: cell });
  await expect(rows).toHaveCount(2);
  await rows.nth(1).click();
  await expect(side).toContainText('second');
  await rows.nth(0).click();
  await expect(side).toContainText('first');
  expect(inspector.url()).toMatch(new RegExp(`seq=${seq}&dead=\\d+$`));
  await side.getByRole('button', { name: 'Re-publish', exact: true }).click();
  await side.getByRole('button', { name: 'Re-publish unchanged' }).click();
  await expect(side).toContainText(`is re-published as message ${next}.`);
  expect(message(data, next)).toMatchObject({ event: '{"buried":"first"}', origin_seq: seq });
  expect(deadLetters(data).map(({ event }) => event)).toEqual(['{"buried":"second"}']);
  expect(message(data, seq)).toBeDefined();
});
