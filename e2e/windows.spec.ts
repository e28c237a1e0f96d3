/** What becomes of windows that close or crash at awkward moments. */
import { expect, test } from './launch.ts';
import { chooseFromMenu, openInspector, startPaused } from './support/app.ts';

const INSPECTOR = 'Background jobs';

test('an inspector that is closed while it loads leaves no error, and can be opened again', async ({
  app,
}) => {
  const running = await startPaused(app);
  await running.electron.evaluate(async ({ BrowserWindow, Menu }, title) => {
    const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((menu) => menu.submenu?.items ?? []);
    for (const loadsFor of [0, 20, 100]) {
      items.find(({ label }) => label.includes(title))?.click();
      await new Promise((resolve) => setTimeout(resolve, loadsFor));
      const inspector = BrowserWindow.getAllWindows().find((window) => window.getTitle().startsWith(title));
      const closed = new Promise((resolve) => inspector?.once('closed', () => resolve(null)));
      inspector?.close();
      await closed;
    }
  }, INSPECTOR);
  await chooseFromMenu(running.electron, 'Background jobs…');
  // Playwright may yet announce the windows that are gone: whichever shows the list is the one.
  const showsTheList = async () => {
    const counts = running.electron.windows().map((page) =>
      page
        .getByRole('grid')
        .count()
        .catch(() => 0),
    );
    return Math.max(...(await Promise.all(counts)));
  };
  await expect.poll(showsTheList).toBe(1);
});

test('an inspector whose page has crashed works again when it is opened again', async ({ app }) => {
  app.expectErrors(/the page crashed/);
  const running = await startPaused(app);
  await openInspector(running);
  const isCrashed = () =>
    running.electron.evaluate(
      ({ BrowserWindow }, title) =>
        BrowserWindow.getAllWindows()
          .find((window) => window.getTitle().startsWith(title))
          ?.webContents.isCrashed(),
      INSPECTOR,
    );
  await running.electron.evaluate(({ BrowserWindow }, title) => {
    BrowserWindow.getAllWindows()
      .find((window) => window.getTitle().startsWith(title))
      ?.webContents.forcefullyCrashRenderer();
  }, INSPECTOR);
  await expect.poll(isCrashed).toBe(true);
  await chooseFromMenu(running.electron, 'Background jobs…');
  await expect.poll(isCrashed).toBe(false);
});
