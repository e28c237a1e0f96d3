import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
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

describe('what is no queue file', () => {
  const files: Record<string, readonly [ErrorCode, Buffer]> = {
    'random bytes': ['NOT_A_QUEUE', noise(20_000)],
    'a text file': ['NOT_A_QUEUE', Buffer.from('Dear diary, today I opened a queue. '.repeat(100))],
    "SQLite's header and then noise": [
      'CORRUPT',
      Buffer.concat([Buffer.from('SQLite format 3\0'), noise(20_000)]),
    ],
  };
  for (const [what, [expected, content]] of Object.entries(files)) {
    it(`${what}: a clear error, and the file stays as it was`, () =>
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

  it('a folder: a clear error', () =>
    withFile(({ file, open, folder }) => {
      mkdirSync(file);
      raises(() => open(), 'NOT_A_QUEUE', file);
      raises(() => open({ readonly: true }), 'NOT_A_QUEUE', file);
      assert.deepEqual(folder.openHandles(), []);
    }));

  it('a path whose folder does not exist, or is a file: a clear error, and nothing is made', () =>
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

  it('a truncated file: a clear error on opening or on the first verb, and the file stays as it was', () =>
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

  it('a file cut within its first page: a clear error', () =>
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

  it("another program's database keeps its tables, and gets the queue's beside them", () =>
    withFile(({ file, open, connect }) => {
      connect().exec("CREATE TABLE mine (id INTEGER, text TEXT); INSERT INTO mine VALUES (1, 'kept')");
      const queue = open();
      queue.publish('g', 1);
      assert.deepEqual(drain(queue), [1]);
      assert.deepEqual(rows(file, 'SELECT * FROM mine'), [{ id: 1, text: 'kept' }]);
    }));

  it('an empty file is a new queue', () =>
    withFile(({ file, open }) => {
      writeFileSync(file, '');
      const queue = open();
      queue.publish('g', 1);
      assert.deepEqual(drain(queue), [1]);
    }));
});

describe('paths', () => {
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
    it(`a file may be called ${JSON.stringify(name)}, in a folder of that name`, () =>
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

  it('a path with a blank at its end is that file, or is refused; never the file without the blank', () =>
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
