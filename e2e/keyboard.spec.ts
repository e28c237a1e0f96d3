import type { Page } from '@playwright/test';
import { closeOtherWindows, openInspector } from './support/app.ts';
import { lastSeq, message, messages } from './support/files.ts';
import { expect, shareApp, test } from './support/fixtures.ts';
import { makeTree } from './support/tree.ts';

/** A paused app with 27 messages. */
const app = shareApp(async (launcher) => {
  const folder = launcher.temporaryFolder();
  makeTree(folder, 27);
  const running = await launcher.launch({ folder, paused: true });
  await expect.poll(() => messages(running.data).length).toBe(27);
  return running;
});

test.afterEach(() => closeOtherWindows(app()));

/** Opens the first message of the list by keyboard. */
async function openFirstMessage(inspector: Page): Promise<void> {
  const { keyboard } = inspector;
  await inspector.bringToFront();
  await keyboard.press('2');
  await expect(inspector.getByRole('grid', { name: 'Messages' })).toBeFocused();
  await keyboard.press('Enter');
  await expect(inspector.getByRole('heading', { name: /^Message \d+$/ })).toBeFocused();
}

test('a message can be found, opened, parked and closed with the keyboard alone', async () => {
  const { data } = app();
  const inspector = await openInspector(app());
  const { keyboard } = inspector;
  const grid = (name: string) => inspector.getByRole('grid', { name });
  /** The row that aria-activedescendant names. */
  const atCursor = async (name: string) => {
    const id = await grid(name).getAttribute('aria-activedescendant');
    return inspector.locator(`[id="${id}"]`);
  };

  await inspector.bringToFront();
  await keyboard.press('2');
  await expect(grid('Messages')).toBeFocused();
  await keyboard.press('j');
  await keyboard.press('j');
  await keyboard.press('k');
  await expect(await atCursor('Messages')).toHaveAttribute('aria-rowindex', '3');
  const second = messages(data)[1];
  await keyboard.press('Enter');
  const side = inspector.getByRole('region', { name: `Message ${second?.seq}` });
  await expect(side.getByRole('heading', { name: `Message ${second?.seq}` })).toBeFocused();

  await expect(side.getByRole('toolbar', { name: 'Operations' })).toBeVisible();
  await keyboard.press('p');
  await expect(side.getByRole('button', { name: '1 min' })).toBeFocused();
  await keyboard.press('Enter');
  await expect(side).toContainText('is parked for');
  expect(message(data, second?.seq ?? 0)?.locked_by).toBe('__parked__');

  await keyboard.press('Escape');
  await expect(grid('Messages')).toBeFocused();
  await keyboard.press('/');
  await expect(inspector.getByLabel('Search messages')).toBeFocused();
  await keyboard.type('letters');
  await expect(grid('Messages').getByRole('row')).toHaveCount(4);
  await keyboard.press('Escape');

  await keyboard.press('1');
  await expect(grid('Groups')).toBeFocused();
  await keyboard.press('?');
  await expect(inspector.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await keyboard.press('Escape');
  await expect(inspector.getByRole('dialog')).toHaveCount(0);
});

test('ack asks for a confirmation, which the focused button declines', async () => {
  const { data } = app();
  const before = messages(data);
  const inspector = await openInspector(app());
  const { keyboard } = inspector;
  await openFirstMessage(inspector);
  await expect(inspector.getByRole('toolbar', { name: 'Operations' })).toBeVisible();
  await keyboard.press('a');
  await expect(inspector.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await keyboard.press('Enter');
  await expect(inspector.getByRole('button', { name: 'Ack and remove' })).toHaveCount(0);
  expect(messages(data)).toEqual(before);
});

test('the arrow keys move along the operations, and a disabled operation explains itself when it has the focus', async () => {
  const inspector = await openInspector(app());
  const { keyboard } = inspector;
  await openFirstMessage(inspector);
  const operations = inspector.getByRole('toolbar', { name: 'Operations' });
  const operation = (name: string) => operations.getByRole('button', { name, exact: true });
  await expect(operations).toBeVisible();

  await operation('Ack').focus();
  await keyboard.press('ArrowRight');
  await expect(operation('Nack now')).toBeFocused();
  await expect(operation('Nack now')).toHaveAttribute('aria-disabled', 'true');
  const tooltip = inspector.getByRole('tooltip');
  await expect(tooltip).toHaveText('No worker holds this message: it is free already');
  await expect(operation('Nack now')).toHaveAccessibleDescription(/free already/);
  await keyboard.press('Escape');
  await expect(tooltip).toHaveCount(0);
  await expect(operation('Nack now')).toBeFocused();

  await keyboard.press('ArrowRight');
  await expect(operation('Park')).toBeFocused();
  await keyboard.press('Tab');
  await expect(operations.getByRole('button').and(inspector.locator(':focus'))).toHaveCount(0);
  await keyboard.press('Shift+Tab');
  await expect(operation('Park')).toBeFocused();
});

test('a message can be edited and re-published with the keyboard alone, and the focus follows to the new message', async () => {
  const { data } = app();
  const first = messages(data)[0]?.seq;
  const next = lastSeq(data) + 1;
  const inspector = await openInspector(app());
  const { keyboard } = inspector;
  const button = (name: string) => inspector.getByRole('button', { name, exact: true });
  await inspector.bringToFront();
  await keyboard.press('2');
  await expect(inspector.getByRole('grid', { name: 'Messages' })).toBeFocused();
  await keyboard.press('Enter');
  await expect(inspector.getByRole('toolbar', { name: 'Operations' })).toBeVisible();
  await keyboard.press('e');
  await expect(inspector.getByRole('textbox', { name: 'Event' })).toBeFocused();
  await keyboard.press('Escape');
  await expect(button('Re-publish')).toBeFocused();
  await keyboard.press('Enter');
  await expect(inspector.getByRole('textbox', { name: 'Event' })).toBeFocused();

  await keyboard.press('Control+a');
  await keyboard.type('{"path":"renamed.txt"}');
  for (const field of ['Group', 'Priority', 'Routing key']) {
    await keyboard.press('Tab');
    await expect(inspector.getByRole('form', { name: 'Re-publish' }).getByLabel(field)).toBeFocused();
  }
  await keyboard.press('Tab');
  await expect(button('Re-publish with changes')).toBeFocused();
  await keyboard.press('Enter');
  await expect(inspector.getByRole('heading', { name: `Message ${first}`, exact: true })).toBeFocused();
  expect(message(data, next)).toMatchObject({ event: '{"path":"renamed.txt"}', origin_seq: first });

  await keyboard.press('Tab');
  await expect(button('Close message')).toBeFocused();
  await keyboard.press('Tab');
  await expect(button(`Open message ${next}`)).toBeFocused();
  await keyboard.press('Enter');
  await expect(inspector.getByRole('heading', { name: `Message ${next}` })).toBeFocused();
});
