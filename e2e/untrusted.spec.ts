/** Files that somebody sent: a process of its own reads them, whatever is in them, and the app goes on. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtime } from '../scripts/launch/runtime.mjs';
import { chooseFromMenu, openMessage } from './support/app.ts';
import { indexRows, messages, messagesOf } from './support/files.ts';
import { expect, test } from './support/fixtures.ts';
import type { Launcher } from './support/launcher.ts';
import { kill } from './support/processes.ts';
import { type Craft, copyQueue } from './support/queue-files.ts';
import type { RunningApp } from './support/running-app.ts';
import { makeTree } from './support/tree.ts';

const FILES = 9;
/** The app's limit of 5 s and the start of two processes, on a busy machine. */
const WITHIN_LIMIT = { timeout: 30_000 };

async function launchPaused(launcher: Launcher): Promise<RunningApp> {
  const folder = launcher.temporaryFolder();
  makeTree(folder, FILES);
  const app = await launcher.launch({ folder, paused: true });
  await expect.poll(() => messages(app.data).length).toBe(FILES);
  return app;
}

/** Opens the inspector over a copy of the app's queue, as a user who chooses it in the system's dialog. */
async function inspectCopy(app: RunningApp, craft: Craft) {
  const { electron, data } = app;
  const path = join(data, 'sent.db');
  copyQueue(app, path, craft);
  await electron.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
  }, path);
  const opened = electron.waitForEvent('window');
  await chooseFromMenu(electron, 'Inspect a file…');
  return { path, inspector: await opened };
}

/** Waits until the process that reads the file is busy with it. */
async function waitUntilHung({ electron }: RunningApp): Promise<void> {
  const usage = () =>
    electron.evaluate(
      ({ app }) =>
        app.getAppMetrics().find(({ name }) => name === 'Leasehold admin')?.cpu.percentCPUUsage ?? 0,
    );
  await expect.poll(usage).toBeGreaterThan(20);
}

test('a good file is shown and can be operated on', async ({ launcher }) => {
  const app = await launchPaused(launcher);
  const { path, inspector } = await inspectCopy(app, null);
  await expect(inspector.getByRole('grid', { name: 'Groups' }).getByRole('row')).toHaveCount(1 + FILES);
  const side = await openMessage(inspector, 3);
  await side.getByRole('button', { name: 'Ack', exact: true }).click();
  await side.getByRole('button', { name: 'Ack and remove' }).click();
  await expect(side).toContainText('Message 3 is acked and removed.');
  expect(messagesOf(path).map(({ seq }) => seq)).toEqual([1, 2, 4, 5, 6, 7, 8, 9]);
  expect(messages(app.data)).toHaveLength(FILES);
});

test('with one query that never ends, the page shows everything else', async ({ launcher }) => {
  const { inspector } = await inspectCopy(await launchPaused(launcher), 'index');
  await expect(inspector.getByText('Counts not up to date')).toBeVisible(WITHIN_LIMIT);
  await expect(inspector.getByRole('grid', { name: 'Groups' }).getByRole('row')).toHaveCount(1 + FILES);
  await openMessage(inspector, 3);
});

test('a file whose schema never ends is refused on the page, and the app indexes its files meanwhile', async ({
  launcher,
}) => {
  const app = await launchPaused(launcher);
  const { path, inspector } = await inspectCopy(app, 'schema');
  await waitUntilHung(app);
  await chooseFromMenu(app.electron, 'Resume');
  await expect.poll(() => indexRows(app.data).length).toBe(FILES);
  await expect(inspector.getByText(`${path}: The file could not be opened within 5000 ms`)).toBeVisible(
    WITHIN_LIMIT,
  );
});

test('an app that quits, or is killed, while the process is inside SQLite takes it along', async ({
  launcher,
}) => {
  for (const isKilled of [false, true]) {
    const app = await launchPaused(launcher);
    await inspectCopy(app, 'schema');
    await waitUntilHung(app);
    const { pid } = app.electron.process();
    if (isKilled && pid !== undefined) kill(pid);
    // It fails the test if one of the app's processes remains.
    await app.close();
  }
});

test("the openAdmin of 'leasehold' refuses an untrusted file in Electron, also in a thread, and names the other one", ({
  launcher,
}) => {
  const { executablePath, args, env, root } = runtime();
  const library = JSON.stringify(join(root, 'dist/lib/core/index.js'));
  const code = `import(${library}).then(({ openAdmin }) => {
    try { openAdmin({ path: 'x.db', untrusted: true }); } catch (error) { console.log(error.code, error.message); }
  })`;
  const main = join(launcher.temporaryFolder(), 'main.mjs');
  writeFileSync(
    main,
    `import { app } from 'electron';
     import { Worker } from 'node:worker_threads';
     await ${code};
     new Worker(${JSON.stringify(code)}, { eval: true }).once('exit', () => app.quit());`,
  );
  const { stdout } = spawnSync(executablePath, [...args, main], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const refused = /^BAD_ARGUMENT .*import { openAdmin } from 'leasehold\/electron';$/gm;
  expect(stdout.match(refused)).toHaveLength(2);
});
