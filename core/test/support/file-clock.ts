/** A wall clock that jumps for all processes of a run: its distance from the real one, in ms, is the text of a file. */
import { openSync, readSync, writeFileSync } from 'node:fs';
import { type Clock, systemClock } from '../../contract/clock.ts';

export function fileClock(file: string): Clock {
  const fd = openSync(file, 'r');
  const buffer = Buffer.alloc(32);
  const offset = () => Number(buffer.toString('latin1', 0, readSync(fd, buffer, 0, 32, 0)));
  return { ...systemClock, now: () => systemClock.now() + offset() };
}

/** Padded to one length, so that a reader never finds half of a number. */
export function setFileClock(file: string, offsetMs: number): void {
  writeFileSync(file, `${offsetMs}`.padStart(32), { flag: 'r+' });
}

export function createFileClock(file: string): void {
  writeFileSync(file, '0'.padStart(32));
}
