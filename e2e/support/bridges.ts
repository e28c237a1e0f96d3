/** Calls to the main process through the bridge of a page, also from windows that the app did not open. */
import { fileURLToPath } from 'node:url';
import type { ElectronApplication, Page } from '@playwright/test';

const built = (path: string) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));

interface Surface {
  /** The start of the page's URL. */
  readonly origin: string;
  readonly preload: string;
  /** The name of the bridge on the page's `window`. */
  readonly bridge: string;
}

export const INSPECTOR: Surface = {
  origin: 'https://leasehold-inspector.invalid',
  preload: built('preload/inspector.cjs'),
  bridge: 'leasehold',
};

export const MAIN_WINDOW: Surface = {
  origin: 'app://folder-index',
  preload: built('examples/folder-index/preload/preload.cjs'),
  bridge: 'folderIndex',
};

/** Calls the bridge. Resolves with the answer, with the text of an error, or with 'no bridge'. */
export function ask(page: Page, { bridge }: Surface, call: string, argument?: unknown): Promise<unknown> {
  return page.evaluate(
    ([name, method, given]) => {
      const calls = (
        window as unknown as Record<string, Record<string, (given: unknown) => Promise<unknown>>>
      )[name];
      return calls?.[method]?.(given).catch(String) ?? 'no bridge';
    },
    [bridge, call, argument] as const,
  );
}

/** Opens a window with the preload of an app's window, in the same session or in another one. */
export async function openWithPreload(
  electron: ElectronApplication,
  { origin, preload }: Surface,
  url: string,
  session: 'same' | 'other',
): Promise<Page> {
  const opened = electron.waitForEvent('window');
  await electron.evaluate(
    async ({ BrowserWindow, session: sessions }, [start, preloadFile, address, isSame]) => {
      const original = BrowserWindow.getAllWindows().find((one) =>
        one.webContents.getURL().startsWith(start),
      );
      if (!original) throw new Error(`No window shows ${start}.`);
      const other = sessions.fromPartition('other');
      const { protocol } = other;
      for (const scheme of ['https', 'app'])
        if (!protocol.isProtocolHandled(scheme))
          protocol.handle(
            scheme,
            () => new Response('<title>Other</title>', { headers: { 'Content-Type': 'text/html' } }),
          );
      const window = new BrowserWindow({
        webPreferences: {
          preload: preloadFile,
          sandbox: true,
          session: isSame ? original.webContents.session : other,
        },
      });
      await window.loadURL(address);
    },
    [origin, preload, url, session === 'same'] as const,
  );
  const page = await opened;
  await page.waitForLoadState();
  return page;
}

/** Loads another page in the window that shows the surface. */
export async function navigate(electron: ElectronApplication, { origin }: Surface, page: Page, url: string) {
  await electron.evaluate(
    ({ BrowserWindow }, [start, address]) =>
      BrowserWindow.getAllWindows()
        .find((one) => one.webContents.getURL().startsWith(start))
        ?.loadURL(address),
    [origin, url] as const,
  );
  await page.waitForURL(url);
}

export interface Served {
  readonly status: number;
  readonly policy: string | null;
  readonly sniff: string | null;
}

/** Fetches a path of the page's origin in its session. */
export function fetchInSession(
  electron: ElectronApplication,
  { origin }: Surface,
  path: string,
): Promise<Served> {
  return electron.evaluate(
    async ({ BrowserWindow }, [start, wanted]) => {
      const window = BrowserWindow.getAllWindows().find((one) => one.webContents.getURL().startsWith(start));
      if (!window) throw new Error(`No window shows ${start}.`);
      const answer = await window.webContents.session.fetch(start + wanted);
      return {
        status: answer.status,
        policy: answer.headers.get('content-security-policy'),
        sniff: answer.headers.get('x-content-type-options'),
      };
    },
    [origin, path] as const,
  );
}
