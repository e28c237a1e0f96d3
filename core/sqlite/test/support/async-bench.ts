/** What the tests of AsyncSqliteTransport share. */
import { AsyncSqliteTransport, type AsyncSqliteTransportOptions } from '../../../index.ts';
import { inTempFolder, type TempFolder } from './temp-folder.ts';

export interface AsyncBench {
  readonly folder: TempFolder;
  /** The file that `open` opens unless the options say otherwise. */
  readonly file: string;
  /** The transport is closed after the test. */
  open(options?: Partial<AsyncSqliteTransportOptions>): AsyncSqliteTransport;
}

/** A test's body with a folder of its own. */
export function withAsync(body: (bench: AsyncBench) => Promise<void>): () => Promise<void> {
  return () =>
    inTempFolder(async (folder) => {
      const opened: AsyncSqliteTransport[] = [];
      const open: AsyncBench['open'] = (options) => {
        const queue = new AsyncSqliteTransport({ path: folder.file(), durability: 'normal', ...options });
        opened.push(queue);
        return queue;
      };
      try {
        await body({ folder, file: folder.file(), open });
      } finally {
        await Promise.all(opened.map((queue) => queue.close()));
      }
    });
}

/** How each of the promises settled: its error's code, or 'done'. */
export async function outcomesOf(promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((each) => (each.status === 'rejected' ? each.reason.code : 'done'));
}
