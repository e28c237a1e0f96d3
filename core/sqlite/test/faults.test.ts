import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SqliteTransport } from '../../index.ts';
import { rows } from './support/file-check.ts';
import { raises } from './support/raises.ts';
import { claim, drain, type SyncBench, withFile } from './support/sync-queue.ts';

describe('a full disk', () => {
  /** Fills the file up to a limit that is set when it holds a little; the last publish raised. */
  function full({ open, connect }: SyncBench): {
    queue: SqliteTransport;
    published: number[];
    more: () => void;
  } {
    const db = connect();
    const queue = open({ database: db });
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + 8}`);
    const published: number[] = [];
    raises(
      () => {
        for (;;) published.push(queue.publish(`g${published.length % 3}`, 'x'.repeat(1_000)));
      },
      'DISK_FULL',
      db.name,
    );
    return { queue, published, more: () => void db.pragma(`max_page_count = ${pages + 1_000}`) };
  }

  it('publish raises DISK_FULL on a full disk and leaves nothing behind', () =>
    withFile((bench) => {
      const { queue, published, more } = full(bench);
      assert.ok(published.length > 3);
      const emitted: unknown[] = [];
      queue.on('published', (detail) => emitted.push(detail));
      raises(
        () => queue.publishMany([1, 90_000].map((size) => ({ groupId: 'new', event: 'y'.repeat(size) }))),
        'DISK_FULL',
        bench.file,
      );
      const seqs = rows(bench.file, 'SELECT seq FROM harel_transport_messages ORDER BY seq').map(
        ({ seq }) => seq,
      );
      assert.deepEqual(seqs, published);
      more();
      const seq = queue.publish('late', 'late');
      assert.deepEqual(
        emitted,
        [{ seq, groupId: 'late' }],
        'no event of the failed publish is emitted later',
      );
    }));

  it('on a full disk messages can be claimed and acked, and publishing works again once there is space', () =>
    withFile((bench) => {
      const { queue, published, more } = full(bench);
      for (let n = 0; n < 3; n++) queue.ack(claim(queue));
      more();
      queue.publish('late', 'late');
      assert.equal(drain(queue).length, published.length - 3 + 1);
    }));

  it('a bury that raises DISK_FULL leaves the message leased', () =>
    withFile((bench) => {
      const { queue, more } = full(bench);
      queue.publishMany([]);
      const lease = claim(queue);
      const message = rows(bench.file, 'SELECT * FROM harel_transport_messages WHERE seq = ?', lease.seq);
      raises(() => queue.bury(lease, { error: 'z'.repeat(100_000) }), 'DISK_FULL', bench.file);
      assert.deepEqual(
        rows(bench.file, 'SELECT * FROM harel_transport_messages WHERE seq = ?', lease.seq),
        message,
      );
      assert.deepEqual(queue.deadLetters(), []);
      more();
      queue.bury(lease);
      assert.equal(queue.deadLetters().length, 1);
    }));
});

describe('a file with the write lock held by another connection', () => {
  it('while another connection holds the write lock, calls that write raise BUSY and calls that read work', () =>
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
      assert.deepEqual(queue.holders().holders, [{ workerId: 'w', leases: 1 }]);
      other.exec('ROLLBACK');
      assert.deepEqual(rows(file, 'SELECT * FROM harel_transport_messages'), before);
      queue.ack(lease);
      assert.deepEqual(drain(queue), [2]);
    }));

  it('opening a new file raises BUSY while another connection holds its lock, and works afterwards', () =>
    withFile(({ open, connect, file, folder }) => {
      const other = connect();
      other.exec('CREATE TABLE mine (id); BEGIN EXCLUSIVE');
      raises(() => open({ busyTimeoutMs: 1 }), 'BUSY', file);
      other.exec('ROLLBACK');
      other.close();
      assert.deepEqual(folder.openHandles(), []);
      open();
    }));

  it('with busyTimeoutMs 0 a call does not wait for the write lock', () =>
    withFile(({ open, connect, file }) => {
      const queue = open({ busyTimeoutMs: 0 });
      const other = connect();
      other.exec('BEGIN IMMEDIATE');
      raises(() => queue.publish('g', 1), 'BUSY', file);
      other.exec('ROLLBACK');
    }));

  it('a clock step back while the file was locked shortens the locks once the file is free', () =>
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
