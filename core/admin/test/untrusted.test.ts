import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type LeaseholdError, openAdmin, SqliteTransport } from '../../index.ts';
import { Program } from '../../sqlite/test/support/program.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { craftIndex, craftLongGroupIds, craftSchema } from './crafted-tree.ts';

/** Short, since most of these calls never end; the others take some milliseconds. */
const LIMIT = { untrusted: true, timeLimitMs: 1000 };
const GROUPS = 300;
/** SQLite counts the messages in their smallest index, for the overview only. */
const COUNTED_INDEX = 'harel_transport_messages_out_of_turn';
const HUNG_ADMIN = '../../../admin/test/hung-admin';

async function withQueue(body: (path: string) => Promise<void>): Promise<void> {
  using folder = new TempFolder();
  const path = folder.file();
  const queue = new SqliteTransport({ path, durability: 'normal' });
  for (let n = 0; n < GROUPS; n++) queue.publish(`g${n}`, 'x'.repeat(n));
  queue.close();
  await body(path);
}

describe('an untrusted file in which a query never ends', () => {
  it('rejects this query with TIMED_OUT, the file, the limit and the remedy, and answers the reads behind it', () =>
    withQueue(async (path) => {
      craftIndex(path, COUNTED_INDEX);
      const admin = openAdmin({ path, ...LIMIT });
      const [overview, groups, message] = await Promise.allSettled([
        admin.overview(),
        admin.groups(),
        admin.message(3),
      ]);
      assert.ok(overview.status === 'rejected');
      assert.equal(overview.reason.code, 'TIMED_OUT');
      assert.ok(overview.reason.message.startsWith(`${path}: `));
      assert.match(overview.reason.message, /1000 ms \(timeLimitMs\).*pass a longer timeLimitMs/);
      assert.ok(groups.status === 'fulfilled', 'groups');
      assert.equal(groups.value.total, GROUPS);
      assert.ok(message.status === 'fulfilled', 'message');
      assert.equal(message.value?.seq, 3);
      await admin.close();
      await assert.rejects(admin.groups(), { code: 'CLOSED' });
    }));
});

describe('an untrusted file whose rows share one long text', () => {
  it('rejects an answer that would fill the memory with ANSWER_TOO_LARGE, and answers with fewer rows', () =>
    withQueue(async (path) => {
      const length = 40 * 2 ** 20;
      craftLongGroupIds(path, 4, length);
      const admin = openAdmin({ path, untrusted: true });
      for (const query of [{}, { sort: 'groupId', state: 'ready' }, { descending: true }] as const)
        await assert.rejects(admin.messages(query), ({ code, message }: LeaseholdError) => {
          assert.equal(code, 'ANSWER_TOO_LARGE');
          assert.ok(message.startsWith(`${path}: `), message);
          assert.match(message, /128 Mi characters. Ask for fewer rows/);
          return true;
        });
      const { rows } = await admin.messages({ limit: 1 });
      assert.equal(rows[0]?.groupId.length, length);
      await admin.close();
    }));
});

describe('an untrusted file whose schema has no end', () => {
  it('is refused when the limit is over, every later call at once, and close returns', () =>
    withQueue(async (path) => {
      craftSchema(path);
      const admin = openAdmin({ path, ...LIMIT });
      const changed = new Promise<void>((resolve) => admin.onChange(resolve));
      const refused = { code: 'TIMED_OUT', message: /could not be opened within 1000 ms/ };
      await Promise.all([
        assert.rejects(admin.overview(), refused),
        assert.rejects(admin.operate({ kind: 'ack' } as never), { code: 'BAD_ARGUMENT' }),
        assert.rejects(admin.groups(), refused),
      ]);
      await assert.rejects(admin.messages(), refused);
      // Whoever waits for a change learns that there will be none.
      await changed;
      await admin.close();
    }));

  it('close without a call returns as well', () =>
    withQueue(async (path) => {
      craftSchema(path);
      await openAdmin({ path, ...LIMIT }).close();
    }));

  for (const end of ['exit', 'signal', 'end of the thread'] as const)
    it(`its process ends with its parent, also while it is inside SQLite: ${end}`, () =>
      withQueue(async (path) => {
        craftSchema(path);
        const program = new Program(HUNG_ADMIN, { path, end });
        const streamsEnd = once(program.child.stdout as Readable, 'end');
        await program.ready();
        if (end === 'signal') program.kill();
        // After the end of the child, which has the same streams.
        await streamsEnd;
        if (end === 'end of the thread') {
          assert.equal(program.child.exitCode, null, 'the process of the thread goes on');
          program.finish();
        }
        const expected = end === 'signal' ? { code: null, signal: 'SIGKILL' } : { code: 0, signal: null };
        assert.deepEqual(await program.exited, expected);
      }));
});

describe('the process of an untrusted file', () => {
  it('starts in a program from the command line, whatever its flags, and does not keep it alive', () =>
    withQueue(async (path) => {
      const program = `
        import { openAdmin } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
        const admin = openAdmin({ path: ${JSON.stringify(path)}, untrusted: true });
        admin.onChange(() => undefined);
        console.log((await admin.overview()).groups);`;
      const flags = ['--input-type=module', '--max-old-space-size=500', '--eval', program];
      const options = { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } } as const;
      assert.equal(execFileSync(process.execPath, flags, options), `${GROUPS}\n`);
    }));

  it('has sent every answer before a close ends it', () =>
    withQueue(async (path) => {
      const admin = openAdmin({ path, untrusted: true });
      const reading = Promise.all([admin.messages({ limit: GROUPS }), admin.groups({ limit: GROUPS })]);
      await admin.close();
      for (const page of await reading) assert.equal(page.rows.length, GROUPS);
    }));
});
