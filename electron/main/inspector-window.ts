/** The inspector's window: it shows the one page and cannot do anything else: no navigation, no other window, no Node. */
import { join } from 'node:path';
import { BrowserWindow, nativeTheme, type WebContents } from 'electron';
import { distFolder } from './dist-folder.ts';
import { inspectorSession, PAGE_ORIGIN } from './inspector-session.ts';

const PAGE = 'inspector/index.html';

/**
 * The window's background before the page has painted: close to the page's own, so that a dark page does not flash white.
 */
const UNPAINTED = { light: '#ffffff', dark: '#1c1c1e' };

/** Creates the window. It appears once the page has painted. Raises NOT_BUILT without a built inspector. */
export function createInspectorWindow(title: string, parent: BrowserWindow | undefined): BrowserWindow {
  const dist = distFolder();
  const window = new BrowserWindow({
    title,
    width: 1180,
    height: 760,
    minWidth: 480,
    minHeight: 360,
    autoHideMenuBar: true,
    ...(parent && { parent }),
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? UNPAINTED.dark : UNPAINTED.light,
    webPreferences: {
      session: inspectorSession(join(dist, 'renderer')),
      preload: join(dist, 'preload', 'inspector.cjs'),
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
export async function loadPage(window: BrowserWindow): Promise<void> {
  let isClosing = false;
  const onClose = () => {
    isClosing = true;
  };
  window.once('close', onClose);
  try {
    await window.loadURL(`${PAGE_ORIGIN}/${PAGE}`);
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
