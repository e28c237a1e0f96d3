import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { CHANGE_INTERVAL_MS, ChangeWatch } from '../change-watch.ts';

interface WatchFixture {
  readonly watch: ChangeWatch;
  readonly clock: FakeClock;
  /** Commits on another connection. */
  write(): void;
  /** The number of changes that were reported. */
  changes(): number;
  /** Replace it to run code when a change is reported. */
  onChange: () => void;
}

function withWatch(body: (fixture: WatchFixture) => void): void {
  using folder = new TempFolder();
  const writer = new Database(folder.file());
  writer.exec('CREATE TABLE t (x)');
  const reader = new Database(folder.file(), { readonly: true });
  const clock = new FakeClock();
  let changes = 0;
  const watch = new ChangeWatch(reader, clock, () => {
    changes++;
    fixture.onChange();
  });
  const fixture: WatchFixture = {
    watch,
    clock,
    write: () => writer.exec('INSERT INTO t VALUES (1)'),
    changes: () => changes,
    onChange: () => undefined,
  };
  try {
    body(fixture);
  } finally {
    watch.stop();
    reader.close();
    writer.close();
  }
}

test('a watch reports all changes since its last poll once, and nothing without a change', () =>
  withWatch(({ watch, clock, write, changes }) => {
    watch.start();
    clock.advance(CHANGE_INTERVAL_MS * 4);
    assert.equal(changes(), 0);
    write();
    write();
    clock.advance(CHANGE_INTERVAL_MS * 4);
    assert.equal(changes(), 1);
  }));

test('a watch under constant writes reports 4 changes a second', () =>
  withWatch(({ watch, clock, write, changes }) => {
    watch.start();
    for (let ms = 0; ms < 1000; ms += 10) {
      write();
      clock.advance(10);
    }
    assert.equal(changes(), 4);
  }));

test('a stopped watch does not poll, and a change from before the next start is reported', () =>
  withWatch(({ watch, clock, write, changes }) => {
    watch.start();
    watch.start();
    assert.equal(clock.timers, 1);
    watch.stop();
    assert.equal(clock.timers, 0);
    write();
    clock.advance(CHANGE_INTERVAL_MS);
    assert.equal(changes(), 0);
    watch.start();
    clock.advance(CHANGE_INTERVAL_MS);
    assert.equal(changes(), 1);
  }));

test('a listener may stop the watch', () =>
  withWatch((fixture) => {
    const { watch, clock, write } = fixture;
    fixture.onChange = () => watch.stop();
    watch.start();
    write();
    clock.advance(CHANGE_INTERVAL_MS);
    assert.equal(clock.timers, 0);
  }));
