import assert from 'node:assert/strict';
import { it } from 'node:test';
import Database from 'better-sqlite3';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { ChangeWatch, LOOK_FOR_CHANGES_MS } from '../change-watch.ts';

function withWatch(
  body: (bench: {
    watch: ChangeWatch;
    clock: FakeClock;
    write(): void;
    heard(): number;
    told: { run(): void };
  }) => void,
): void {
  using folder = new TempFolder();
  const writer = new Database(folder.file());
  writer.exec('CREATE TABLE t (x)');
  const reader = new Database(folder.file(), { readonly: true });
  const clock = new FakeClock();
  let heard = 0;
  const told: { run(): void } = { run: () => undefined };
  const watch = new ChangeWatch(reader, clock, () => {
    heard++;
    told.run();
  });
  try {
    body({
      watch,
      clock,
      write: () => writer.exec('INSERT INTO t VALUES (1)'),
      heard: () => heard,
      told,
    });
  } finally {
    watch.stop();
    reader.close();
    writer.close();
  }
}

it('tells once of all changes since its last look, and not of none', () =>
  withWatch(({ watch, clock, write, heard }) => {
    watch.start();
    clock.advance(LOOK_FOR_CHANGES_MS * 4);
    assert.equal(heard(), 0);
    write();
    write();
    clock.advance(LOOK_FOR_CHANGES_MS * 4);
    assert.equal(heard(), 1);
  }));

it('looks no more once it is stopped, and again after another start', () =>
  withWatch(({ watch, clock, write, heard }) => {
    watch.start();
    watch.start();
    assert.equal(clock.timers, 1);
    watch.stop();
    assert.equal(clock.timers, 0);
    write();
    clock.advance(LOOK_FOR_CHANGES_MS);
    assert.equal(heard(), 0);
    watch.start();
    clock.advance(LOOK_FOR_CHANGES_MS);
    assert.equal(heard(), 1);
  }));

it('may be stopped by whoever is told', () =>
  withWatch(({ watch, clock, write, told }) => {
    told.run = () => watch.stop();
    watch.start();
    write();
    clock.advance(LOOK_FOR_CHANGES_MS);
    assert.equal(clock.timers, 0);
  }));
