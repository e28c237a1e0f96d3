import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { LeaseholdError, openAdmin, SqliteTransport } from '../index.ts';
import { TempFolder } from '../test/support/temp-folder.ts';
import type { Fence, MessageState, Operation, QueueAdmin } from './contract.ts';

const HOUR_MS = 3_600_000;

interface Bench {
  readonly file: string;
  readonly queue: SqliteTransport;
  readonly admin: QueueAdmin;
  /** A second look at the file, with no code of ours in between. */
  sql(query: string, ...values: unknown[]): Record<string, unknown>[];
}

async function withAdmin(body: (bench: Bench) => Promise<void>): Promise<void> {
  using folder = new TempFolder();
  const file = folder.file();
  const queue = new SqliteTransport({ path: file, durability: 'normal' });
  const admin = openAdmin({ path: file, operator: 'ada' });
  const other = new Database(file, { readonly: true });
  try {
    await body({
      file,
      queue,
      admin,
      sql: (query, ...values) => other.prepare(query).all(...values) as Record<string, unknown>[],
    });
  } finally {
    other.close();
    await admin.close();
    queue.close();
  }
}

/** Seq 1 leased, 2 parked, 3 lapsed, 4 dead, 5 ready, 6 waiting behind seq 1. */
function arrange({ queue, file }: Pick<Bench, 'queue' | 'file'>): void {
  for (const group of ['leased', 'parked', 'lapsed', 'dead', 'ready', 'leased'])
    queue.publish(group, { in: group }, { priority: 2 });
  const claim = (visibilityMs: number) => {
    const lease = queue.claim('worker', visibilityMs);
    assert.ok(lease);
    return lease;
  };
  claim(HOUR_MS);
  queue.nack(claim(HOUR_MS), HOUR_MS, { error: 'ETIMEDOUT: no answer\n    at upload' });
  const { seq } = claim(HOUR_MS);
  const writer = new Database(file);
  writer.prepare('UPDATE harel_transport_messages SET lock_expiry = 1e9 WHERE seq = ?').run(seq);
  writer.close();
  queue.bury(claim(HOUR_MS), { error: 'no such file' });
}

async function fenceOf(admin: QueueAdmin, seq: number): Promise<Fence> {
  const detail = await admin.message(seq);
  assert.ok(detail, `message ${seq} should be there`);
  return detail.fence;
}

const seqsOf = async (admin: QueueAdmin, state: MessageState) =>
  (await admin.messages({ state })).rows.map(({ seq }) => seq);

describe('looking', () => {
  it('finds each message in its state, and counts them', () =>
    withAdmin(async ({ queue, admin, file }) => {
      arrange({ queue, file });
      const states = { leased: [1], parked: [2], lapsed: [3], dead: [4], ready: [5], waiting: [6] } as const;
      for (const [state, seqs] of Object.entries(states)) {
        const page = await admin.messages({ state: state as MessageState });
        assert.deepEqual([page.rows.map(({ seq }) => seq), page.total], [seqs, seqs.length], state);
      }
      const all = await admin.messages();
      assert.deepEqual(
        all.rows.map(({ seq, state }) => [seq, state]),
        Object.entries(states).map(([state, [seq]]) => [seq, state]),
      );
      const { messages, groups, leased, parked, lapsed, dead } = await admin.overview();
      assert.deepEqual([messages, groups, leased, parked, lapsed, dead], [5, 4, 1, 1, 1, 1]);
    }));

  it('says in one sentence why each message waits', () =>
    withAdmin(async ({ queue, admin, file }) => {
      arrange({ queue, file });
      const sentences = [
        /^Leased by worker until \d\d:\d\d:\d\d \(attempt 1\)\.$/,
        /^Parked until \d\d:\d\d:\d\d \(attempt 1: ETIMEDOUT: no answer\)\.$/,
        /^The lease of worker lapsed at \d\d:\d\d:\d\d: the next claim of this group takes it\.$/,
        /^Buried at \d\d:\d\d:\d\d after 1 attempt: no such file\. Re-publish it to try again\.$/,
        /^Next in turn at priority 2: any claim with a floor of 2 or less takes it\.$/,
        /^Behind seq 1, leased by worker until \d\d:\d\d:\d\d\.$/,
      ];
      for (const [index, sentence] of sentences.entries())
        assert.match((await admin.message(index + 1))?.why ?? '', sentence);
      assert.equal(await admin.message(99), null);
    }));

  it('shows each group with its head, depth, holder and the end of its lock', () =>
    withAdmin(async ({ queue, admin, file }) => {
      arrange({ queue, file });
      const { rows, total } = await admin.groups({ sort: 'depth', descending: true });
      assert.equal(total, 4);
      assert.deepEqual([rows[0]?.groupId, rows[0]?.depth, rows[0]?.holder], ['leased', 2, 'worker']);
      const byId = new Map(rows.map((row) => [row.groupId, row]));
      assert.equal(byId.get('parked')?.holder, null);
      assert.equal(byId.get('parked')?.lastError, 'ETIMEDOUT: no answer\n    at upload');
      assert.ok((byId.get('parked')?.expiresAt ?? 0) > Date.now());
      assert.equal(byId.get('ready')?.lastClaimedAt, null);
      assert.deepEqual(
        (await admin.groups({ state: 'lapsed' })).rows.map(({ groupId }) => groupId),
        ['lapsed'],
      );
    }));

  it('pages, sorts and searches in SQL, and takes wildcards for what they are', () =>
    withAdmin(async ({ queue, admin }) => {
      const events = Array.from({ length: 30 }, (_, n) => ({
        groupId: `g${n % 3}`,
        event: { n, path: `/${n}%_` },
      }));
      queue.publishMany(events);
      const page = await admin.messages({ descending: true, offset: 10, limit: 5 });
      assert.deepEqual([page.rows.map(({ seq }) => seq), page.total], [[20, 19, 18, 17, 16], 30]);
      const byGroup = await admin.messages({ sort: 'groupId', limit: 11 });
      assert.deepEqual(
        byGroup.rows.map(({ seq }) => seq),
        [1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 2],
      );
      assert.deepEqual(
        (await admin.messages({ search: '/7%_' })).rows.map(({ seq }) => seq),
        [8],
      );
      assert.equal((await admin.messages({ search: '/7__' })).total, 0);
      assert.equal((await admin.messages({ groupId: 'g1' })).total, 10);
      assert.equal((await admin.messages({ state: 'waiting', groupId: 'g1' })).total, 9);
      await assert.rejects(admin.messages({ limit: 5000 }), { code: 'BAD_ARGUMENT' });
      await assert.rejects(admin.messages({ sort: 'seq; DROP' as 'seq' }), { code: 'BAD_ARGUMENT' });
    }));

  it('changes nothing in the file', () =>
    withAdmin(async ({ queue, admin, sql, file }) => {
      arrange({ queue, file });
      const everything = () =>
        ['messages', 'groups', 'dead_letters', 'journal'].map((table) =>
          sql(`SELECT * FROM harel_transport_${table}`),
        );
      const before = everything();
      await Promise.all([
        admin.overview(),
        admin.groups(),
        admin.messages(),
        admin.message(1),
        admin.message(4),
      ]);
      assert.deepEqual(everything(), before);
    }));

  it('shows an event as it stands in the file, to the last digit', () =>
    withAdmin(async ({ queue, admin, file }) => {
      queue.publish('g', {});
      const writer = new Database(file);
      writer.exec(`UPDATE harel_transport_messages SET event = '{"big":12345678901234567890.10}'`);
      writer.close();
      assert.equal((await admin.message(1))?.eventJson, '{"big":12345678901234567890.10}');
    }));
});

describe('acting', () => {
  const acts: readonly (readonly [string, number, (fence: Fence) => Operation])[] = [
    ['ack', 2, (fence) => ({ kind: 'ack', fence })],
    ['nack', 2, (fence) => ({ kind: 'nack', fence })],
    ['park', 5, (fence) => ({ kind: 'park', fence, delayMs: HOUR_MS })],
    ['republish', 2, (fence) => ({ kind: 'republish', fence })],
  ];

  for (const [kind, seq, operation] of acts) {
    it(`${kind} does what it says, once, with its line in the journal`, () =>
      withAdmin(async ({ queue, admin, sql, file }) => {
        arrange({ queue, file });
        const fence = await fenceOf(admin, seq);
        const result = await admin.operate(operation(fence));
        assert.equal(result.outcome, 'done');
        const [row] = sql('SELECT locked_by, lock_expiry FROM harel_transport_messages WHERE seq = ?', seq);
        if (kind === 'nack') assert.deepEqual({ ...row }, { locked_by: null, lock_expiry: null });
        else if (kind === 'park') assert.equal(row?.locked_by, '__parked__');
        else assert.equal(row, undefined);
        const journal = sql('SELECT operator, act, seq, group_id FROM harel_transport_journal');
        assert.deepEqual(
          journal.map((line) => ({ ...line })),
          [{ operator: 'ada', act: kind, seq, group_id: kind === 'park' ? 'ready' : 'parked' }],
        );
        const again = await admin.operate(operation(fence));
        assert.equal(again.outcome, 'stale');
        assert.equal(sql('SELECT * FROM harel_transport_journal').length, 1);
      }));
  }

  it('does nothing to a message that was claimed since it was seen, and says who holds it', () =>
    withAdmin(async ({ queue, admin, sql }) => {
      queue.publish('g', 1);
      const fence = await fenceOf(admin, 1);
      queue.claim('worker-2', HOUR_MS);
      for (const operation of [
        { kind: 'ack', fence },
        { kind: 'nack', fence },
        { kind: 'park', fence, delayMs: 1000 },
        { kind: 'republish', fence, eventJson: '2' },
      ] as const) {
        const result = await admin.operate(operation);
        assert.match(
          result.outcome === 'stale' ? result.says : '',
          /^Leased by worker-2 until/,
          operation.kind,
        );
      }
      assert.equal(sql("SELECT * FROM harel_transport_messages WHERE locked_by = 'worker-2'").length, 1);
      assert.equal(sql('SELECT * FROM harel_transport_journal').length, 0);
    }));

  it('takes a message from its holder, whose own settle is then refused', () =>
    withAdmin(async ({ queue, admin }) => {
      queue.publish('g', 1);
      const lease = queue.claim('worker', HOUR_MS);
      assert.ok(lease);
      await admin.operate({ kind: 'nack', fence: await fenceOf(admin, 1) });
      assert.throws(() => queue.ack(lease), { code: 'LEASE_LOST' });
      assert.equal(queue.claim('worker', HOUR_MS)?.seq, 1);
    }));

  it('re-publishes edited, to another group, and keeps where it came from', () =>
    withAdmin(async ({ queue, admin, sql, file }) => {
      arrange({ queue, file });
      const result = await admin.operate({
        kind: 'republish',
        fence: await fenceOf(admin, 4),
        eventJson: '{"edited":true}',
        groupId: 'elsewhere',
        priority: 4,
        routingKey: 'gpu',
      });
      assert.equal(result.outcome, 'done');
      const seq = result.outcome === 'done' ? result.seq : 0;
      const detail = await admin.message(seq);
      assert.deepEqual(
        [
          detail?.groupId,
          detail?.eventJson,
          detail?.priority,
          detail?.routingKey,
          detail?.originSeq,
          detail?.attempts,
        ],
        ['elsewhere', '{"edited":true}', 4, 'gpu', 4, 0],
      );
      assert.equal(sql('SELECT * FROM harel_transport_dead_letters').length, 0);
      assert.deepEqual(await seqsOf(admin, 'dead'), []);
    }));

  it('refuses to free or park a dead letter, which waits for nothing', () =>
    withAdmin(async ({ queue, admin, file }) => {
      arrange({ queue, file });
      const fence = await fenceOf(admin, 4);
      await assert.rejects(admin.operate({ kind: 'nack', fence }), { code: 'NOT_ALLOWED' });
      await assert.rejects(admin.operate({ kind: 'park', fence, delayMs: 1000 }), { code: 'NOT_ALLOWED' });
      assert.deepEqual(await seqsOf(admin, 'dead'), [4]);
      assert.equal((await admin.operate({ kind: 'ack', fence })).outcome, 'done');
      assert.deepEqual(await seqsOf(admin, 'dead'), []);
    }));

  it('fits a lock that another program wrote, whatever digits its expiry has', () =>
    withAdmin(async ({ queue, admin, file }) => {
      queue.publish('g', 1);
      const writer = new Database(file);
      writer.exec(
        "UPDATE harel_transport_messages SET locked_by = 'other', lock_expiry = 1999999999.1234567",
      );
      writer.close();
      assert.equal((await admin.operate({ kind: 'nack', fence: await fenceOf(admin, 1) })).outcome, 'done');
    }));
});

describe('the admin as a whole', () => {
  it("hears of this process's and of its own changes", () =>
    withAdmin(async ({ queue, admin }) => {
      const change = () =>
        new Promise<void>((resolve) => {
          const end = admin.onChange(() => {
            end();
            resolve();
          });
        });
      await admin.overview();
      const published = change();
      queue.publish('g', 1);
      await published;
      const acted = change();
      await admin.operate({ kind: 'park', fence: await fenceOf(admin, 1), delayMs: 1000 });
      await acted;
    }));

  it('rejects a file that is no queue, and makes none', async () => {
    using folder = new TempFolder();
    const missing = openAdmin({ path: folder.file() });
    await assert.rejects(missing.overview(), { code: 'CANNOT_OPEN' });
    await missing.close();
    assert.equal(existsSync(folder.file()), false);
    new Database(folder.file()).exec('CREATE TABLE other (x)').close();
    const foreign = openAdmin({ path: folder.file() });
    await assert.rejects(foreign.messages(), { code: 'NOT_A_QUEUE' });
    await foreign.close();
    assert.throws(() => openAdmin({ path: 1 as never }), LeaseholdError);
    assert.throws(
      () => openAdmin({ path: 'x', tableprefix: 'y' } as never),
      /Misspelled option "tableprefix"/,
    );
  });

  it('rejects every call after close', () =>
    withAdmin(async ({ admin }) => {
      await admin.overview();
      await admin.close();
      await assert.rejects(admin.overview(), { code: 'CLOSED' });
    }));
});
