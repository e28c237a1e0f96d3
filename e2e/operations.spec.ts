import { expect, type Launcher, test } from './launch.ts';
import { openInspector, openMessage, startPaused } from './support/app.ts';
import { claimElsewhere, message, messages } from './support/files.ts';
import { makeTree } from './support/tree.ts';

const HOUR = 3600;

/** A paused app over 27 files in 9 folders, its inspector, and the head of one folder's group. */
async function stage(app: Launcher) {
  const folder = app.temporaryFolder();
  makeTree(folder, 27);
  const running = await startPaused(app, { folder });
  const { data } = running;
  await expect.poll(() => messages(data).length).toBe(27);
  const inspector = await openInspector(running);
  const head = messages(data).find(({ group_id }) => group_id === 'letters');
  if (!head) throw new Error('No file was published in letters.');
  return { ...running, inspector, seq: head.seq, head };
}

test('the groups page shows depth and head of a group, and follows a park by another program', async ({
  app,
}) => {
  const { inspector, data, seq } = await stage(app);
  const groups = inspector.getByRole('grid', { name: 'Groups' });
  const letters = groups.getByRole('row').filter({ hasText: 'letters' });
  await expect(letters).toContainText('3');
  await expect(letters).toContainText('Ready');
  await expect(groups.getByRole('row')).toHaveCount(10);

  claimElsewhere(data, seq, '__parked__');
  await expect(letters).toContainText('Parked');
  const side = await openMessage(inspector, seq);
  await expect(side).toContainText('Parked until');
});

test('ack removes the message from the file', async ({ app }) => {
  const { inspector, data, seq } = await stage(app);
  const side = await openMessage(inspector, seq);
  await side.getByRole('button', { name: 'Ack', exact: true }).click();
  await side.getByRole('button', { name: 'Ack and remove' }).click();
  await expect(side).toContainText(`Message ${seq} is acked and removed.`);
  expect(message(data, seq)).toBeUndefined();
  expect(messages(data)).toHaveLength(26);
});

test('park hides the group for the chosen time, and nack makes it claimable at once', async ({ app }) => {
  const { inspector, data, seq } = await stage(app);
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

test('an unchanged re-publish puts the same event at the tail and records its origin', async ({ app }) => {
  const { inspector, data, seq, head } = await stage(app);
  const side = await openMessage(inspector, seq);
  await side.getByRole('button', { name: 'Re-publish', exact: true }).click();
  await side.getByRole('button', { name: 'Re-publish unchanged' }).click();
  await expect(side).toContainText(`Message ${seq} is re-published as message 28.`);
  expect(message(data, seq)).toBeUndefined();
  expect(message(data, 28)).toMatchObject({ group_id: 'letters', event: head.event, origin_seq: seq });
});

test('an edited re-publish writes the edited event, and invalid JSON cannot be submitted', async ({
  app,
}) => {
  const { inspector, data, seq } = await stage(app);
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
  await expect(side).toContainText('is re-published as message 28.');
  expect(message(data, 28)).toMatchObject({
    event: '{"path":"letters/other.txt","id":12345678901234567890}',
    origin_seq: seq,
  });
  expect(messages(data)).toHaveLength(27);
});

test('an operation on a message that has changed since it was shown does nothing, and the page says so', async ({
  app,
}) => {
  const { inspector, data, seq } = await stage(app);
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
  expect(messages(data)).toHaveLength(27);
});
