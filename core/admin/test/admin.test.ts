import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { MessageFence, MessageState, Operation, QueueAdmin } from '../../contract/admin.ts';
import { LeaseholdError, openAdmin } from '../../index.ts';
import { RpcClient } from '../../rpc/client.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import type { AdminStart, AdminVerb } from '../admin-protocol.ts';
import { arrange, fenceOf, HOUR_MS, withAdmin } from './kit.ts';

const seqsOf = async (admin: QueueAdmin, state: MessageState) =>
  (await admin.messages({ state })).rows.map(({ seq }) => seq);

describe('looking', () => {
  it('finds each message in its state, and counts them', () =>
    withAdmin(async ({ queue, admin, edit }) => {
      arrange({ queue, edit });
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
    withAdmin(async ({ queue, admin, edit }) => {
      arrange({ queue, edit });
      const sentences = [
        /^Leased by worker until \d\d:\d\d:\d\d \(attempt 1\)\.$/,
        /^Parked until \d\d:\d\d:\d\d \(attempt 1: ETIMEDOUT: no answer\)\.$/,
        /^The lease of worker lapsed at \d\d:\d\d:\d\d: the next claim of this group takes it\.$/,
        /^Buried at \d\d:\d\d:\d\d after 1 attempt: no such file\. Re-publish it to try again\.$/,
        /^Next in turn for a claim with a floor of 2 or less\.$/,
        /^Behind seq 1, leased by worker until \d\d:\d\d:\d\d\.$/,
      ];
      for (const [index, sentence] of sentences.entries())
        assert.match((await admin.message(index + 1))?.why ?? '', sentence);
      assert.equal(await admin.message(99), null);
    }));

  it('shows each group with its head, depth, holder and the end of its lock', () =>
    withAdmin(async ({ queue, admin, edit }) => {
      arrange({ queue, edit });
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
    }));

  it('changes nothing in the file', () =>
    withAdmin(async ({ queue, admin, sql, edit }) => {
      arrange({ queue, edit });
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

  it('shows an event that another program stored as a BLOB as text, live and dead', () =>
    withAdmin(async ({ queue, admin, edit }) => {
      queue.publish('live', {});
      queue.publish('dead', {});
      edit(`UPDATE harel_transport_messages SET event = CAST('{"n":"é"}' AS BLOB)`);
      // The claim finds that it is no text, and buries it.
      assert.equal(queue.claim('worker', HOUR_MS), null);
      edit(
        `INSERT INTO harel_transport_messages (group_id, event) VALUES ('live', CAST('{"n":"é"}' AS BLOB))`,
      );
      assert.deepEqual(
        (await admin.messages()).rows.map(({ state, preview }) => [state, preview]),
        [
          ['dead', '{"n":"é"}'],
          ['dead', '{"n":"é"}'],
          ['waiting', '{"n":"é"}'],
        ],
      );
      for (const seq of [1, 3]) assert.equal((await admin.message(seq))?.eventJson, '{"n":"é"}');
    }));

  it('shows an event as it stands in the file, to the last digit', () =>
    withAdmin(async ({ queue, admin, edit }) => {
      queue.publish('g', {});
      edit(`UPDATE harel_transport_messages SET event = '{"big":12345678901234567890.10}'`);
      assert.equal((await admin.message(1))?.eventJson, '{"big":12345678901234567890.10}');
    }));
});

describe('acting', () => {
  const acts: readonly (readonly [string, number, (fence: MessageFence) => Operation])[] = [
    ['ack', 2, (fence) => ({ kind: 'ack', fence })],
    ['nack', 2, (fence) => ({ kind: 'nack', fence })],
    ['park', 5, (fence) => ({ kind: 'park', fence, delayMs: HOUR_MS })],
    ['republish', 2, (fence) => ({ kind: 'republish', fence })],
  ];

  for (const [kind, seq, operation] of acts) {
    it(`${kind} does what it says, once, with its line in the journal`, () =>
      withAdmin(async ({ queue, admin, sql, edit }) => {
        arrange({ queue, edit });
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
          result.outcome === 'stale' ? result.message : '',
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
    withAdmin(async ({ queue, admin, sql, edit }) => {
      arrange({ queue, edit });
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
    withAdmin(async ({ queue, admin, edit }) => {
      arrange({ queue, edit });
      const fence = await fenceOf(admin, 4);
      await assert.rejects(admin.operate({ kind: 'nack', fence }), { code: 'NOT_ALLOWED' });
      await assert.rejects(admin.operate({ kind: 'park', fence, delayMs: 1000 }), { code: 'NOT_ALLOWED' });
      assert.deepEqual(await seqsOf(admin, 'dead'), [4]);
      assert.equal((await admin.operate({ kind: 'ack', fence })).outcome, 'done');
      assert.deepEqual(await seqsOf(admin, 'dead'), []);
    }));

  it('fits a lock that another program wrote, whatever digits its expiry has', () =>
    withAdmin(async ({ queue, admin, edit }) => {
      queue.publish('g', 1);
      edit("UPDATE harel_transport_messages SET locked_by = 'other', lock_expiry = 1999999999.1234567");
      assert.equal((await admin.operate({ kind: 'nack', fence: await fenceOf(admin, 1) })).outcome, 'done');
    }));
});

describe('a wrong argument', () => {
  const fence: MessageFence = { seq: 1, lockedBy: null, lockExpiry: null, deliveries: 0, dead: false };
  const refused: [string, string, RegExp, (admin: QueueAdmin) => Promise<unknown>][] = [
    ['too many rows', 'BAD_ARGUMENT', /limit/, (admin) => admin.messages({ limit: 5000 })],
    ['no rows', 'BAD_ARGUMENT', /limit/, (admin) => admin.groups({ limit: 0 })],
    ['SQL as a sort', 'BAD_ARGUMENT', /sort/, (admin) => admin.messages({ sort: 'seq; DROP' as never })],
    [
      'a sort of the prototype',
      'BAD_ARGUMENT',
      /sort/,
      (admin) => admin.groups({ sort: 'constructor' as never }),
    ],
    [
      'the same for messages',
      'BAD_ARGUMENT',
      /sort/,
      (admin) => admin.messages({ sort: 'constructor' as never }),
    ],
    ['an unknown state', 'BAD_ARGUMENT', /state/, (admin) => admin.messages({ state: 'asleep' as never })],
    ['a state no group has', 'BAD_ARGUMENT', /state/, (admin) => admin.groups({ state: 'dead' as never })],
    ['a misspelled field', 'BAD_ARGUMENT', /"serach"/, (admin) => admin.groups({ serach: 'x' } as never)],
    ['a seq as text', 'BAD_ARGUMENT', /seq/, (admin) => admin.message('1' as never)],
    ['an unknown act', 'BAD_ARGUMENT', /kind/, (admin) => admin.operate({ kind: 'drop', fence } as never)],
    ['no act', 'BAD_ARGUMENT', /operation/, (admin) => admin.operate(undefined as never)],
    [
      'a park of no time',
      'BAD_ARGUMENT',
      /delayMs/,
      (admin) => admin.operate({ kind: 'park', fence, delayMs: 0 }),
    ],
    [
      'a priority of 9',
      'BAD_ARGUMENT',
      /priority/,
      (admin) => admin.operate({ kind: 'republish', fence, priority: 9 }),
    ],
    [
      'an event that is no JSON',
      'BAD_EVENT',
      /eventJson/,
      (admin) => admin.operate({ kind: 'republish', fence, eventJson: '{' }),
    ],
    [
      'an event over 1 MiB',
      'EVENT_TOO_LARGE',
      /1048578 bytes/,
      (admin) => admin.operate({ kind: 'republish', fence, eventJson: `"${'x'.repeat(1024 * 1024)}"` }),
    ],
  ];
  it('rejects its call, and nothing is done', () =>
    withAdmin(async ({ queue, admin, sql }) => {
      queue.publish('g', 1);
      for (const [name, code, message, call] of refused) {
        const calling = call(admin);
        await assert.rejects(calling, (error: LeaseholdError) => {
          assert.ok(error instanceof LeaseholdError, name);
          assert.equal(error.code, code, name);
          assert.match(error.message, message, name);
          return true;
        });
      }
      assert.equal(sql('SELECT * FROM harel_transport_journal').length, 0);
      assert.equal((await admin.message(1))?.state, 'ready');
    }));
});

it('the thread itself does nothing for an act that it does not know', () =>
  withAdmin(async ({ queue, admin, file, sql }) => {
    queue.publish('g', 1);
    const start: AdminStart = {
      path: file,
      tablePrefix: undefined,
      operator: 'ada',
      fairness: 'new-groups-first',
    };
    const worker = new Worker(new URL('../admin.thread.ts', import.meta.url), { workerData: start });
    const thread = new RpcClient<AdminVerb>(worker, { owner: 'admin' });
    const operation = { kind: 'drop', fence: await fenceOf(admin, 1) };
    await assert.rejects(thread.call('operate', operation), { code: 'BAD_ARGUMENT', message: /not "drop"/ });
    await thread.close();
    assert.equal(sql('SELECT * FROM harel_transport_journal').length, 0);
  }));

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

  it('goes on telling one listener after another has ended, and tells again after all had', () =>
    withAdmin(async ({ queue, admin }) => {
      const listen = () => {
        let end: () => void = () => undefined;
        const heard = new Promise<void>((resolve) => {
          end = admin.onChange(resolve);
        });
        return { heard, end };
      };
      await admin.overview();
      const [first, second] = [listen(), listen()];
      first.end();
      first.end();
      queue.publish('g', 1);
      await second.heard;
      second.end();
      queue.publish('g', 2);
      const third = listen();
      await third.heard;
      third.end();
    }));

  it('gives a group that a re-publish creates its turn by the fairness of its options', () =>
    withAdmin(async ({ queue, file, sql }) => {
      queue.publish('a', 1);
      queue.publish('b', 1);
      const turns: unknown[] = [];
      for (const [seq, fairness] of [
        [1, undefined],
        [2, 'longest-waiting-first'],
      ] as const) {
        const admin = openAdmin({ path: file, ...(fairness && { fairness }) });
        await admin.operate({ kind: 'republish', fence: await fenceOf(admin, seq), groupId: `new ${seq}` });
        await admin.close();
        turns.push(
          sql('SELECT last_claimed_at FROM harel_transport_groups WHERE group_id = ?', `new ${seq}`)[0]
            ?.last_claimed_at,
        );
      }
      assert.equal(turns[0], 0);
      assert.ok(Math.abs((turns[1] as number) - Date.now() / 1000) < 600);
      assert.throws(
        () => openAdmin({ path: file, fairness: 'random' as never }),
        /fairness must be .*not "random"/,
      );
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
