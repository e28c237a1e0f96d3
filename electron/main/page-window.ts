/** A window that shows one page and cannot do anything else: no navigation, no other window, no Node. */
import { BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, type WebContents } from 'electron';
import { originOf, type PageSource, pageSession } from './page-session.ts';

export interface PageWindowOptions {
  readonly source: PageSource;
  /** The path of the page in its source. */
  readonly page: string;
  readonly preload: string;
  readonly window: Omit<BrowserWindowConstructorOptions, 'webPreferences' | 'show' | 'backgroundColor'>;
}

/** The window's background before the page has painted: close to the page's own, so that a dark page does not flash white. */
const UNPAINTED = { light: '#ffffff', dark: '#1c1c1e' };

/** Creates the window. It appears once the page has painted. */
export function createPageWindow({ source, preload, window: options }: PageWindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...options,
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? UNPAINTED.dark : UNPAINTED.light,
    webPreferences: {
      session: pageSession(source),
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      webviewTag: false,
      // The spelling checker downloads its dictionaries.
      spellcheck: false,
    },
  });
  blockNavigation(window.webContents);
  // The caller chooses the window's title, not the page.
  window.on('page-title-updated', (event) => event.preventDefault());
  window.once('ready-to-show', () => window.show());
  return window;
}

/** Loads the page. Add the IPC handlers first: the page makes calls as soon as it runs. */
export async function loadPage(window: BrowserWindow, { source, page }: PageWindowOptions): Promise<void> {
  let isClosing = false;
  const onClose = () => {
    isClosing = true;
  };
  window.once('close', onClose);
  try {
    await window.loadURL(`${originOf(source)}/${page}`);
  } catch (error) {
    // Closing a window that loads fails the load, before the window is destroyed. That is no error.
    if (!isClosing && !window.isDestroyed()) throw error;
  } finally {
    if (!window.isDestroyed()) window.removeListener('close', onClose);
  }
}

function blockNavigation(contents: WebContents): void {
  const prevent = (event: { preventDefault(): void }) => event.preventDefault();
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-navigate', prevent);
  contents.on('will-frame-navigate', prevent);
  contents.on('will-redirect', prevent);
  contents.on('will-attach-webview', prevent);
}
