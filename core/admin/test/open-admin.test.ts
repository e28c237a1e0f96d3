import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import type { MessageFence, QueueAdmin } from '../../contract/admin.ts';
import { LeaseholdError, openAdmin, SqliteTransport } from '../../index.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { fenceOf, PLACES, withAdmin } from './admin-fixture.ts';

const fence: MessageFence = { seq: 1, lockedBy: null, fence: 0, deadId: null };

/** core/validate/test has every check; these show that each call has its own. */
const wrongCalls: readonly [string, string, RegExp, (admin: QueueAdmin) => Promise<unknown>][] = [
  ['too many rows', 'BAD_ARGUMENT', /limit/, (admin) => admin.messages({ limit: 5000 })],
  ['no rows', 'BAD_ARGUMENT', /limit/, (admin) => admin.groups({ limit: 0 })],
  ['SQL as a sort', 'BAD_ARGUMENT', /sort/, (admin) => admin.messages({ sort: 'seq; DROP' as never })],
  [
    'a name from the prototype as a sort of groups',
    'BAD_ARGUMENT',
    /sort/,
    (admin) => admin.groups({ sort: 'constructor' as never }),
  ],
  [
    'a name from the prototype as a sort of messages',
    'BAD_ARGUMENT',
    /sort/,
    (admin) => admin.messages({ sort: 'constructor' as never }),
  ],
  ['an unknown state', 'BAD_ARGUMENT', /state/, (admin) => admin.messages({ state: 'asleep' as never })],
  ['a state that no group has', 'BAD_ARGUMENT', /state/, (admin) => admin.groups({ state: 'dead' as never })],
  ['a misspelled field', 'BAD_ARGUMENT', /"serach"/, (admin) => admin.groups({ serach: 'x' } as never)],
  ['a seq as text', 'BAD_ARGUMENT', /seq/, (admin) => admin.message('1' as never)],
  [
    'an unknown operation',
    'BAD_ARGUMENT',
    /kind/,
    (admin) => admin.operate({ kind: 'drop', fence } as never),
  ],
  ['no operation', 'BAD_ARGUMENT', /operation/, (admin) => admin.operate(undefined as never)],
  [
    'a park without a delay',
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
    'an event that is not JSON',
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

test('openAdmin raises BAD_ARGUMENT for a wrong option, before it starts a thread', () => {
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ path: 1 }, /path/],
    [{ path: 'x', tableprefix: 'y' }, /Misspelled option "tableprefix"/],
    [{ path: 'x', tablePrefix: 'a-b' }, /tablePrefix "a-b"/],
    [{ path: 'x', operator: 7 }, /operator/],
    [{ path: 'x', fairness: 'random' }, /fairness must be .*not "random"/],
    [{ path: 'x', untrusted: 1 }, /untrusted/],
    [{ path: 'x', untrusted: true, timeLimitMs: 9 }, /timeLimitMs/],
    [{ path: 'x', timeLimitMs: 1000 }, /timeLimitMs 1000 needs untrusted: true/],
    [{ path: 'x', secureDelete: 'yes' }, /secureDelete/],
    [{ path: 'x', threadFile: 'https://x.invalid/thread.js' }, /threadFile/],
  ];
  for (const [options, message] of wrong)
    assert.throws(() => openAdmin(options as never), { code: 'BAD_ARGUMENT', message });
});

for (const [place, options] of Object.entries(PLACES)) {
  test(`${place}: a call with a wrong argument rejects and changes nothing`, () =>
    withAdmin(async ({ queue, admin, sql }) => {
      queue.publish('g', 1);
      for (const [name, code, message, call] of wrongCalls) {
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
    }, options));

  test(`${place}: the calls of an admin over a file that is not a queue reject, and no file is created`, async () => {
    using folder = new TempFolder();
    const missing = openAdmin({ path: folder.file(), ...options });
    await assert.rejects(missing.overview(), { code: 'CANNOT_OPEN' });
    await missing.close();
    assert.equal(existsSync(folder.file()), false);
    new Database(folder.file()).exec('CREATE TABLE other (x)').close();
    const foreign = openAdmin({ path: folder.file(), ...options });
    await assert.rejects(foreign.messages(), { code: 'NOT_A_QUEUE' });
    await foreign.close();
  });

  test(`${place}: every call after close rejects with CLOSED`, () =>
    withAdmin(async ({ admin }) => {
      await admin.overview();
      await admin.close();
      await assert.rejects(admin.overview(), { code: 'CLOSED' });
    }, options));

  test(`${place}: a listener is called after a change by a transport of this process, and after the admin's own operation`, () =>
    withAdmin(async ({ queue, admin }) => {
      const nextChange = () =>
        new Promise<void>((resolve) => {
          const unsubscribe = admin.onChange(() => {
            unsubscribe();
            resolve();
          });
        });
      await admin.overview();
      const published = nextChange();
      queue.publish('g', 1);
      await published;
      const operated = nextChange();
      await admin.operate({ kind: 'park', fence: await fenceOf(admin, 1), delayMs: 1000 });
      await operated;
      assert.equal((await admin.message(1))?.state, 'parked');
    }, options));

  test(`${place}: a listener is still called after another one has unsubscribed, and a new one after all have`, () =>
    withAdmin(async ({ queue, admin }) => {
      const listen = () => {
        let unsubscribe: () => void = () => undefined;
        const called = new Promise<true>((resolve) => {
          unsubscribe = admin.onChange(() => resolve(true));
        });
        return { called, unsubscribe };
      };
      await admin.overview();
      const [first, second] = [listen(), listen()];
      first.unsubscribe();
      first.unsubscribe();
      queue.publish('g', 1);
      assert.ok(await second.called);
      second.unsubscribe();
      queue.publish('g', 2);
      const third = listen();
      assert.ok(await third.called);
      third.unsubscribe();
    }, options));

  test(`${place}: a listener is called when the file is replaced, and the next call says so`, async () => {
    using folder = new TempFolder();
    const [path, other] = [folder.file(), folder.file('other.db')];
    for (const file of [path, other]) new SqliteTransport({ path: file, durability: 'normal' }).close();
    const admin = openAdmin({ path, ...options });
    await admin.overview();
    const changed = new Promise<void>((resolve) => admin.onChange(resolve));
    renameSync(other, path);
    await changed;
    await assert.rejects(admin.messages(), { code: 'FILE_REPLACED', message: /was replaced/ });
    const next = openAdmin({ path, ...options });
    assert.equal(
      (await next.overview()).messages,
      0,
      'an admin that is opened afterwards reads the new file',
    );
    await next.close();
    await admin.close();
  });

  test(`${place}: with secureDelete an event that an operator acked and purged from the journal is not in the file any more`, async () => {
    using folder = new TempFolder();
    for (const secureDelete of [true, false]) {
      const path = folder.file(`${secureDelete}.db`);
      const queue = new SqliteTransport({ path, durability: 'normal' });
      queue.publish('g', 'the secret of the queue');
      queue.close();
      const admin = openAdmin({ path, secureDelete, ...options });
      await admin.operate({ kind: 'ack', fence });
      await admin.purge({ journal: { maxCount: 0 } });
      await admin.close();
      assert.equal(readFileSync(path).includes('the secret of the queue'), !secureDelete);
    }
  });
}
