import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type ErrorCode, LeaseholdError, SqliteTransport } from '../index.ts';
import { rows } from './support/file-check.ts';
import { hashOf } from './support/hash.ts';
import { runAll } from './support/program.ts';
import type { RefusedArguments, Refusal } from './support/refused.ts';
import { claim, drain, type SyncBench, withFile } from './support/sync-queue.ts';

/** Raises this code, in a message that names the file and says enough to act on. */
function raises(run: () => unknown, code: ErrorCode, path: string): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof LeaseholdError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(path), `names the file: ${error.message}`);
    assert.ok(error.message.length > path.length + 20, `says what to do: ${error.message}`);
    return true;
  });
}

/** Random bytes that are the same in every run. */
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, n) => (n * 7919 + (n >> 3) * 31) % 251));

describe('what is no queue file', () => {
  const files: Record<string, readonly [ErrorCode, Buffer]> = {
    'random bytes': ['NOT_A_QUEUE', noise(20_000)],
    'a text file': ['NOT_A_QUEUE', Buffer.from('Dear diary, today I opened a queue. '.repeat(100))],
    "SQLite's header and then noise": ['CORRUPT', Buffer.concat([Buffer.from('SQLite format 3\0'), noise(20_000)])],
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
      raises(() => open({ path: folder.file('no/such/queue.db') }), 'CANNOT_OPEN', folder.file('no/such/queue.db'));
      writeFileSync(folder.file('file'), 'text');
      raises(() => open({ path: folder.file('file/queue.db') }), 'CANNOT_OPEN', folder.file('file/queue.db'));
      assert.deepEqual(readdirSync(folder.path), ['file']);
    }));

  it('a truncated file: a clear error on opening or on the first verb, and the file stays as it was', () =>
    withFile(({ file, open, folder }) => {
      const whole = folder.file('whole.db');
      const queue = open({ path: whole });
      queue.publishMany(Array.from({ length: 2_000 }, (_, n) => ({ groupId: `g${n % 50}`, event: 'x'.repeat(100) })));
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
      assert.throws(() => open(), (error) => error instanceof LeaseholdError && /CORRUPT|NOT_A_QUEUE/.test(error.code));
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

const disposable = (queue: SqliteTransport) => ({ queue, [Symbol.dispose]: () => queue.close() });

describe('a disk that is full', () => {
  /** Fills the file up to a limit that is set when it holds a little; the last publish raised. */
  function full({ open, connect }: SyncBench): { queue: SqliteTransport; published: number[]; more: () => void } {
    const db = connect();
    const queue = open({ database: db });
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + 8}`);
    const published: number[] = [];
    raises(() => {
      for (;;) published.push(queue.publish(`g${published.length % 3}`, 'x'.repeat(1_000)));
    }, 'DISK_FULL', db.name);
    return { queue, published, more: () => void db.pragma(`max_page_count = ${pages + 1_000}`) };
  }

  it('publish raises DISK_FULL and leaves nothing of its own behind', () =>
    withFile((bench) => {
      const { queue, published } = full(bench);
      assert.ok(published.length > 3);
      raises(() => queue.publishMany([1, 2].map(() => ({ groupId: 'new', event: 'y'.repeat(9_000) }))), 'DISK_FULL', bench.file);
      const seqs = rows(bench.file, 'SELECT seq FROM harel_transport_messages ORDER BY seq').map(({ seq }) => seq);
      assert.deepEqual(seqs, published);
    }));

  it('what is there can be claimed and acked, and with space again publishing goes on', () =>
    withFile((bench) => {
      const { queue, published, more } = full(bench);
      for (let n = 0; n < 3; n++) queue.ack(claim(queue));
      more();
      queue.publish('late', 'late');
      assert.equal(drain(queue).length, published.length - 3 + 1);
    }));

  it('a bury that the disk has no room for leaves the message leased', () =>
    withFile((bench) => {
      const { queue, more } = full(bench);
      queue.publishMany([]);
      const lease = claim(queue);
      const message = rows(bench.file, 'SELECT * FROM harel_transport_messages WHERE seq = ?', lease.seq);
      raises(() => queue.bury(lease, { error: 'z'.repeat(100_000) }), 'DISK_FULL', bench.file);
      assert.deepEqual(rows(bench.file, 'SELECT * FROM harel_transport_messages WHERE seq = ?', lease.seq), message);
      assert.deepEqual(queue.deadLetters(), []);
      more();
      queue.bury(lease);
      assert.equal(queue.deadLetters().length, 1);
    }));
});

describe('a file that another connection has locked', () => {
  it('each writing verb raises BUSY past the wait and changes nothing; looks go on', () =>
    withFile(({ open, connect, file }) => {
      const queue = open({ busyTimeoutMs: 1 });
      queue.publish('g', 1);
      queue.publish('h', 2);
      const lease = claim(queue);
      const before = rows(file, 'SELECT * FROM harel_transport_messages');
      const other = connect();
      other.exec('BEGIN IMMEDIATE');
      const verbs: (() => unknown)[] = [
        () => queue.publish('g', 1),
        () => queue.publishMany([{ groupId: 'g', event: 1 }]),
        () => queue.claim('w', 1_000),
        () => queue.ack(lease),
        () => queue.nack(lease, 5),
        () => queue.extend(lease, 1_000),
        () => queue.bury(lease),
        () => queue.ackAndClaim(lease, 1_000),
        () => queue.ackAndClaimMany([lease], 'w', 1_000, 1),
        () => queue.release(['w']),
      ];
      for (const verb of verbs) raises(verb, 'BUSY', file);
      assert.deepEqual(queue.holders(), [{ workerId: 'w', leases: 1 }]);
      other.exec('ROLLBACK');
      assert.deepEqual(rows(file, 'SELECT * FROM harel_transport_messages'), before);
      queue.ack(lease);
      assert.deepEqual(drain(queue), [2]);
    }));

  it('opening a new file raises BUSY past the wait, and works afterwards', () =>
    withFile(({ open, connect, file, folder }) => {
      const other = connect();
      other.exec('CREATE TABLE mine (id); BEGIN EXCLUSIVE');
      raises(() => open({ busyTimeoutMs: 1 }), 'BUSY', file);
      other.exec('ROLLBACK');
      other.close();
      assert.deepEqual(folder.openHandles(), []);
      open();
    }));

  it('busyTimeoutMs 0 does not wait at all', () =>
    withFile(({ open, connect, file }) => {
      const queue = open({ busyTimeoutMs: 0 });
      const other = connect();
      other.exec('BEGIN IMMEDIATE');
      raises(() => queue.publish('g', 1), 'BUSY', file);
      other.exec('ROLLBACK');
    }));

  it('a clock that was set back while the file was locked is followed once it is free', () =>
    withFile(({ open, connect, clock }) => {
      const queue = open({ busyTimeoutMs: 1 });
      queue.publish('g', 1);
      const lease = claim(queue);
      queue.publish('h', 2);
      claim(queue);
      const other = connect();
      other.exec('BEGIN IMMEDIATE');
      clock.step(-3_600_000);
      assert.throws(() => queue.claim('w', 1_000), { code: 'BUSY' });
      other.exec('ROLLBACK');
      queue.ack(lease);
      clock.advance(30_001);
      assert.equal(claim(queue).event, 2);
    }));
});

describe('a file or folder that may not be written', { skip: process.platform === 'win32' }, () => {
  /** Runs a program that has no right to write, where the test itself may be root. */
  const meet = async (args: RefusedArguments): Promise<Refusal> => {
    const [refusal] = await runAll<Refusal>([['refused', args]]);
    assert.ok(refusal);
    return refusal;
  };

  /** A queue in a folder that everybody may read. */
  function published({ open, folder, file }: SyncBench): string {
    chmodSync(folder.path, 0o755);
    const queue = open();
    queue.publish('g', 1);
    queue.close();
    return hashOf(file);
  }

  it('a read-only file raises READ_ONLY or CANNOT_OPEN on opening, and stays as it was', () =>
    withFile(async (bench) => {
      const before = published(bench);
      chmodSync(bench.file, 0o444);
      chmodSync(bench.folder.path, 0o777);
      const refusal = await meet({ file: bench.file });
      assert.match(refusal.code ?? '', /READ_ONLY|CANNOT_OPEN/, JSON.stringify(refusal));
      assert.ok(refusal.message?.includes(bench.file));
      assert.equal(hashOf(bench.file), before);
    }));

  it('a file in a read-only folder raises READ_ONLY or CANNOT_OPEN, and stays as it was', () =>
    withFile(async (bench) => {
      const before = published(bench);
      chmodSync(bench.file, 0o666);
      chmodSync(bench.folder.path, 0o555);
      const refusal = await meet({ file: bench.file });
      chmodSync(bench.folder.path, 0o755);
      assert.match(refusal.code ?? '', /READ_ONLY|CANNOT_OPEN/, JSON.stringify(refusal));
      assert.ok(refusal.message?.includes(bench.file));
      assert.equal(hashOf(bench.file), before);
    }));

  it('a new file in a read-only folder raises CANNOT_OPEN, and none is made', () =>
    withFile(async ({ folder, file }) => {
      chmodSync(folder.path, 0o555);
      const refusal = await meet({ file });
      chmodSync(folder.path, 0o755);
      assert.equal(refusal.code, 'CANNOT_OPEN', JSON.stringify(refusal));
      assert.deepEqual(readdirSync(folder.path), []);
    }));

  it('a file that may not even be read raises CANNOT_OPEN', () =>
    withFile(async (bench) => {
      const before = published(bench);
      chmodSync(bench.file, 0o000);
      const refusal = await meet({ file: bench.file });
      chmodSync(bench.file, 0o644);
      assert.equal(refusal.code, 'CANNOT_OPEN', JSON.stringify(refusal));
      assert.equal(hashOf(bench.file), before);
    }));
});

describe('paths', () => {
  const names = ['with some spaces.db', 'Grüße, Übung ß.db', 'e\u0301 and é.db', '🪢 knot.db', "it's #1 100%?.db", '-dash.db', 'queue'];
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

describe('large and odd values', () => {
  it('an event of exactly 1 MiB is taken, one byte more is refused with its size and the remedy', () =>
    withFile(({ open }) => {
      const queue = open();
      const fits = 'x'.repeat(1_048_576 - 2);
      queue.publish('g', fits);
      assert.throws(() => queue.publish('g', `${fits}x`), {
        code: 'EVENT_TOO_LARGE',
        message: /1048577.*1048576.*maxEventBytes/,
      });
      assert.deepEqual(drain(queue), [fits]);
    }));

  it('NUL and lone surrogates in an event come back exactly', () =>
    withFile(({ open }) => {
      const queue = open();
      const event = { nul: 'a\0b', 'key\0': 1, lone: '\ud83d', other: '\udc00x', pair: '🪢', last: '\uffff\u2028' };
      queue.publish('g', event);
      assert.deepEqual(drain(queue), [event]);
    }));

  it('NUL and lone surrogates in an id, a key or a worker are refused with the value shown', () =>
    withFile(({ open }) => {
      const queue = open();
      for (const bad of ['nul\0', 'lone\ud800', '\udc00']) {
        assert.throws(() => queue.publish(bad, 1), { code: 'BAD_ARGUMENT' });
        assert.throws(() => queue.publish('g', 1, { routingKey: bad }), { code: 'BAD_ARGUMENT' });
        assert.throws(() => queue.claim(bad, 1_000), { code: 'BAD_ARGUMENT' });
      }
      assert.equal(queue.claim('w', 1_000), null);
    }));

  it('the error of a nack or bury is kept as far as a text in SQLite can hold it', () =>
    withFile(({ open }) => {
      const queue = open();
      queue.publish('g', 1);
      queue.nack(claim(queue), 0, { error: 'lone \ud800, long: '.padEnd(100_000, '.') });
      const lease = claim(queue);
      assert.ok(lease.lastError?.startsWith('lone \ufffd, long: ..'), lease.lastError?.slice(0, 40));
      queue.bury(lease, { error: 'a\0b' });
      assert.ok(queue.deadLetters()[0]?.error?.startsWith('a'));
    }));

  it('group ids of 10,000 characters and of none are groups like any other', () =>
    withFile(({ open }) => {
      const queue = open();
      const long = 'ü'.repeat(10_000);
      for (const id of [long, '', `${long}x`]) queue.publish(id, id);
      assert.deepEqual(
        queue.claimMany('w', 1_000, 9).map(({ groupId }) => groupId),
        [long, '', `${long}x`],
      );
    }));

  it('a message of an error names a long value in short', () =>
    withFile(({ open }) => {
      const queue = open();
      assert.throws(
        () => queue.publish(`${'x'.repeat(10_000)}\0`, 1),
        (error) => error instanceof LeaseholdError && error.message.length < 400,
      );
    }));

  it('times far ahead are kept: a visibility of a hundred years', () =>
    withFile(({ open, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      const years = 100 * 365 * 86_400_000;
      const lease = claim(queue, 'w', years);
      assert.equal(lease.expiresAt, clock.now() + years);
      clock.advance(years);
      assert.equal(queue.claim('w', 1_000), null);
      queue.ack(lease);
    }));
});
