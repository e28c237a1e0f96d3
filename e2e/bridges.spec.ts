/** Only the page of the right window reaches the app through a bridge, and only with valid arguments. */
import { closeOtherWindows, openInspector } from './support/app.ts';
import { ask, INSPECTOR, MAIN_WINDOW, navigate, openWithPreload } from './support/bridges.ts';
import { messages } from './support/files.ts';
import { expect, shareApp, test } from './support/fixtures.ts';
import { makeTree } from './support/tree.ts';

const ACK = {
  kind: 'ack',
  fence: { seq: 1, lockedBy: null, fence: 0, deadId: null },
};

/** A paused app with nine messages. No test changes them. */
const app = shareApp(async (launcher) => {
  const folder = launcher.temporaryFolder();
  makeTree(folder, 9);
  const running = await launcher.launch({ folder, paused: true });
  await expect.poll(() => messages(running.data).length).toBe(9);
  return running;
});

test.afterEach(() => closeOtherWindows(app()));

const refusedAs = (code: string) => ({ ok: false, error: { code, message: expect.any(String) } });

test("a page of another origin with the inspector's preload gets no answer", async () => {
  const { electron, data } = app();
  await openInspector(app());
  const page = await openWithPreload(electron, INSPECTOR, 'https://elsewhere.example/', 'other');
  expect(await ask(page, INSPECTOR, 'overview')).toEqual(refusedAs('NOT_CONNECTED'));
  expect(await ask(page, INSPECTOR, 'operate', ACK)).toEqual(refusedAs('NOT_CONNECTED'));
  expect(messages(data)).toHaveLength(9);
});

test("a second window with the inspector's preload, session and page gets no answer", async () => {
  const { electron, data } = app();
  const inspector = await openInspector(app());
  const page = await openWithPreload(electron, INSPECTOR, inspector.url(), 'same');
  expect(await ask(page, INSPECTOR, 'overview')).toEqual(refusedAs('NOT_CONNECTED'));
  expect(await ask(page, INSPECTOR, 'operate', ACK)).toEqual(refusedAs('NOT_CONNECTED'));
  expect(messages(data)).toHaveLength(9);
});

test("the inspector's own window gets no answer after it has loaded another page", async () => {
  const { electron, data } = app();
  const inspector = await openInspector(app());
  await navigate(electron, INSPECTOR, inspector, 'about:blank');
  expect(await ask(inspector, INSPECTOR, 'overview')).toEqual(refusedAs('NOT_ALLOWED'));
  expect(await ask(inspector, INSPECTOR, 'operate', ACK)).toEqual(refusedAs('NOT_ALLOWED'));
  expect(messages(data)).toHaveLength(9);
});

test('invalid arguments from the inspector are refused', async () => {
  const { data } = app();
  const inspector = await openInspector(app());
  const refused = async (call: string, argument: unknown) =>
    expect(await ask(inspector, INSPECTOR, call, argument)).toEqual(refusedAs('BAD_ARGUMENT'));
  await refused('messages', { limit: 1_000_000 });
  await refused('groups', { sort: '1; DROP TABLE x' });
  await refused('message', 'one');
  await refused('operate', { ...ACK, force: true });
  await refused('operate', { kind: 'drop' });
  expect(messages(data)).toHaveLength(9);
});

test("a page of another origin with the main window's preload gets no answer", async () => {
  const page = await openWithPreload(app().electron, MAIN_WINDOW, 'https://elsewhere.example/', 'other');
  expect(await ask(page, MAIN_WINDOW, 'status')).toContain('No handler registered');
});

test("a second window with the main window's preload, session and page gets no answer", async () => {
  const { electron, window } = app();
  const page = await openWithPreload(electron, MAIN_WINDOW, window.url(), 'same');
  expect(await ask(page, MAIN_WINDOW, 'status')).toContain('No handler registered');
});

test('the main window gets no answer after it has loaded another page', async () => {
  const { electron, window } = app();
  const url = window.url();
  expect(await ask(window, MAIN_WINDOW, 'status')).toMatchObject({ phase: 'paused' });
  await navigate(electron, MAIN_WINDOW, window, 'about:blank');
  expect(await ask(window, MAIN_WINDOW, 'status')).toContain('not allowed');
  await electron.evaluate(
    ({ BrowserWindow }, address) => BrowserWindow.getAllWindows()[0]?.loadURL(address),
    url,
  );
  await expect(window.getByRole('heading', { name: 'Paused' })).toBeVisible();
});
