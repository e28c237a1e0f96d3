/** The app's window. Its page can reach four calls of the main process and nothing else. */
import { app, BrowserWindow, nativeTheme, type WebContents } from 'electron';
import { CHANNELS } from '../shared/channels.ts';
import { PRELOAD_FILE } from './built-files.ts';
import type { Indexing } from './indexing.ts';
import { createPageSession, PAGE_ORIGIN } from './page-session.ts';

/** Close to the page's own colours, so that a dark page does not flash white while it loads. */
const BACKGROUND = { light: '#ffffff', dark: '#1c1c1e' };

/** Opens the window. Resolves when its page has loaded. */
export async function openMainWindow(indexing: Indexing, openInspector: () => void): Promise<BrowserWindow> {
  const window = new BrowserWindow({
    title: 'Folder Index',
    width: 520,
    height: 420,
    minWidth: 400,
    minHeight: 400,
    // On Linux and Windows the menu bar takes extra height.
    useContentSize: true,
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    webPreferences: {
      session: createPageSession(),
      preload: PRELOAD_FILE,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      // The spelling checker would download its dictionaries.
      spellcheck: false,
    },
  });
  const { webContents } = window;
  stayOnPage(webContents);
  answerPage(webContents, {
    [CHANNELS.status]: () => indexing.status(),
    [CHANNELS.pause]: () => indexing.pause(),
    [CHANNELS.resume]: () => indexing.resume(),
    [CHANNELS.openInspector]: openInspector,
  });
  const stopListening = indexing.onStatus((status) => {
    if (!webContents.isDestroyed()) webContents.send(CHANNELS.statusChanged, status);
  });
  window.once('closed', () => {
    stopListening();
    // An open inspector does not keep the app alive.
    app.quit();
  });
  window.once('ready-to-show', () => window.show());
  await load(window);
  return window;
}

async function load(window: BrowserWindow): Promise<void> {
  let isClosing = false;
  window.once('close', () => {
    isClosing = true;
  });
  try {
    await window.loadURL(`${PAGE_ORIGIN}/index.html`);
  } catch (error) {
    // Closing the window aborts the load.
    if (!isClosing) throw error;
  }
}

/** The handlers belong to this window's contents, so no other window can call them. */
function answerPage(contents: WebContents, handlers: Readonly<Record<string, () => unknown>>): void {
  for (const [channel, handle] of Object.entries(handlers)) {
    contents.ipc.handle(channel, ({ senderFrame }) => {
      if (!senderFrame?.url.startsWith(`${PAGE_ORIGIN}/`))
        throw new Error('This page is not allowed to ask.');
      return handle();
    });
  }
}

function stayOnPage(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-frame-navigate', (event) => event.preventDefault());
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}
