import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { SqliteTransport } from '../../index.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { hashOf } from './support/hash.ts';
import { withFile } from './support/sync-queue.ts';

describe('the pragmas of a connection', () => {
  for (const [durability, level] of [['full', 2] as const, ['normal', 1] as const]) {
    it(`durability ${durability} sets WAL, synchronous ${level} and the busy timeout, whatever they were before`, () =>
      withFile(({ open, connect }) => {
        const database = connect();
        database.pragma('synchronous = OFF');
        database.pragma('busy_timeout = 1');
        open({ database, durability });
        const read = (name: string) => database.pragma(name, { simple: true });
        assert.deepEqual(
          [read('journal_mode'), read('synchronous'), read('busy_timeout')],
          ['wal', level, 5_000],
        );
      }));
  }

  it('the default durability is full', () => {
    const database = new Database(':memory:');
    new SqliteTransport({ database, clock: new FakeClock() }).close();
    assert.equal(database.pragma('synchronous', { simple: true }), 2);
    database.close();
  });

  it('the pragmas are set on every open, also on an existing file', () =>
    withFile(({ open, connect }) => {
      open({ durability: 'normal' }).close();
      const database = connect();
      open({ database, durability: 'full', busyTimeoutMs: 77 });
      assert.equal(database.pragma('synchronous', { simple: true }), 2);
      assert.equal(database.pragma('busy_timeout', { simple: true }), 77);
    }));

  it('opening raises inside a transaction in which the pragmas cannot be changed', () =>
    withFile(({ open, connect }) => {
      const database = connect();
      database.exec('BEGIN');
      assert.throws(() => open({ database }), { name: 'LeaseholdError' });
    }));
});

describe('the options of SqliteTransport', () => {
  it('a wrong or misspelled option is refused before the file is created, and the message names it', () =>
    withFile(({ open, folder }) => {
      const bad: [string, unknown][] = [
        ['durability', 'ful'],
        ['fairness', 'fair'],
        ['busyTimeoutMs', -1],
        ['busyTimeoutMs', 1.5],
        ['createSchema', 'no'],
        ['readonly', 1],
        ['readOnly', true],
        ['maxEventBytes', 0],
        ['maxEventBytes', '1'],
        ['schema', {}],
        ['tableprefix', 'x'],
        ['tablePrefix', 7],
        ['durabilty', 'full'],
        ['unknown', 1],
      ];
      for (const [name, value] of bad) {
        assert.throws(
          () => open({ [name]: value }),
          { code: 'BAD_ARGUMENT', message: new RegExp(name) },
          name,
        );
      }
      assert.throws(() => hashOf(folder.file()), { code: 'ENOENT' });
    }));

  it('both a path and a connection, neither of them, or an empty path is refused', () => {
    const database = new Database(':memory:');
    const bad: unknown[] = [
      undefined,
      null,
      'queue.db',
      {},
      { path: '' },
      { path: ' ' },
      { path: 7 },
      { path: 'a\0b' },
      { path: 'x', database },
    ];
    for (const options of bad) {
      assert.throws(() => new SqliteTransport(options as { path: string }), { code: 'BAD_ARGUMENT' });
    }
    database.close();
    assert.throws(() => new SqliteTransport({ database }), { code: 'BAD_ARGUMENT' }, 'a closed connection');
  });
});
