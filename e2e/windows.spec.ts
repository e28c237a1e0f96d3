/** Windows that close, crash or open again. */
import { chooseFromMenu, closeOtherWindows, openInspector } from './support/app.ts';
import { expect, shareApp, test } from './support/fixtures.ts';

const INSPECTOR = 'Background jobs';

test.describe('with one app', () => {
  const app = shareApp((launcher) => launcher.launch({ paused: true }));

  test.afterEach(() => closeOtherWindows(app()));

  test('an inspector that is closed while it loads leaves no error and can be opened again', async () => {
    const { electron } = app();
    await electron.evaluate(async ({ app: electronApp, Menu }, title) => {
      const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((menu) => menu.submenu?.items ?? []);
      const moments = ['did-start-loading', 'did-start-navigation', 'dom-ready', 'did-finish-load'] as const;
      for (const moment of moments) {
        const closed = new Promise<void>((resolve) => {
          electronApp.once('browser-window-created', (_event, inspector) => {
            inspector.once('closed', () => resolve());
            inspector.webContents.once(moment as 'dom-ready', () => inspector.close());
          });
        });
        items.find(({ label }) => label.includes(title))?.click();
        await closed;
      }
    }, INSPECTOR);
    await chooseFromMenu(electron, 'Background jobs…');
    // Playwright may still announce the closed windows, so any of its pages may be the open one.
    const countGrids = async () => {
      const counts = electron.windows().map((page) =>
        page
          .getByRole('grid')
          .count()
          .catch(() => 0),
      );
      return Math.max(...(await Promise.all(counts)));
    };
    await expect.poll(countGrids).toBe(1);
  });

  test('opening the inspector again keeps the same window', async () => {
    const { electron } = app();
    await openInspector(app());
    const windowIds = () =>
      electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map(({ id }) => id));
    const before = await windowIds();
    expect(before).toHaveLength(2);
    await chooseFromMenu(electron, 'Background jobs…');
    expect(await windowIds()).toEqual(before);
  });
});

test('an inspector whose page has crashed works again after it is opened again', async ({ launcher }) => {
  launcher.expectErrors(/the page crashed/);
  const app = await launcher.launch({ paused: true });
  const { electron } = app;
  await openInspector(app);
  const isCrashed = () =>
    electron.evaluate(
      ({ BrowserWindow }, title) =>
        BrowserWindow.getAllWindows()
          .find((window) => window.getTitle().startsWith(title))
          ?.webContents.isCrashed(),
      INSPECTOR,
    );
  await electron.evaluate(({ BrowserWindow }, title) => {
    BrowserWindow.getAllWindows()
      .find((window) => window.getTitle().startsWith(title))
      ?.webContents.forcefullyCrashRenderer();
  }, INSPECTOR);
  await expect.poll(isCrashed).toBe(true);
  await chooseFromMenu(electron, 'Background jobs…');
  await expect.poll(isCrashed).toBe(false);
});
