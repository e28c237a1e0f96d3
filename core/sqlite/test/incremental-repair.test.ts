import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { SqliteTransport } from '../../index.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { execute, rows } from './support/file-check.ts';
import { drain, type SyncBench, withFile } from './support/sync-queue.ts';

/** Each reading takes a millisecond, so that the looks of an opening and of a timer are short. */
class TickingClock extends FakeClock {
  #readings = 0;
  override monotonic(): number {
    return super.monotonic() + this.#readings++;
  }
}

const GROUPS = 2_000;

/** A file of many groups; the last one in the order of ids has no row, and a row of the last one has no messages. */
function brokenFile({ open, file }: SyncBench): void {
  const queue = open();
  queue.publishMany(Array.from({ length: GROUPS }, (_, n) => ({ groupId: `g${n}`, event: n })));
  queue.close();
  execute(
    file,
    `INSERT INTO harel_transport_messages (group_id, event) VALUES ('zzz', '"orphan"');
     INSERT INTO harel_transport_groups (group_id, priority) VALUES ('zzzz', 4)`,
  );
}

const isRepaired = (file: string): boolean =>
  rows(file, "SELECT group_id FROM harel_transport_groups WHERE group_id LIKE 'zzz%'").map(
    ({ group_id }) => group_id,
  )[0] === 'zzz' && rows(file, "SELECT 1 FROM harel_transport_groups WHERE group_id = 'zzzz'").length === 0;

describe('the repair of a large file', () => {
  it('an opening looks at a part of the file, a timer at the rest, once, and a repaired message is announced', () =>
    withFile((bench) => {
      brokenFile(bench);
      const clock = new TickingClock();
      const queue = bench.open({ clock });
      assert.equal(isRepaired(bench.file), false, 'the opening must not look at the whole file');
      const announced: unknown[] = [];
      queue.on('published', (detail) => announced.push(detail));
      let slices = 0;
      for (; clock.timers > 0; slices++) clock.advance(clock.nextTimerIn ?? 0);
      assert.ok(slices > 5, `${slices} slices`);
      assert.equal(isRepaired(bench.file), true);
      assert.deepEqual(announced, [{ seq: GROUPS + 1, groupId: 'zzz' }]);
      assert.equal(drain(queue).length, GROUPS + 1);
      clock.advance(60_000);
      assert.equal(clock.timers, 0, 'nothing wakes up any more');
    }));

  it('an orphan whose row arrives in the meantime is left alone', () =>
    withFile((bench) => {
      brokenFile(bench);
      const clock = new TickingClock();
      const queue = bench.open({ clock });
      const announced: unknown[] = [];
      queue.on('published', (detail) => announced.push(detail));
      execute(bench.file, "INSERT INTO harel_transport_groups (group_id, priority) VALUES ('zzz', 3)");
      while (clock.timers > 0) clock.advance(clock.nextTimerIn ?? 0);
      assert.deepEqual(announced, []);
      assert.deepEqual(
        rows(bench.file, "SELECT priority FROM harel_transport_groups WHERE group_id = 'zzz'"),
        [{ priority: 3 }],
      );
    }));

  it('a repair from the timer does not wait for the write lock, and tries again', () =>
    withFile((bench) => {
      brokenFile(bench);
      const clock = new TickingClock();
      bench.open({ clock });
      const other = bench.connect();
      other.exec('BEGIN IMMEDIATE');
      // Longer than the whole walk takes; each wait for the lock would take five seconds of real time.
      for (let slice = 0; slice < 100; slice++) clock.advance(50);
      assert.ok(clock.timers > 0);
      other.exec('ROLLBACK');
      while (clock.timers > 0) clock.advance(clock.nextTimerIn ?? 0);
      assert.equal(isRepaired(bench.file), true);
    }));

  it('an opening while the file is locked succeeds, and repairs later', () =>
    withFile((bench) => {
      brokenFile(bench);
      const other = bench.connect();
      other.exec('BEGIN IMMEDIATE');
      const clock = new FakeClock();
      bench.open({ clock, busyTimeoutMs: 1 });
      other.exec('ROLLBACK');
      assert.equal(isRepaired(bench.file), false);
      clock.advance(50);
      assert.equal(isRepaired(bench.file), true);
    }));

  it('close ends the repair', () =>
    withFile((bench) => {
      brokenFile(bench);
      const clock = new TickingClock();
      const queue = bench.open({ clock });
      assert.ok(clock.timers > 0);
      queue.close();
      assert.equal(clock.timers, 0);
      bench.open();
    }));

  it('the group with the empty id and groups whose id is a BLOB are no obstacle', () =>
    withFile(({ open, file }) => {
      open().close();
      execute(
        file,
        `INSERT INTO harel_transport_messages (group_id, event) VALUES ('', '"empty"'), (X'00', '1'), (X'FF', '2'), ('z', '"z"');
         INSERT INTO harel_transport_groups (group_id) VALUES (X'00'), (X'FF')`,
      );
      const clock = new FakeClock();
      const queue = open({ clock });
      assert.deepEqual(
        rows(file, "SELECT group_id FROM harel_transport_groups WHERE typeof(group_id) = 'text' ORDER BY 1"),
        [{ group_id: '' }, { group_id: 'z' }],
      );
      assert.equal(clock.timers, 0);
      execute(file, "DELETE FROM harel_transport_messages WHERE typeof(group_id) = 'blob'");
      execute(file, "DELETE FROM harel_transport_groups WHERE typeof(group_id) = 'blob'");
      assert.deepEqual(drain(queue), ['empty', 'z']);
    }));
});

describe('the waits of an opening', () => {
  it('share one deadline of busyTimeoutMs', () =>
    withFile(({ folder }) => {
      const path = folder.file();
      const reader = new Database(path);
      reader.exec('CREATE TABLE mine (id); BEGIN; SELECT * FROM mine');
      const waits: number[] = [];
      const database = new Database(path, {
        verbose: (sql) => {
          const [, ms] = /busy_timeout = (\d+)/.exec(String(sql)) ?? [];
          if (ms) waits.push(Number(ms));
        },
      });
      // A reader keeps the file from becoming WAL, and each reading of the clock takes a tenth of the time.
      const clock = new FakeClock();
      clock.monotonic = () => {
        clock.advance(10);
        return FakeClock.prototype.monotonic.call(clock);
      };
      assert.throws(() => new SqliteTransport({ database, clock, busyTimeoutMs: 100 }), { code: 'BUSY' });
      assert.ok(waits.length > 2 && Math.max(...waits) <= 100);
      assert.deepEqual(
        waits,
        waits.toSorted((a, b) => b - a),
        'no wait is longer than the one before',
      );
      assert.ok((waits.at(-1) as number) < 20);
      reader.close();
      database.close();
    }));
});
