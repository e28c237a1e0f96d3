import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { openAdmin, runWorker, SqliteTransport } from '../../index.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { rows } from './support/file-check.ts';
import { hashOf } from './support/hash.ts';
import { openAsync } from './support/subjects.ts';
import { drain } from './support/sync-queue.ts';
import { TempFolder } from './support/temp-folder.ts';

const POSIX = { skip: process.platform === 'win32' && 'Windows does not let an open file be moved' };

interface Bench {
  readonly folder: TempFolder;
  readonly file: string;
  readonly clock: FakeClock;
  readonly queue: SqliteTransport;
  /** Every `closed` event of the queue. */
  readonly closed: (Error | null)[];
}

/** An open queue with some published messages, in a folder of its own within the test's. */
async function withQueue(body: (bench: Bench) => unknown): Promise<void> {
  using folder = new TempFolder();
  mkdirSync(folder.file('data'));
  const file = folder.file('data/queue.db');
  const clock = new FakeClock();
  const queue = new SqliteTransport({ path: file, durability: 'normal', clock });
  const closed: (Error | null)[] = [];
  queue.on('closed', ({ error }) => closed.push(error));
  queue.publishMany(
    Array.from({ length: 300 }, (_, n) => ({ groupId: `g${n % 7}`, event: 'x'.repeat(400) })),
  );
  try {
    await body({ folder, file, clock, queue, closed });
  } finally {
    queue.close();
  }
}

/** Another queue's closed file, with one message. */
function otherQueue(path: string): void {
  const queue = new SqliteTransport({ path, durability: 'normal' });
  queue.publish('other', 'of the other file');
  queue.close();
}

/** An app's connection, which the end of its scope closes. */
function connection(path: string): Database.Database & Disposable {
  const db = new Database(path);
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() });
}

/** Copies every page from the log into the file. */
function checkpoint(file: string): void {
  const db = new Database(file);
  // A connection finds the log when it reads.
  db.pragma('schema_version');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

const HARM: Record<string, (bench: Bench) => void> = {
  'was deleted': ({ file }) => rmSync(file),
  'was deleted with its folder': ({ folder }) => rmSync(folder.file('data'), { recursive: true }),
  'was moved away': ({ file, folder }) => renameSync(file, folder.file('moved.db')),
  'was replaced by a rename': ({ file, folder }) => {
    otherQueue(folder.file('other.db'));
    renameSync(folder.file('other.db'), file);
  },
  'was truncated to nothing': ({ file }) => truncateSync(file, 0),
  'was truncated to half': ({ file }) => {
    checkpoint(file);
    truncateSync(file, Math.floor(statSync(file).size / 4096) * 2048);
  },
  'lost its log': ({ file }) => rmSync(`${file}-wal`),
  "lost its log's index": ({ file }) => rmSync(`${file}-shm`),
};

describe('a file that changes under an open transport', POSIX, () => {
  for (const [what, harm] of Object.entries(HARM))
    it(`when the file ${what}, the next commit after a second raises FILE_REPLACED, and the transport closes itself`, () =>
      withQueue(({ queue, clock, closed, ...rest }) => {
        // The size before is known from a look at the file.
        checkpoint(rest.file);
        clock.advance(1_001);
        queue.publish('g', 1);
        harm({ queue, clock, closed, ...rest });
        clock.advance(1_001);
        assert.throws(() => queue.publish('g', 2), {
          code: 'FILE_REPLACED',
          message: /open a new transport/,
        });
        assert.deepEqual(
          closed.map((error) => (error as Error & { code: string }).code),
          ['FILE_REPLACED'],
        );
        assert.throws(() => queue.publish('g', 3), { code: 'CLOSED', message: /while it was open/ });
        assert.throws(() => queue.deadLetters(), { code: 'CLOSED' });
      }));

  it('a call that only reads notices it too', () =>
    withQueue(({ queue, clock, file }) => {
      clock.advance(1_001);
      rmSync(file);
      assert.throws(() => queue.dataVersion(), { code: 'FILE_REPLACED' });
    }));

  for (const how of ['the next commit', 'close'])
    it(`after a rename, ${how} lays no page of the old log over the new file, and keeps what the old file had`, () =>
      withQueue(({ queue, clock, file, folder }) => {
        otherQueue(folder.file('other.db'));
        const other = hashOf(folder.file('other.db'));
        renameSync(file, folder.file('old.db'));
        renameSync(folder.file('other.db'), file);
        clock.advance(1_001);
        if (how === 'close') queue.close();
        else assert.throws(() => queue.publish('g', 'late'), { code: 'FILE_REPLACED' });
        assert.equal(hashOf(file), other);
        const reopened = new SqliteTransport({ path: file, durability: 'normal' });
        assert.deepEqual(drain(reopened), ['of the other file']);
        reopened.close();
        assert.deepEqual(rows(folder.file('old.db'), 'SELECT COUNT(*) AS n FROM harel_transport_messages'), [
          { n: 300 },
        ]);
      }));

  for (const how of ['replaced', 'deleted'])
    it(`a file that was ${how} can be opened once the transport on the former file is closed, and not before`, () =>
      withQueue(({ queue, file, folder }) => {
        otherQueue(folder.file('other.db'));
        rmSync(file);
        if (how === 'replaced') renameSync(folder.file('other.db'), file);
        const before = how === 'replaced' ? hashOf(file) : '';
        const open = () => new SqliteTransport({ path: file, durability: 'normal' });
        for (let n = 0; n < 2; n++) assert.throws(open, { code: 'FILE_REPLACED', message: /former file/ });
        if (how === 'replaced') assert.equal(hashOf(file), before);
        queue.close();
        const reopened = open();
        assert.deepEqual(drain(reopened), how === 'replaced' ? ['of the other file'] : []);
        reopened.close();
      }));

  it("with the app's connection the transport closes, and the connection stays the app's", async () => {
    using folder = new TempFolder();
    const clock = new FakeClock();
    using database = connection(folder.file());
    const queue = new SqliteTransport({ database, clock });
    queue.publish('g', 1);
    rmSync(folder.file());
    clock.advance(1_001);
    assert.throws(() => queue.publish('g', 2), { code: 'FILE_REPLACED' });
    assert.equal(database.open, true);
    assert.throws(() => new SqliteTransport({ database, clock }), { code: 'FILE_REPLACED' });
  });

  it('a connection whose file was replaced before the transport was opened on it is refused', () => {
    using folder = new TempFolder();
    using database = connection(folder.file());
    database.exec('CREATE TABLE mine (id)');
    otherQueue(folder.file('other.db'));
    renameSync(folder.file('other.db'), folder.file());
    assert.throws(() => new SqliteTransport({ database }), { code: 'FILE_REPLACED' });
  });
});

describe('a file that is still itself', () => {
  it('VACUUM and the checkpoint after it shorten the file without an error', () =>
    withQueue(({ queue, clock, file }) => {
      checkpoint(file);
      clock.advance(1_001);
      queue.publish('g', 1);
      const before = statSync(file).size;
      drain(queue);
      const db = new Database(file);
      db.exec('VACUUM');
      clock.advance(1_001);
      queue.publish('g', 2);
      db.pragma('wal_checkpoint(TRUNCATE)');
      assert.ok(statSync(file).size < before / 2);
      for (let n = 0; n < 3; n++) {
        clock.advance(1_001);
        queue.publish('g', n);
      }
      db.close();
      assert.deepEqual(drain(queue), [2, 0, 1, 2]);
    }));

  it('incremental vacuum, also when it is switched on later, shortens the file without an error', () => {
    using folder = new TempFolder();
    const clock = new FakeClock();
    const queue = new SqliteTransport({ path: folder.file(), durability: 'normal', clock });
    using db = connection(folder.file());
    db.pragma('auto_vacuum = INCREMENTAL');
    db.exec('VACUUM');
    queue.publishMany(Array.from({ length: 300 }, () => ({ groupId: 'g', event: 'x'.repeat(400) })));
    checkpoint(folder.file());
    clock.advance(1_001);
    drain(queue);
    const before = statSync(folder.file()).size;
    db.exec('PRAGMA incremental_vacuum');
    db.pragma('wal_checkpoint(TRUNCATE)');
    assert.ok(statSync(folder.file()).size < before);
    clock.advance(1_001);
    queue.publish('g', 1);
    queue.close();
  });

  it(
    'a symbolic link is followed: to the same file it is the file, and to another one it was replaced',
    POSIX,
    () =>
      withQueue(({ file, folder, clock }) => {
        const link = folder.file('link.db');
        symlinkSync(file, link);
        const queue = new SqliteTransport({ path: link, durability: 'normal', clock });
        queue.publish('g', 1);
        rmSync(link);
        symlinkSync('data/queue.db', link);
        clock.advance(1_001);
        queue.publish('g', 2);
        otherQueue(folder.file('other.db'));
        rmSync(link);
        symlinkSync('other.db', link);
        clock.advance(1_001);
        assert.throws(() => queue.publish('g', 3), { code: 'FILE_REPLACED' });
      }),
  );

  it('a hard link that comes and goes, as a backup makes it, is no reason', POSIX, () =>
    withQueue(({ queue, file, folder, clock }) => {
      linkSync(file, folder.file('snapshot.db'));
      clock.advance(1_001);
      queue.publish('g', 1);
      rmSync(folder.file('snapshot.db'));
      clock.advance(1_001);
      queue.publish('g', 2);
    }),
  );

  it('a relative path is still the same file after a change of the working directory', () => {
    using folder = new TempFolder();
    const before = process.cwd();
    const clock = new FakeClock();
    process.chdir(folder.path);
    const queue = new SqliteTransport({ path: 'queue.db', durability: 'normal', clock });
    try {
      process.chdir(before);
      clock.advance(1_001);
      queue.publish('g', 1);
    } finally {
      queue.close();
    }
    assert.ok(existsSync(folder.file()));
  });
});

describe('a file that changes under an asynchronous transport, an admin or a worker', POSIX, () => {
  it('the calls of an asynchronous transport reject with FILE_REPLACED, also those in one batch, and `closed` has the error', async () => {
    using folder = new TempFolder();
    const clock = new FakeClock();
    const queue = await openAsync({ path: folder.file(), durability: 'normal' }, clock);
    await queue.publish('g', 1);
    const closed = new Promise<Error | null>((resolve) => queue.on('closed', ({ error }) => resolve(error)));
    rmSync(folder.file());
    clock.advance(1_001);
    const codes = (await Promise.allSettled([1, 2, 3].map((n) => queue.publish('g', n)))).map(
      (result) => result.status === 'rejected' && result.reason.code,
    );
    assert.deepEqual(codes, ['FILE_REPLACED', 'FILE_REPLACED', 'FILE_REPLACED']);
    assert.equal(((await closed) as Error & { code: string }).code, 'FILE_REPLACED');
    await assert.rejects(queue.publish('g', 4), { code: 'FILE_REPLACED' });
    await queue.close();
  });

  it('the calls of an admin reject with FILE_REPLACED', async () => {
    using folder = new TempFolder();
    otherQueue(folder.file());
    const admin = openAdmin({ path: folder.file() });
    await admin.overview();
    rmSync(folder.file());
    // The admin has the system's clock.
    await assert.rejects(
      async () => {
        for (;;) await admin.messages();
      },
      { code: 'FILE_REPLACED' },
    );
    await assert.rejects(admin.overview(), { code: 'FILE_REPLACED' });
    await admin.close();
  });

  it('a worker stops with the error', () =>
    withQueue(({ queue, file, clock }) => {
      const worker = runWorker(queue, () => undefined, { clock });
      const errors: { error: unknown; retryAt: number | null }[] = [];
      worker.on('transport-error', (detail) => errors.push(detail));
      rmSync(file);
      clock.advance(1_001);
      assert.throws(() => queue.publish('g', 1));
      assert.deepEqual(
        errors.map(({ error, retryAt }) => [(error as Error & { code: string }).code, retryAt]),
        [['FILE_REPLACED', null]],
      );
      assert.equal(worker.state, 'stopped');
    }));
});

describe('a file with a second name', () => {
  it('is told by a warning at its opening', async () => {
    using folder = new TempFolder();
    const file = folder.file();
    new SqliteTransport({ path: file }).close();
    linkSync(file, folder.file('other.db'));
    const warned = once(process, 'warning');
    new SqliteTransport({ path: folder.file('other.db') }).close();
    const [warning] = (await warned) as [Error & { code?: string }];
    assert.equal(warning.code, 'LEASEHOLD_SECOND_NAME');
    assert.match(warning.message, /other\.db has 2 names/);
  });
});
