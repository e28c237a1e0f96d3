import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { AsyncSqliteTransport, runWorker, SqliteTransport, type Transport } from '../../index.ts';
import { runAll } from './support/program.ts';
import { inTempFolder } from './support/temp-folder.ts';

const KINDS = { SqliteTransport, AsyncSqliteTransport };
const changeOf = (queue: Transport): Promise<unknown> =>
  new Promise((resolve) => queue.on('changed', resolve));

for (const [publisherName, Publisher] of Object.entries(KINDS))
  for (const [workerName, Worked] of Object.entries(KINDS))
    describe(`a worker over ${workerName} beside ${publisherName} on one file in one process`, () => {
      it('starts at once what the other transport publishes, without polling', () =>
        inTempFolder(async (folder) => {
          const path = folder.file();
          const publisher: Transport = new Publisher({ path, durability: 'normal' });
          const queue: Transport = new Worked({ path, durability: 'normal' });
          await queue.dataVersion();
          const events: unknown[] = [];
          let onLast: () => void = () => {};
          const last = new Promise<void>((resolve) => {
            onLast = resolve;
          });
          const worker = runWorker(
            queue,
            ({ event }) => {
              events.push(event);
              if (event === 3) onLast();
            },
            { pollMs: 0 },
          );
          await worker.idle();
          for (const event of [1, 2, 3]) await publisher.publish('g', event);
          await last;
          assert.deepEqual(events, [1, 2, 3]);
          await worker.stop();
          await queue.close();
          await publisher.close();
        }));
    });

describe('the event changed', () => {
  it('is emitted for a settle of another transport, and not for a claim or for a call of its own', () =>
    inTempFolder(async (folder) => {
      const mine = new SqliteTransport({ path: folder.file(), durability: 'normal' });
      const other = new SqliteTransport({ path: folder.file(), durability: 'normal' });
      mine.publish('g', 1);
      let changes = 0;
      mine.on('changed', () => changes++);
      const lease = other.claim('w', 60_000);
      assert.ok(lease);
      mine.publish('g', 2);
      const change = changeOf(mine);
      other.ack(lease);
      await change;
      assert.equal(changes, 1);
      mine.close();
      other.close();
    }));

  it("comes after the end of the caller's transaction", () =>
    inTempFolder(async (folder) => {
      const app = new Database(folder.file());
      const queue = new SqliteTransport({ database: app, durability: 'normal' });
      const other = new SqliteTransport({ path: folder.file(), durability: 'normal' });
      const seen = changeOf(other).then(() => other.claim('w', 1000)?.event);
      app.transaction(() => queue.publish('g', 1))();
      assert.equal(await seen, 1);
      queue.close();
      other.close();
      app.close();
    }));

  it('is not emitted for another queue in the same file', () =>
    inTempFolder(async (folder) => {
      const path = folder.file();
      const mine = new SqliteTransport({ path, durability: 'normal' });
      const elsewhere = new SqliteTransport({ path, durability: 'normal', tablePrefix: 'elsewhere' });
      const other = new SqliteTransport({ path, durability: 'normal' });
      let changes = 0;
      mine.on('changed', () => changes++);
      elsewhere.publish('g', 1);
      elsewhere.close();
      const change = changeOf(mine);
      other.publish('g', 1);
      await change;
      assert.equal(changes, 1);
      mine.close();
      other.close();
    }));

  it('does not keep a process alive that listens to it', () =>
    inTempFolder(async (folder) => {
      await runAll([['listens-to-changes', { path: folder.file() }]]);
    }));
});
