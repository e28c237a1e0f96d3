/** Opens the inspector over a queue's file that somebody sent, for example with a bug report. */
import { basename } from 'node:path';
import { dialog } from 'electron';
import { openAdmin, openInspector } from 'leasehold/electron';

/** A person waits for the page. */
const TIME_LIMIT_MS = 5_000;

/** Lets the user choose the file. A process of its own reads it, since a file can be made to be read without end. */
export async function inspectFile(): Promise<void> {
  const { filePaths } = await dialog.showOpenDialog({
    title: 'Inspect a queue file',
    properties: ['openFile'],
  });
  const [path] = filePaths;
  if (path === undefined) return;
  const admin = openAdmin({ path, untrusted: true, timeLimitMs: TIME_LIMIT_MS });
  const inspector = openInspector({ admin, title: `Background jobs — ${basename(path)}` });
  inspector.once('closed', () => void admin.close());
}
