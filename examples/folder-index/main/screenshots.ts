/** A run without a person: pictures of both windows, light and dark, while the queue is busy and when it has drained. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserWindow, nativeTheme } from 'electron';
import type { Indexing } from './indexing.ts';

/** How much is indexed before the first pictures: some groups are done, and most are still to see. */
const BUSY_SHARE = 0.3;
const PAINTED_WITHIN_MS = 2_000;

export interface Unattended {
  readonly indexing: Indexing;
  readonly window: BrowserWindow;
  readonly openInspector: () => BrowserWindow;
  readonly folder: string;
}

/** Done when the queue has drained and the last picture is written. Prints the path of each. */
export async function runUnattended({ indexing, window, openInspector, folder }: Unattended): Promise<void> {
  await mkdir(folder, { recursive: true });
  const walked = await indexing.reaches(({ phase }) => phase !== 'walking');
  const busy = walked.found * BUSY_SHARE;
  // Paused by a flag or a person: then it stands still already, and goes on after the pictures.
  await indexing.reaches(({ phase, indexed }) => phase === 'done' || phase === 'paused' || indexed >= busy);
  // A person would look at a queue that stands still.
  indexing.pause();
  const inspector = openInspector();
  await loaded(inspector);
  const windows = { 'folder-index': window, inspector };
  await pictures(folder, windows, '');
  indexing.resume();
  await indexing.reaches(({ phase }) => phase === 'done');
  await pictures(folder, windows, '-done');
}

async function pictures(
  folder: string,
  windows: Record<string, BrowserWindow>,
  suffix: string,
): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    nativeTheme.themeSource = theme;
    for (const [name, window] of Object.entries(windows)) {
      const path = join(folder, `${name}-${theme}${suffix}.png`);
      await painted(window);
      await writeFile(path, (await window.webContents.capturePage()).toPNG());
      console.log(path);
    }
  }
  nativeTheme.themeSource = 'system';
}

function loaded(window: BrowserWindow): Promise<void> {
  const { webContents } = window;
  if (!webContents.isLoading()) return Promise.resolve();
  return new Promise((resolve) => webContents.once('did-finish-load', () => resolve()));
}

/** Nothing on the page says that it is still loading, and a frame was drawn since. */
async function painted(window: BrowserWindow): Promise<void> {
  await window.webContents.executeJavaScript(`new Promise((resolve) => {
    const until = performance.now() + ${PAINTED_WITHIN_MS};
    const look = () => {
      const busy = document.querySelector('[aria-busy="true"]') && performance.now() < until;
      requestAnimationFrame(busy ? look : () => requestAnimationFrame(resolve));
    };
    // Messages with the latest content may be on their way.
    setTimeout(look, 500);
  })`);
}
