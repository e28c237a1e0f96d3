import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { AsyncSqliteTransport, type ErrorCode, openAdmin } from '../../index.ts';
import { toLeaseholdError } from '../file/sqlite-errors.ts';
import { fromStartError } from '../file/system-errors.ts';
import { execute } from './support/file-check.ts';
import { runAll } from './support/program.ts';
import { raises } from './support/raises.ts';
import type { Refusal } from './support/refused.ts';
import type { Answer, Trouble } from './support/short-of.ts';
import { claim, withFile } from './support/sync-queue.ts';

const POSIX = { skip: process.platform === 'win32' };

describe('a path that the system refuses', POSIX, () => {
  it('a name that is too long, a circle of links and a path through a file raise CANNOT_OPEN with the reason', () =>
    withFile(({ open, file, folder }) => {
      open().close();
      symlinkSync('b', folder.file('a'));
      symlinkSync('a', folder.file('b'));
      const reasons: [path: string, reason: RegExp][] = [
        [folder.file(`${'x'.repeat(300)}.db`), /too long/],
        [join(folder.path, 'x/'.repeat(3000), 'q.db'), /too long/],
        [folder.file('a'), /circle/],
        [join(folder.file('a'), 'q.db'), /circle/],
        [join(file, 'q.db'), /not a folder|does not exist/],
      ];
      for (const [path, reason] of reasons)
        for (const readonly of [false, true])
          assert.throws(() => open({ path, readonly }), { code: 'CANNOT_OPEN', message: reason }, path);
      // Its own name is short enough, and that of its journal is not.
      const path = folder.file('x'.repeat(250));
      assert.throws(() => open({ path }), { code: 'CANNOT_OPEN', message: /too long/ });
      mkdirSync(folder.file('folder'));
      raises(() => open({ path: folder.file('folder') }), 'NOT_A_QUEUE', folder.file('folder'));
    }));

  it('a relative path in a working directory that was deleted raises CANNOT_OPEN with the remedy', () =>
    withFile(({ open, file, folder }) => {
      const before = process.cwd();
      mkdirSync(folder.file('gone'));
      process.chdir(folder.file('gone'));
      try {
        rmdirSync(folder.file('gone'));
        const refused = { code: 'CANNOT_OPEN', message: /absolute path/ };
        assert.throws(() => open({ path: 'queue.db' }), refused);
        assert.throws(() => new AsyncSqliteTransport({ path: 'queue.db' }), refused);
        assert.throws(() => openAdmin({ path: 'queue.db' }), refused);
        open({ path: file }).publish('g', 1);
      } finally {
        process.chdir(before);
      }
    }));

  it('a folder above the file without permission raises CANNOT_OPEN with the remedy', () =>
    withFile(async ({ folder }) => {
      mkdirSync(folder.file('closed/inner'), { recursive: true });
      chmodSync(folder.path, 0o755);
      chmodSync(folder.file('closed'), 0o000);
      const [refusal] = await runAll<Refusal>([['refused', { file: folder.file('closed/inner/q.db') }]]);
      chmodSync(folder.file('closed'), 0o755);
      assert.equal(refusal?.code, 'CANNOT_OPEN', JSON.stringify(refusal));
      assert.match(refusal?.message ?? '', /permissions .* folders above/);
    }));

  it('a readonly transport on a file in a folder that is not writable raises READ_ONLY or CANNOT_OPEN and says why', () =>
    withFile(async ({ open, file, folder }) => {
      open({ fileMode: 0o644 }).close();
      chmodSync(folder.path, 0o555);
      const [refusal] = await runAll<Refusal>([['refused', { file, readonly: true }]]);
      chmodSync(folder.path, 0o755);
      assert.match(refusal?.code ?? '', /READ_ONLY|CANNOT_OPEN/);
      assert.match(refusal?.message ?? '', /also for a reader/);
    }));
});

describe('a process that is short of something', POSIX, () => {
  /** These also work without what is short. */
  const UNTOUCHED: Record<Trouble, readonly string[]> = {
    descriptors: ['checkpoints'],
    'working directory': [
      'the first SqliteTransport',
      'SqliteTransport',
      'openAdmin, untrusted',
      'checkpoints',
    ],
  };
  const REMEDY: Record<Trouble, RegExp> = {
    descriptors: /^\/.*too many files open\. Close some/,
    'working directory': /^\/.*working directory .* was deleted\. Change to a folder that exists/,
  };
  for (const trouble of ['descriptors', 'working directory'] as const)
    it(`every door raises CANNOT_OPEN with the file and the remedy, or works: ${trouble}`, () =>
      withFile(({ folder }) => {
        const program = fileURLToPath(new URL('support/short-of.ts', import.meta.url));
        const args = JSON.stringify({ folder: folder.path, trouble });
        const { stdout, stderr } = spawnSync(
          'sh',
          ['-c', 'ulimit -n 100; exec "$0" "$@"', process.execPath, program, args],
          { encoding: 'utf8' },
        );
        assert.equal(stderr, '');
        const answers = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Answer);
        assert.equal(answers.at(-1)?.door, 'checkpoints', stdout);
        for (const { door, free, error } of answers) {
          if (free === 0)
            assert.equal(error === null, UNTOUCHED[trouble].includes(door), `${door} ${stdout}`);
          if (!error) continue;
          assert.equal(error.code, 'CANNOT_OPEN', `${door}, ${free} left: ${error.message}`);
          assert.match(error.message, REMEDY[trouble], `${door}, ${free} left`);
        }
      }));

  it('what Node tells of a thread or process that cannot start has the code and the remedy of its reason', () => {
    const told: [why: unknown, code: ErrorCode | undefined, remedy: RegExp][] = [
      [new Error('Worker initialization failure: EAGAIN'), 'CANNOT_OPEN', /^q\.db: .*ulimit -u/],
      ['it could not be started (spawn /bin/node ENOMEM)', 'STORAGE', /memory/],
      ['it could not be started (spawn /bin/node EMFILE)', 'CANNOT_OPEN', /ulimit -n/],
      [new Error('Cannot find module /x/admin.thread.js'), undefined, /^/],
      ['it was ended by SIGSEGV', undefined, /^/],
    ];
    for (const [why, code, remedy] of told) {
      const error = fromStartError(why, 'q.db');
      assert.equal(error?.code, code, String(why));
      assert.match(error?.message ?? '', remedy);
    }
  });
});

describe('the remedies of errors', () => {
  const system = (code: string) =>
    Object.assign(new Error(`${code}: refused`), { code, syscall: 'stat', errno: -1 });
  const sqlite = (code: string) => Object.assign(new Error('refused'), { code });

  const EXPECTED: [error: Error, code: ErrorCode, remedy: RegExp, never?: RegExp][] = [
    [system('EACCES'), 'CANNOT_OPEN', /permissions/],
    [system('EROFS'), 'READ_ONLY', /mounted read-only/],
    [system('EISDIR'), 'NOT_A_QUEUE', /is a folder/],
    [system('ENFILE'), 'CANNOT_OPEN', /system has too many files/],
    [system('ENOSPC'), 'DISK_FULL', /Free some space/],
    [system('EIO'), 'STORAGE', /disk or the network drive/, /damaged/],
    [sqlite('SQLITE_IOERR_READ'), 'STORAGE', /disk or the network drive/, /damaged/],
    [sqlite('SQLITE_IOERR_FSYNC'), 'STORAGE', /may or may not have taken effect/],
    [sqlite('SQLITE_IOERR_SHMLOCK'), 'STORAGE', /local disk/],
    [sqlite('SQLITE_IOERR_NOMEM'), 'STORAGE', /memory/],
    [sqlite('SQLITE_READONLY_DBMOVED'), 'FILE_REPLACED', /moved or deleted/],
    [sqlite('SQLITE_CORRUPT_INDEX'), 'CORRUPT', /damaged/],
    [sqlite('SQLITE_FULL'), 'DISK_FULL', /Free some space/],
  ];
  for (const [error, code, remedy, never] of EXPECTED)
    it(`${(error as Error & { code: string }).code} becomes ${code} with its remedy`, () => {
      const translated = toLeaseholdError(error, ':memory:') as Error & { code: string };
      assert.equal(translated.code, code);
      assert.match(translated.message, remedy);
      if (never) assert.doesNotMatch(translated.message, never);
      assert.equal(translated.cause, error);
    });

  it('a numbering that has reached its end is not called a full disk', () =>
    withFile(({ open, file }) => {
      const queue = open();
      queue.publish('g', 1);
      const lease = claim(queue);
      execute(file, "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name LIKE '%_messages'");
      const refused = {
        code: 'STORAGE',
        message: /harel_transport_messages has used its highest possible number/,
      };
      assert.throws(() => queue.publish('g', 2), refused);
      const database = new Database(file);
      const joined = open({ database });
      database.exec('BEGIN');
      assert.throws(() => joined.publish('g', 2), refused);
      assert.equal(database.inTransaction, false, 'SQLite rolls the transaction back, as on a full disk');
      database.close();
      execute(file, "UPDATE sqlite_sequence SET seq = 1 WHERE name LIKE '%_messages'");
      execute(
        file,
        "INSERT OR IGNORE INTO sqlite_sequence VALUES ('harel_transport_dead_letters', 9223372036854775807)",
      );
      assert.throws(() => queue.bury(lease), { code: 'STORAGE', message: /dead_letters has used/ });
      execute(file, 'DELETE FROM sqlite_sequence');
      queue.bury(lease);
    }));
});

describe('where and how a thread is started', () => {
  it('a relative path is resolved when a transport or an admin is made, not after a later change of the folder', () =>
    withFile(async ({ open, folder, file }) => {
      open().publish('g', 1);
      const before = process.cwd();
      process.chdir(folder.path);
      const queue = new AsyncSqliteTransport({ path: 'queue.db', createSchema: false });
      const admin = openAdmin({ path: 'queue.db' });
      process.chdir(before);
      try {
        await admin.overview();
        assert.equal(typeof (await queue.publish('g', 2)), 'number');
      } finally {
        await Promise.all([queue.close(), admin.close()]);
      }
      assert.ok(file);
    }));

  it('a process whose code comes from the command line can start threads, with its other flags', () =>
    withFile(({ file }) => {
      const core = new URL('../../index.ts', import.meta.url).href;
      const code = `
        import { AsyncSqliteTransport } from ${JSON.stringify(core)};
        const queue = new AsyncSqliteTransport({ path: ${JSON.stringify(file)} });
        console.log(await queue.publish('g', 1));
        await queue.close();`;
      const run = (flags: string[], env = {}) => {
        const options = { encoding: 'utf8', env: { ...process.env, ...env } } as const;
        const { stdout, stderr } = spawnSync(process.execPath, [...flags, '--eval', code], options);
        return stdout.trim() || stderr;
      };
      assert.equal(run(['--input-type=module', '--expose-gc', '--max-old-space-size=500']), '1');
      assert.equal(run(['--input-type', 'module']), '2');
      assert.equal(run([], { NODE_OPTIONS: '--input-type=module' }), '3');
    }));
});

describe('durability full on macOS', () => {
  it('sets fullfsync, and checkpoints always reach the disk', () =>
    withFile(({ open, connect }) => {
      const read = (durability: 'full' | 'normal') => {
        const database = connect();
        open({ database, durability });
        return ['fullfsync', 'checkpoint_fullfsync'].map((name) => database.pragma(name, { simple: true }));
      };
      assert.deepEqual(read('full'), [1, 1]);
      assert.deepEqual(read('normal'), [0, 1]);
    }));
});
