/** The inspector after the queue's file was replaced or deleted while it was open. */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expectAccessible } from './support/accessibility.ts';
import { openInspector, openMessage } from './support/app.ts';
import { firstSeq, messages } from './support/files.ts';
import { expect, test } from './support/fixtures.ts';
import { makeTree } from './support/tree.ts';

const out = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(out, { recursive: true });

test('the inspector says that its file was replaced, offers no useless try, and shows the new file after a restart', async ({
  launcher,
}) => {
  launcher.expectErrors(/LeaseholdError: .* was replaced by another file/);
  const folder = launcher.temporaryFolder();
  makeTree(folder, 20);
  const app = await launcher.launch({ folder, paused: true });
  const { data, electron } = app;
  await electron.evaluate(({ dialog }) => {
    dialog.showMessageBox = (...args: unknown[]) => {
      console.log('Dialog:', JSON.stringify(args));
      return new Promise(() => undefined);
    };
  });
  await expect.poll(() => messages(data).length).toBe(20);
  const inspector = await openInspector(app);
  const side = await openMessage(inspector, firstSeq(data));

  const file = join(data, 'queue.db');
  const db = new DatabaseSync(file);
  db.exec(`VACUUM INTO '${file}.backup'`);
  db.close();
  for (const end of ['', '-wal', '-shm']) renameSync(`${file}${end}`, `${file}.old${end}`);
  renameSync(`${file}.backup`, file);
  await expect
    .poll(() => app.output().match(/^Dialog: .*cannot continue.* was replaced by another file/gm)?.length)
    .toBe(1);
  const status = inspector.getByRole('alert').filter({ hasText: 'Not up to date' });
  await expect(status).toContainText('The queue’s file was deleted or replaced');
  await expect(side.getByRole('alert')).toContainText('Start the app again');
  await expect(inspector.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await expect(inspector.getByRole('grid')).toBeVisible();
  await expectAccessible(inspector);
  await inspector.screenshot({ path: `${out}inspector-replaced-file.png` });

  await inspector.reload();
  const problem = inspector.getByRole('alert').filter({ hasText: 'Could not read the messages' });
  await expect(problem).toContainText('Start the app again');
  await inspector.screenshot({ path: `${out}inspector-replaced-file-reloaded.png` });

  await app.close();
  const again = await launcher.launch({ folder, data, paused: true });
  const rows = (await openInspector(again)).getByRole('grid').getByRole('row');
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
});
