import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { describe, it } from 'node:test';
import { type ErrorCode, LeaseholdError, SqliteTransport } from '../../index.ts';
import { rows } from './support/file-check.ts';
import { hashOf } from './support/hash.ts';
import { raises } from './support/raises.ts';
import { drain, withFile } from './support/sync-queue.ts';

/** Random bytes that are the same in every run. */
const noise = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, n) => (n * 7919 + (n >> 3) * 31) % 251));

const disposable = (queue: SqliteTransport) => ({ queue, [Symbol.dispose]: () => queue.close() });

describe('a path without a queue file', () => {
  const files: Record<string, readonly [ErrorCode, Buffer]> = {
    'random bytes': ['NOT_A_QUEUE', noise(20_000)],
    'a text file': ['NOT_A_QUEUE', Buffer.from('Dear diary, today I opened a queue. '.repeat(100))],
    "SQLite's header and then noise": [
      'CORRUPT',
      Buffer.concat([Buffer.from('SQLite format 3\0'), noise(20_000)]),
    ],
  };
  for (const [what, [expected, content]] of Object.entries(files)) {
    it(`opening ${what} raises a documented error, and the file is unchanged`, () =>
      withFile(({ file, open, folder }) => {
        writeFileSync(file, content);
        const before = hashOf(file);
        for (const options of [{}, { readonly: true }, { createSchema: false }]) {
          assert.throws(
            () => open(options),
            (error) => error instanceof LeaseholdError && ['NOT_A_QUEUE', expected].includes(error.code),
          );
        }
        assert.equal(hashOf(file), before);
        assert.deepEqual(readdirSync(folder.path), ['queue.db']);
        assert.deepEqual(folder.openHandles(), []);
      }));
  }

  it('opening a folder raises NOT_A_QUEUE', () =>
    withFile(({ file, open, folder }) => {
      mkdirSync(file);
      raises(() => open(), 'NOT_A_QUEUE', file);
      raises(() => open({ readonly: true }), 'NOT_A_QUEUE', file);
      assert.deepEqual(folder.openHandles(), []);
    }));

  it(
    'opening a device, a pipe or a socket raises NOT_A_QUEUE and writes nothing',
    { skip: process.platform === 'win32' },
    () =>
      withFile(({ open, folder }) => {
        const pipe = folder.file('pipe');
        execFileSync('mkfifo', [pipe]);
        for (const path of [pipe, devNull])
          for (const readonly of [false, true])
            assert.throws(() => open({ path, readonly }), { code: 'NOT_A_QUEUE', message: /is a device/ });
        assert.deepEqual(readdirSync(folder.path), ['pipe']);
      }),
  );

  it('opening a path whose folder is missing or a file raises CANNOT_OPEN and creates nothing', () =>
    withFile(({ open, folder }) => {
      raises(
        () => open({ path: folder.file('no/such/queue.db') }),
        'CANNOT_OPEN',
        folder.file('no/such/queue.db'),
      );
      writeFileSync(folder.file('file'), 'text');
      raises(() => open({ path: folder.file('file/queue.db') }), 'CANNOT_OPEN', folder.file('file/queue.db'));
      assert.deepEqual(readdirSync(folder.path), ['file']);
    }));

  it('a truncated file raises a documented error on opening or on the first call, and is unchanged', () =>
    withFile(({ file, open, folder }) => {
      const whole = folder.file('whole.db');
      const queue = open({ path: whole });
      queue.publishMany(
        Array.from({ length: 2_000 }, (_, n) => ({ groupId: `g${n % 50}`, event: 'x'.repeat(100) })),
      );
      queue.close();
      const size = readFileSync(whole).length;
      for (const part of [0.3, 0.6, 0.9]) {
        copyFileSync(whole, file);
        truncateSync(file, Math.floor((size * part) / 4_096) * 4_096);
        const before = hashOf(file);
        assert.throws(
          () => {
            using cut = disposable(new SqliteTransport({ path: file, durability: 'normal' }));
            drain(cut.queue);
          },
          { code: 'CORRUPT' },
        );
        assert.equal(hashOf(file), before, `cut at ${part}`);
      }
      copyFileSync(whole, file);
    }));

  it('opening a file that is cut within its first page raises a documented error', () =>
    withFile(({ file, open, folder }) => {
      const whole = folder.file('whole.db');
      open({ path: whole }).close();
      writeFileSync(file, readFileSync(whole).subarray(0, 1_000));
      const before = hashOf(file);
      assert.throws(
        () => open(),
        (error) => error instanceof LeaseholdError && /CORRUPT|NOT_A_QUEUE/.test(error.code),
      );
      assert.equal(hashOf(file), before);
      copyFileSync(whole, file);
    }));

  it("opening another program's database keeps its tables and adds the queue's", () =>
    withFile(({ file, open, connect }) => {
      connect().exec("CREATE TABLE mine (id INTEGER, text TEXT); INSERT INTO mine VALUES (1, 'kept')");
      const queue = open();
      queue.publish('g', 1);
      assert.deepEqual(drain(queue), [1]);
      assert.deepEqual(rows(file, 'SELECT * FROM mine'), [{ id: 1, text: 'kept' }]);
    }));

  it('opening an empty file makes it a queue', () =>
    withFile(({ file, open }) => {
      writeFileSync(file, '');
      const queue = open();
      queue.publish('g', 1);
      assert.deepEqual(drain(queue), [1]);
    }));
});

describe('the path of a queue file', () => {
  const names = [
    'with some spaces.db',
    'Grüße, Übung ß.db',
    'e\u0301 and é.db',
    '🪢 knot.db',
    "it's #1 100%?.db",
    '-dash.db',
    'queue',
  ];
  for (const name of names) {
    it(`a queue file and its folder can be named ${JSON.stringify(name)}`, () =>
      withFile(({ open, folder }) => {
        mkdirSync(folder.file('in'));
        mkdirSync(folder.file(`in/${name}`));
        const path = folder.file(`in/${name}/${name}`);
        const queue = open({ path });
        queue.publish('g', name);
        queue.close();
        assert.deepEqual(readdirSync(folder.file(`in/${name}`)), [name]);
        assert.deepEqual(drain(open({ path })), [name]);
        open({ path: folder.file() });
      }));
  }

  it('a path that ends in a space never opens the file without the space', () =>
    withFile(({ open, folder }) => {
      const plain = open();
      plain.publish('g', 'plain');
      for (const path of [`${folder.file()} `, `${folder.file()}\t`]) {
        try {
          open({ path }).publish('g', 'blank');
        } catch (error) {
          assert.ok(error instanceof LeaseholdError && error.code === 'BAD_ARGUMENT', String(error));
        }
      }
      assert.deepEqual(drain(plain), ['plain']);
    }));
});
