/** What the tests do with the running app, in a person's terms. */
import type { ElectronApplication, Page } from '@playwright/test';
import { expect, type Launcher, type LaunchOptions, type RunningApp } from '../launch.ts';

/** A window behind another one would stop painting, and Playwright waits for frames. */
const KEEP_PAINTING = '--disable-backgrounding-occluded-windows';

export function start(app: Launcher, options: LaunchOptions = {}): Promise<RunningApp> {
  return app.launch({ ...options, args: [KEEP_PAINTING, ...(options.args ?? [])] });
}

/** The queue is filled and nobody works on it. */
export function startPaused(app: Launcher, options: LaunchOptions = {}): Promise<RunningApp> {
  return start(app, { ...options, args: ['--paused', ...(options.args ?? [])] });
}

/** Chooses an item of the application menu, which no test can click at: it is drawn by the system. */
export function chooseFromMenu(electron: ElectronApplication, label: string): Promise<void> {
  return electron.evaluate(({ Menu }, wanted) => {
    const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((menu) => menu.submenu?.items ?? []);
    const item = items.find((candidate) => candidate.label.replace('&', '') === wanted);
    if (!item) throw new Error(`No menu has ${wanted}.`);
    item.click();
  }, label);
}

export async function openInspector({ electron }: RunningApp): Promise<Page> {
  const opened = electron.waitForEvent('window');
  await chooseFromMenu(electron, 'Background jobs…');
  const inspector = await opened;
  await expect(inspector.getByRole('grid')).toBeVisible();
  return inspector;
}

/** Opens a message at the side of the list; returns the side. */
export async function openMessage(inspector: Page, seq: number) {
  const page = inspector.getByRole('navigation', { name: 'Pages' });
  await page.getByRole('link', { name: /^Messages/ }).click();
  const grid = inspector.getByRole('grid', { name: 'Messages' });
  const cell = inspector.getByRole('gridcell', { name: String(seq), exact: true });
  await grid.getByRole('row').filter({ has: cell }).first().click();
  const side = inspector.getByRole('region', { name: `Message ${seq}` });
  await expect(side).toBeVisible();
  return side;
}

export async function setTheme(electron: ElectronApplication, theme: 'light' | 'dark'): Promise<void> {
  await electron.evaluate(({ nativeTheme }, source) => {
    nativeTheme.themeSource = source;
  }, theme);
}

export async function resize(electron: ElectronApplication, title: RegExp, width: number, height: number) {
  await electron.evaluate(
    ({ BrowserWindow }, [pattern, w, h]) => {
      const window = BrowserWindow.getAllWindows().find((one) => new RegExp(pattern).test(one.getTitle()));
      window?.setContentSize(w, h);
    },
    [title.source, width, height] as const,
  );
}
