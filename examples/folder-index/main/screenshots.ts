/** A run without a person: saves screenshots of both windows, light and dark, with a busy queue and with an empty one. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserWindow, nativeTheme } from 'electron';
import type { Indexing } from './indexing.ts';

/** The share of files that is indexed before the first screenshots: some groups are empty by then, most are not. */
const BUSY_SHARE = 0.3;
/** Longer than a change needs to reach the inspector's page: the admin polls every 250 ms. */
const SETTLED_AFTER_MS = 750;
const SETTLE_TIMEOUT_MS = 3_000;

export interface Screenshots {
  readonly indexing: Indexing;
  readonly window: BrowserWindow;
  readonly openInspector: () => BrowserWindow;
  /** Where the files go. */
  readonly folder: string;
}

/** Resolves when the queue is empty and the last screenshot is saved. Prints the path of each. */
export async function takeScreenshots({ indexing, window, openInspector, folder }: Screenshots) {
  await mkdir(folder, { recursive: true });
  const walked = await indexing.firstStatus(({ phase }) => phase !== 'walking');
  const busy = walked.found * BUSY_SHARE;
  // With --paused the queue does not move until the first screenshots are saved.
  await indexing.firstStatus(
    ({ phase, indexed }) => phase === 'done' || phase === 'paused' || indexed >= busy,
  );
  // Paused, both windows and both themes show the same state.
  indexing.pause();
  const inspector = openInspector();
  await loaded(inspector);
  const windows = { 'folder-index': window, inspector };
  await saveAll(folder, windows, '');
  indexing.resume();
  await indexing.firstStatus(({ phase }) => phase === 'done');
  await saveAll(folder, windows, '-done');
}

async function saveAll(folder: string, windows: Record<string, BrowserWindow>, suffix: string) {
  for (const theme of ['light', 'dark'] as const) {
    nativeTheme.themeSource = theme;
    for (const [name, window] of Object.entries(windows)) {
      const path = join(folder, `${name}-${theme}${suffix}.png`);
      await settled(window);
      await writeFile(path, (await window.webContents.capturePage()).toPNG());
      console.log(path);
    }
  }
  nativeTheme.themeSource = 'system';
}

function loaded({ webContents }: BrowserWindow): Promise<void> {
  if (!webContents.isLoading()) return Promise.resolve();
  return new Promise((resolve) => webContents.once('did-finish-load', () => resolve()));
}

/** Resolves when the page is not busy, has not changed for a moment, and has painted. A page that never rests is taken as is. */
async function settled(window: BrowserWindow): Promise<void> {
  await window.webContents.executeJavaScript(`new Promise((resolve) => {
    const done = () => {
      observer.disconnect();
      clearTimeout(timeout);
      requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    };
    let rest;
    const observer = new MutationObserver(() => {
      clearTimeout(rest);
      if (!document.querySelector('[aria-busy="true"]')) rest = setTimeout(done, ${SETTLED_AFTER_MS});
    });
    const timeout = setTimeout(done, ${SETTLE_TIMEOUT_MS});
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    document.documentElement.toggleAttribute('data-settling');
  })`);
}
