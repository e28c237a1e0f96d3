import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { AsyncSqliteTransport, type AsyncSqliteTransportOptions, Closed, LeaseLost } from '../../index.ts';
import { assertSound, execute, rows } from './support/file-check.ts';
import { hashOf } from './support/hash.ts';
import { inTempFolder, type TempFolder } from './support/temp-folder.ts';

interface Bench {
  readonly folder: TempFolder;
  readonly file: string;
  open(options?: Partial<AsyncSqliteTransportOptions>): AsyncSqliteTransport;
}

function withFile(body: (bench: Bench) => Promise<void>): Promise<void> {
  return inTempFolder(async (folder) => {
    const opened: AsyncSqliteTransport[] = [];
    const open: Bench['open'] = (options) => {
      const queue = new AsyncSqliteTransport({ path: folder.file(), durability: 'normal', ...options });
      opened.push(queue);
      return queue;
    };
    try {
      await body({ folder, file: folder.file(), open });
    } finally {
      for (const queue of opened) await queue.close();
    }
  });
}

describe('group commit', () => {
  it('what is called at once takes effect in the order of the calls', () =>
    withFile(async ({ open, file }) => {
      const queue = open();
      const seqs = await Promise.all(Array.from({ length: 500 }, (_, n) => queue.publish(`g${n % 3}`, n)));
      assert.deepEqual(
        seqs,
        seqs.map((_, n) => n + 1),
      );
      const events = rows(file, 'SELECT event FROM harel_transport_messages ORDER BY seq').map(
        (row) => row.event,
      );
      assert.deepEqual(
        events,
        events.map((_, n) => String(n)),
      );
      assertSound(file);
    }));

  it('one call that fails rejects alone, the others of its commit stand', () =>
    withFile(async ({ open }) => {
      const queue = open();
      await queue.publish('g', 1);
      const lease = await queue.claim('w', 30_000);
      assert.ok(lease);
      const outcomes = await Promise.allSettled([
        queue.publish('a', 'a'),
        queue.ack(lease),
        queue.ack(lease),
        queue.ackAndClaim(lease, 1_000),
        queue.republish(77),
        queue.publish('b', 'b'),
        queue.publish('c', undefined),
      ]);
      const codes = outcomes.map((each) => (each.status === 'rejected' ? each.reason.code : 'done'));
      assert.deepEqual(codes, ['done', 'done', 'LEASE_LOST', 'LEASE_LOST', 'NOT_FOUND', 'done', 'BAD_EVENT']);
      const events = (await queue.claimMany('w', 30_000, 9)).map(({ event }) => event);
      assert.deepEqual(events, ['a', 'b']);
    }));

  it("what a holder has hung on a lease need not cross, and what cannot cross is one call's own error", () =>
    withFile(async ({ open }) => {
      const queue = open();
      await queue.publish('g', 1);
      const lease = await queue.claim('w', 30_000);
      assert.ok(lease);
      await queue.ack({ ...lease, done: () => 1 } as typeof lease);
      const [refused, holders] = await Promise.allSettled([
        queue.claim('w', 1_000, { routingKeys: Object.assign(['k'], { extra: () => 1 }) }),
        queue.holders(),
      ]);
      assert.equal(refused.status === 'rejected' && refused.reason.code, 'BAD_ARGUMENT');
      assert.deepEqual(holders, { status: 'fulfilled', value: [] });
    }));

  it('looks that are made at once need no write lock', () =>
    withFile(async ({ open, file }) => {
      const queue = open({ busyTimeoutMs: 1 });
      await queue.publish('g', 1);
      const other = new Database(file);
      other.exec('BEGIN IMMEDIATE');
      const looks = await Promise.all([queue.holders(), queue.nextExpiry(), queue.deadLetters()]);
      other.exec('ROLLBACK');
      other.close();
      assert.deepEqual(looks, [[], null, []]);
    }));

  it('a failure in mid-verb is rolled back alone, and what else was called at once stands, told once', () =>
    withFile(async ({ open, file }) => {
      const queue = open();
      await queue.holders();
      const other = new Database(file);
      other.exec(`CREATE TRIGGER refuse BEFORE INSERT ON harel_transport_groups WHEN NEW.group_id = 'boom'
        BEGIN SELECT RAISE(ABORT, 'refused'); END`);
      other.close();
      const told: number[] = [];
      queue.on('published', ({ seq }) => told.push(seq));
      const outcomes = await Promise.allSettled([
        queue.publish('a', 1),
        queue.publish('boom', 2),
        queue.publish('b', 3),
      ]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      const seqs = rows(file, 'SELECT seq FROM harel_transport_messages ORDER BY seq').map(({ seq }) => seq);
      assert.equal(seqs.length, 2);
      assert.deepEqual(told, seqs);
    }));

  it('a schema that raises buries that event, and the claim goes on', () =>
    withFile(async ({ open, file }) => {
      const raising = z.unknown().transform((event) => {
        if (event === 'boom') throw new Error('stumbled');
        return event;
      });
      const queue = open({ schema: raising });
      await queue.publish('g', 'first');
      execute(file, `UPDATE harel_transport_messages SET event = '"boom"'`);
      await queue.publish('g', 'sound');
      assert.equal((await queue.claim('w', 30_000))?.event, 'sound');
      assert.match(
        (await queue.deadLetters())[0]?.error ?? '',
        /the schema returned a promise: it is asynchronous, or one of its transforms raised/,
      );
    }));

  it('a thread file may be named by path or file URL, and anything else is refused', () =>
    withFile(async ({ open, folder }) => {
      for (const threadFile of [5, '', 'https://example.invalid/x.js', new URL('data:,')])
        assert.throws(() => open({ threadFile } as never), { code: 'BAD_ARGUMENT', message: /threadFile/ });
      const url = new URL('../async/transport.thread.ts', import.meta.url);
      const queue = open({ threadFile: url.href, path: folder.file('other.db') });
      assert.equal(await queue.publish('g', 1), 1);
    }));

  it('a promise resolves, and an event is told, only after the commit: another connection sees it', () =>
    withFile(async ({ open, file }) => {
      const queue = open();
      await queue.holders();
      const other = new Database(file);
      const isThere = other.prepare('SELECT 1 FROM harel_transport_messages WHERE seq = ?').pluck();
      const seen: unknown[] = [];
      queue.on('published', ({ seq }) => seen.push(isThere.get(seq)));
      const publishes = Array.from({ length: 50 }, async (_, n) => isThere.get(await queue.publish('g', n)));
      assert.deepEqual(new Set(await Promise.all(publishes)), new Set([1]));
      assert.deepEqual(seen, Array(50).fill(1));
      other.close();
    }));

  it('a file that another has locked past the wait rejects the whole commit with BUSY, and nothing of it stays', () =>
    withFile(async ({ open, file }) => {
      const queue = open({ busyTimeoutMs: 1 });
      await queue.publish('g', 0);
      const other = new Database(file);
      other.exec('BEGIN IMMEDIATE');
      const outcomes = await Promise.allSettled([1, 2, 3].map((n) => queue.publish('g', n)));
      for (const each of outcomes) assert.equal(each.status === 'rejected' && each.reason.code, 'BUSY');
      other.exec('ROLLBACK');
      other.close();
      await queue.publish('g', 4);
      const events = rows(file, 'SELECT event FROM harel_transport_messages ORDER BY seq').map(
        (row) => row.event,
      );
      assert.deepEqual(events, ['0', '4']);
    }));

  it('errors keep their class and code across the thread', () =>
    withFile(async ({ open }) => {
      const queue = open();
      await queue.publish('g', 1);
      const lease = await queue.claim('w', 30_000);
      assert.ok(lease);
      await queue.ack(lease);
      await assert.rejects(queue.ack(lease), LeaseLost);
      await queue.close();
      await assert.rejects(queue.publish('g', 1), Closed);
    }));
});

describe('what is wrong with the file', () => {
  it('rejects the first call with the code that the synchronous transport raises, and leaves the file alone', () =>
    withFile(async ({ open, folder }) => {
      mkdirSync(folder.file('folder'));
      writeFileSync(folder.file('text'), 'no queue at all '.repeat(100));
      const before = hashOf(folder.file('text'));
      const cases = { folder: 'NOT_A_QUEUE', text: 'NOT_A_QUEUE', 'no/such/queue.db': 'CANNOT_OPEN' };
      for (const [name, code] of Object.entries(cases)) {
        const queue = open({ path: folder.file(name) });
        let told: Error | null | undefined;
        queue.on('closed', ({ error }) => {
          told = error;
        });
        await assert.rejects(queue.publish('g', 1), { code }, name);
        await assert.rejects(queue.publish('g', 1), { code: /CLOSED|NOT_A_QUEUE|CANNOT_OPEN/ }, name);
        await queue.close();
        assert.ok(told instanceof Error, `${name}: closed is told with the error`);
      }
      assert.equal(hashOf(folder.file('text')), before);
    }));

  it('a bad option raises at once, from the constructor', () =>
    withFile(async ({ open }) => {
      const bad = [
        { durability: 'ful' },
        { path: '' },
        { path: 7 },
        { database: {} },
        { clock: {} },
        { readOnly: true },
      ];
      for (const options of bad) {
        assert.throws(() => open(options as object), { code: 'BAD_ARGUMENT' }, JSON.stringify(options));
      }
    }));
});

describe('the thread', () => {
  it('one that ends unbidden rejects what is in flight with THREAD_FAILED and everything later with CLOSED', () =>
    withFile(async ({ open, folder }) => {
      writeFileSync(folder.file('dies.mjs'), 'setImmediate(() => process.exit(3));');
      const queue = open({ threadFile: pathToFileURL(folder.file('dies.mjs')) });
      const closed = new Promise<Error | null>((resolve) =>
        queue.on('closed', ({ error }) => resolve(error)),
      );
      const inFlight = await Promise.allSettled([queue.publish('g', 1), queue.claim('w', 1_000)]);
      for (const each of inFlight)
        assert.equal(each.status === 'rejected' && each.reason.code, 'THREAD_FAILED');
      assert.match(String(await closed), /thread/);
      await assert.rejects(queue.publish('g', 1), { code: 'CLOSED' });
      await queue.close();
    }));

  it('one whose file is missing says so instead of waiting for ever', () =>
    withFile(async ({ open, folder }) => {
      const queue = open({ threadFile: pathToFileURL(folder.file('none.mjs')) });
      await assert.rejects(queue.publish('g', 1), { code: 'THREAD_FAILED', message: /none\.mjs/ });
    }));

  it('close while calls are in flight lets them finish; a call after it is refused', () =>
    withFile(async ({ open, file }) => {
      const queue = open();
      const publishes = Array.from({ length: 200 }, (_, n) => queue.publish('g', n));
      const closed = queue.close();
      await assert.rejects(queue.publish('g', 'late'), { code: 'CLOSED' });
      await Promise.all([...publishes, closed, queue.close()]);
      assert.equal(rows(file, 'SELECT COUNT(*) AS n FROM harel_transport_messages')[0]?.n, 200);
    }));

  it('several transports on one file at once lose nothing', () =>
    withFile(async ({ open, file }) => {
      const queues = Array.from({ length: 4 }, () => open());
      await Promise.all(
        queues.map((queue, q) => Promise.all([1, 2, 3].map((n) => queue.publish(`g${q}`, n)))),
      );
      const leases = (await Promise.all(queues.map((queue) => queue.claimMany('w', 30_000, 2)))).flat();
      assert.equal(new Set(leases.map(({ groupId }) => groupId)).size, leases.length);
      assert.equal(leases.length, 4);
      assertSound(file);
    }));
});
