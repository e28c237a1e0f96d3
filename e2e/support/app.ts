/** What a user does with the running app. */
import { type ElectronApplication, expect, type Page } from '@playwright/test';
import type { RunningApp } from './running-app.ts';

/** Clicks an item of the application menu. The system draws it, so Playwright cannot. */
export function chooseFromMenu(electron: ElectronApplication, label: string): Promise<void> {
  return electron.evaluate(({ Menu }, wanted) => {
    const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((menu) => menu.submenu?.items ?? []);
    const item = items.find((candidate) => candidate.label.replace('&', '') === wanted);
    if (!item) throw new Error(`The menu has no item ${wanted}.`);
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

/** Closes all windows but the main one. Resolves when they are gone. */
export async function closeOtherWindows({ electron }: RunningApp): Promise<void> {
  await electron.evaluate(async ({ BrowserWindow }) => {
    // Ids increase, so the main window has the lowest.
    const [, ...others] = BrowserWindow.getAllWindows().sort((a, b) => a.id - b.id);
    const closed = others.map((window) => new Promise<void>((resolve) => window.once('closed', resolve)));
    for (const window of others) window.close();
    await Promise.all(closed);
  });
  await expect.poll(() => electron.windows().length).toBe(1);
}

/** Opens a message beside the list. Returns its region. */
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

/** Resizes the window whose title starts with `title`. */
export async function resize(electron: ElectronApplication, title: string, width: number, height: number) {
  await electron.evaluate(
    ({ BrowserWindow }, [start, w, h]) => {
      const window = BrowserWindow.getAllWindows().find((one) => one.getTitle().startsWith(start));
      window?.setContentSize(w, h);
    },
    [title, width, height] as const,
  );
}
