/** A window that shows one page of a site and can do nothing else: no navigation, no further window, no Node. */
import { BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, type WebContents } from 'electron';
import { originOf, type Site, siteSession } from './page-session.ts';

export interface PageWindowOptions {
  readonly site: Site;
  /** Path of the page in the site. */
  readonly page: string;
  readonly preload: string;
  readonly window: Omit<BrowserWindowConstructorOptions, 'webPreferences' | 'show' | 'backgroundColor'>;
}

/** What a window shows before its page has painted: near the page's own background, so that dark does not flash white. */
const EMPTY = { light: '#ffffff', dark: '#1c1c1e' };

/** Opens the window; it appears once the page has painted. */
export function createPageWindow({ site, preload, window }: PageWindowOptions): BrowserWindow {
  const created = new BrowserWindow({
    ...window,
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? EMPTY.dark : EMPTY.light,
    webPreferences: {
      session: siteSession(site),
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      webviewTag: false,
      // The spelling checker fetches its dictionaries from the network.
      spellcheck: false,
    },
  });
  stayOnPage(created.webContents);
  // The title is the opener's to give, not the page's.
  created.on('page-title-updated', (event) => event.preventDefault());
  created.once('ready-to-show', () => created.show());
  return created;
}

/** Loads the page. After the caller has attached its handlers: the page asks as soon as it runs. */
export async function loadPage(window: BrowserWindow, { site, page }: PageWindowOptions): Promise<void> {
  let isClosing = false;
  const closing = () => {
    isClosing = true;
  };
  window.once('close', closing);
  try {
    await window.loadURL(`${originOf(site)}/${page}`);
  } catch (error) {
    // A window that is closed while it loads has nobody left to tell; the load fails before the window is gone.
    if (!isClosing && !window.isDestroyed()) throw error;
  } finally {
    if (!window.isDestroyed()) window.removeListener('close', closing);
  }
}

function stayOnPage(contents: WebContents): void {
  const prevent = (event: { preventDefault(): void }) => event.preventDefault();
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-navigate', prevent);
  contents.on('will-frame-navigate', prevent);
  contents.on('will-redirect', prevent);
  contents.on('will-attach-webview', prevent);
}
