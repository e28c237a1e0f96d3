import { fileURLToPath } from 'node:url';
import type { ElectronApplication, Page } from '@playwright/test';
import { expect, type Launcher, test } from './launch.ts';
import { openInspector, startPaused } from './support/app.ts';
import { messages } from './support/files.ts';
import { makeTree } from './support/tree.ts';

const PRELOAD = fileURLToPath(new URL('../dist/preload/inspector.cjs', import.meta.url));

const ACK = {
  kind: 'ack',
  fence: { seq: 1, lockedBy: null, lockExpiry: null, deliveries: 0, dead: false },
};

interface Bridge {
  readonly [call: string]: (argument?: unknown) => Promise<unknown>;
}
declare global {
  interface Window {
    readonly leasehold?: Bridge;
  }
}

async function stage(app: Launcher) {
  const folder = app.temporaryFolder();
  makeTree(folder, 9);
  const running = await startPaused(app, { folder });
  await expect.poll(() => messages(running.data).length).toBe(9);
  return { ...running, inspector: await openInspector(running) };
}

/** Asks through whatever bridge the page has. */
const ask = (page: Page, call: string, argument?: unknown) =>
  page.evaluate(([name, given]) => window.leasehold?.[name]?.(given) ?? 'no bridge', [
    call,
    argument,
  ] as const);

const refusedAs = (code: string) => ({ ok: false, error: { code, message: expect.any(String) } });

/** Opens a window that has the inspector's own preload. */
async function openWithPreload(electron: ElectronApplication, url: string, samePartition: boolean) {
  const opened = electron.waitForEvent('window');
  await electron.evaluate(
    async ({ BrowserWindow, session }, [address, same, preload]) => {
      const inspector = BrowserWindow.getAllWindows().find((one) =>
        one.webContents.getURL().includes('inspector'),
      );
      const other = session.fromPartition('elsewhere');
      if (!other.protocol.isProtocolHandled('https'))
        other.protocol.handle(
          'https',
          () => new Response('<title>Elsewhere</title>', { headers: { 'Content-Type': 'text/html' } }),
        );
      const window = new BrowserWindow({
        webPreferences: {
          preload,
          sandbox: true,
          session: same ? (inspector?.webContents.session ?? other) : other,
        },
      });
      await window.loadURL(address);
    },
    [url, samePartition, PRELOAD] as const,
  );
  const page = await opened;
  await page.waitForLoadState();
  return page;
}

test('a page of another origin gets nothing, not even with the preload', async ({ app }) => {
  const { electron, data } = await stage(app);
  const page = await openWithPreload(electron, 'https://elsewhere.example/', false);
  expect(await ask(page, 'overview')).toEqual(refusedAs('NOT_CONNECTED'));
  expect(await ask(page, 'operate', ACK)).toEqual(refusedAs('NOT_CONNECTED'));
  expect(messages(data)).toHaveLength(9);
});

test('a second window with the same preload, session and page gets nothing', async ({ app }) => {
  const { electron, inspector, data } = await stage(app);
  const page = await openWithPreload(electron, inspector.url(), true);
  expect(await ask(page, 'overview')).toEqual(refusedAs('NOT_CONNECTED'));
  expect(await ask(page, 'operate', ACK)).toEqual(refusedAs('NOT_CONNECTED'));
  expect(messages(data)).toHaveLength(9);
});

test("the inspector's own window is not answered once it shows something else", async ({ app }) => {
  const { electron, inspector, data } = await stage(app);
  await electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()
      .find((one) => one.webContents.getURL().includes('inspector'))
      ?.loadURL('about:blank'),
  );
  await expect.poll(() => inspector.url()).toBe('about:blank');
  expect(await ask(inspector, 'overview')).toEqual(refusedAs('NOT_ALLOWED'));
  expect(await ask(inspector, 'operate', ACK)).toEqual(refusedAs('NOT_ALLOWED'));
  expect(messages(data)).toHaveLength(9);
});

test('arguments that the page should not send are refused by name', async ({ app }) => {
  const { inspector, data } = await stage(app);
  expect(await ask(inspector, 'messages', { limit: 1_000_000 })).toEqual(refusedAs('BAD_ARGUMENT'));
  expect(await ask(inspector, 'groups', { sort: '1; DROP TABLE x' })).toEqual(refusedAs('BAD_ARGUMENT'));
  expect(await ask(inspector, 'message', 'one')).toEqual(refusedAs('BAD_ARGUMENT'));
  expect(await ask(inspector, 'operate', { ...ACK, force: true })).toEqual(refusedAs('BAD_ARGUMENT'));
  expect(await ask(inspector, 'operate', { kind: 'drop' })).toEqual(refusedAs('BAD_ARGUMENT'));
  expect(messages(data)).toHaveLength(9);
});

test('the page cannot leave, open windows, reach the network, read files or ask for permissions', async ({
  app,
}) => {
  app.expectErrors(
    /Content Security Policy|ERR_BLOCKED_BY_CLIENT|Failed to load resource|Not allowed to load local/,
  );
  const { electron, inspector } = await stage(app);
  const { windows, url } = { windows: electron.windows().length, url: inspector.url() };

  for (const target of ['https://example.com/', 'http://127.0.0.1:9/', 'file:///etc/hostname'])
    await inspector.evaluate((address) => {
      location.href = address;
    }, target);
  expect(await inspector.evaluate(() => window.open('https://example.com/'))).toBeNull();
  expect(await inspector.evaluate(() => window.open('about:blank'))).toBeNull();

  const fetched = (address: string) =>
    inspector.evaluate((from) => fetch(from).then(({ status }) => status, String), address);
  expect(await fetched('https://example.com/')).toMatch(/TypeError/);
  expect(await fetched('/inspector/index.html')).toMatch(/TypeError/);
  const image = (from: string) =>
    inspector.evaluate(
      (source) =>
        new Promise((resolve) => {
          const element = new Image();
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          element.src = source;
        }),
      from,
    );
  expect(await image('http://127.0.0.1:9/x.png')).toBe('refused');
  expect(await image('file:///usr/share/pixmaps/debian-logo.png')).toBe('refused');
  expect(await inspector.evaluate(() => Notification.requestPermission())).toBe('denied');

  expect(inspector.url()).toBe(url);
  expect(electron.windows()).toHaveLength(windows);
});

test('neither inline script nor eval runs, and nothing of Node is in reach', async ({ app }) => {
  app.expectErrors(/Content Security Policy/);
  const { inspector } = await stage(app);
  const ran = await inspector.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.inlineRan = true';
    document.body.append(script);
    const image = document.createElement('div');
    image.innerHTML = '<img src="data:," onerror="window.inlineRan = true">';
    document.body.append(image);
    return 'inlineRan' in window;
  });
  expect(ran).toBe(false);
  // In a turn of its own: what the test itself evaluates is let past the policy.
  const evaluated = await inspector.evaluate(
    () =>
      new Promise((resolve) => {
        setTimeout(() => {
          try {
            resolve(new Function('return 1')());
          } catch (error) {
            resolve((error as Error).name);
          }
        });
      }),
  );
  expect(evaluated).toBe('EvalError');
  expect(await inspector.evaluate(() => 'inlineRan' in window)).toBe(false);
  expect(await inspector.evaluate(() => [typeof require, typeof process, typeof module])).toEqual([
    'undefined',
    'undefined',
    'undefined',
  ]);
});

test('only files of the page are served, under its own headers', async ({ app }) => {
  const { electron } = await stage(app);
  const served = (path: string) =>
    electron.evaluate(async ({ BrowserWindow }, wanted) => {
      const { session } =
        BrowserWindow.getAllWindows().find((one) => one.webContents.getURL().includes('inspector'))
          ?.webContents ?? {};
      const answer = await session?.fetch(`https://leasehold-inspector.invalid${wanted}`);
      return {
        status: answer?.status,
        policy: answer?.headers.get('content-security-policy'),
        sniff: answer?.headers.get('x-content-type-options'),
      };
    }, path);
  const page = await served('/inspector/index.html');
  expect(page).toMatchObject({ status: 200, sniff: 'nosniff' });
  expect(page.policy).toContain("default-src 'none'");
  for (const path of [
    '/..%2fmain/main.js',
    '/%2e%2e/main/main.js',
    '/..%5cmain%5cmain.js',
    '/main/main.js',
    '/',
  ])
    expect(await served(path)).toMatchObject({ status: 404 });
});

test('opening the inspector again brings the same window forward', async ({ app }) => {
  const { electron } = await stage(app);
  const before = electron.windows().length;
  await electron.evaluate(({ Menu }) => {
    const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((menu) => menu.submenu?.items ?? []);
    items.find(({ label }) => label.includes('Background jobs'))?.click();
  });
  await expect.poll(() => electron.windows().length).toBe(before);
});
