/** The Folder Index window and its channels. */
import { join } from 'node:path';
import type { BrowserWindow } from 'electron';
import { distFolder } from '../../../electron/main/dist-folder.ts';
import { handleIpc } from '../../../electron/main/ipc-handlers.ts';
import { originOf } from '../../../electron/main/page-session.ts';
import { createPageWindow, loadPage, type PageWindowOptions } from '../../../electron/main/page-window.ts';
import { CHANNELS } from './channels.ts';
import type { Indexing } from './indexing.ts';

/** Opens the window; resolves when its page has loaded. */
export async function openMainWindow(indexing: Indexing, openInspector: () => void): Promise<BrowserWindow> {
  const dist = distFolder();
  const place: PageWindowOptions = {
    source: { partition: 'folder-index', host: 'folder-index.invalid', folder: join(dist, 'renderer') },
    page: 'folder-index/index.html',
    preload: join(dist, 'preload', 'folder-index.cjs'),
    window: {
      title: 'Folder Index',
      width: 520,
      height: 420,
      minWidth: 400,
      minHeight: 400,
      // The menu bar of Linux and Windows comes on top of that.
      useContentSize: true,
    },
  };
  const window = createPageWindow(place);
  const detach = handleIpc(window.webContents, originOf(place.source), {
    [CHANNELS.status]: () => indexing.status(),
    [CHANNELS.pause]: () => indexing.pause(),
    [CHANNELS.resume]: () => indexing.resume(),
    [CHANNELS.openInspector]: openInspector,
  });
  const stopTelling = indexing.onStatus((status) => {
    if (!window.isDestroyed()) window.webContents.send(CHANNELS.changed, status);
  });
  window.once('closed', () => {
    stopTelling();
    detach();
  });
  await loadPage(window, place);
  return window;
}
