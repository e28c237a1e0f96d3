import { readdirSync, readFileSync } from 'node:fs';

function read(pid: string, file: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // The process ended after the listing.
    return '';
  }
}

/**
 * The running processes of an app, on Linux; empty on other systems. The app's helpers are in its process group, but Chromium
 * overwrites their environment with their titles. A process that left the group still has the mark in its environment.
 * @param group the id of the process that was launched
 */
export function processesOf(group: number | undefined, mark: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      // pid (name) state parent group
      const [, state, groupOfProcess] = /\) (\S) \d+ (\d+)/.exec(read(pid, 'stat')) ?? [];
      // Z: the process has ended, and its parent has not read the exit code yet.
      if (state === undefined || state === 'Z') return false;
      return Number(groupOfProcess) === group || read(pid, 'environ').includes(mark);
    })
    .map(Number);
}

/** Ends a process at once. It may already have ended. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
