import { readdirSync, readFileSync } from 'node:fs';

function read(pid: string, what: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1');
  } catch {
    // It ended between the listing and the reading.
    return '';
  }
}

/**
 * The processes of an app, on Linux; elsewhere none is found. Its helpers are in its process group, but Chromium writes
 * their titles over their environment; a process that left the group still has the mark in its environment.
 * @param group the id of the process that was launched
 */
export function processesOf(group: number | undefined, mark: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      // pid (name) state parent group
      const [, state, groupOfProcess] = /\) (\S) \d+ (\d+)/.exec(read(pid, 'stat')) ?? [];
      // Z: it has ended, and only its exit code is left to be fetched.
      if (state === undefined || state === 'Z') return false;
      return Number(groupOfProcess) === group || read(pid, 'environ').includes(mark);
    })
    .map(Number);
}
