/**
 * Worker ids: `app:pid:start:random`. From an id, a later start of the app can decide whether the process is alive.
 *
 * A pid alone is not enough, since pids are reused. On Linux `start` is `boot.namespace.ticks`: the id of the boot, the pid
 * namespace (two sandboxes on one file have pids of their own), and the start of the process in clock ticks since the
 * boot. On other systems it is `e` and the epoch ms of the start, which only people read: there a worker is dead when no
 * process has its pid.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
import type { Clock } from '../../contract/clock.ts';

/** What the operating system knows about processes. Tests replace it. */
export interface ProcessTable {
  readonly pid: number;
  /** This boot and pid namespace; null where the system does not provide them. */
  readonly scope: { readonly boot: string; readonly namespace: string } | null;
  /** When a process started, in ticks; 'gone' when it does not exist or is a zombie; null when unknown. */
  startOf(pid: number): number | 'gone' | null;
  /** False only when it is certain that no process has this pid. */
  exists(pid: number): boolean;
}

export const systemProcesses: ProcessTable = {
  pid: process.pid,
  get scope() {
    if (process.platform !== 'linux') return null;
    try {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
      const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
      return namespace ? { boot, namespace } : null;
    } catch {
      return null;
    }
  },
  startOf(pid) {
    if (process.platform !== 'linux') return null;
    try {
      return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // Where /proc hides the processes of other users, a live process has no file either.
      return (code === 'ENOENT' || code === 'ESRCH') && !this.exists(pid) ? 'gone' : null;
    }
  },
  exists(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // EPERM: it exists and belongs to another user.
      return (error as NodeJS.ErrnoException).code !== 'ESRCH';
    }
  },
};

/** Field 3 is the state, field 22 the start. The name in field 2 may contain spaces and parentheses. */
export function parseStat(stat: string): number | 'gone' | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone';
  const ticks = Number(fields[19]);
  return Number.isSafeInteger(ticks) ? ticks : null;
}

/** The start of this process, as its workers' ids contain it. */
function ownStart(clock: Clock, processes: ProcessTable): string {
  const { scope } = processes;
  const ticks = processes.startOf(processes.pid);
  if (scope && typeof ticks === 'number') return `${scope.boot}.${scope.namespace}.${ticks}`;
  return `e${Math.round(clock.now() - clock.monotonic())}`;
}

export function makeWorkerId(app: string, clock: Clock, processes: ProcessTable = systemProcesses): string {
  const thread = isMainThread ? '' : `t${threadId}-`;
  return `${app}:${processes.pid}:${ownStart(clock, processes)}:${thread}${randomBytes(4).toString('hex')}`;
}

/**
 * True when this worker belonged to this app and its process is certainly gone. In doubt it counts as alive, and its
 * leases lapse by themselves.
 */
export function isDead(workerId: string, app: string, processes: ProcessTable = systemProcesses): boolean {
  const parts = workerId.split(':');
  if (parts.length !== 4 || parts[0] !== app) return false;
  const pid = Number(parts[1]);
  const start = parts[2] as string;
  if (!Number.isSafeInteger(pid) || pid <= 0 || start === '') return false;
  // Not Linux: the time of the start. (The id of a boot may begin with an e as well.)
  if (/^e-?\d+$/.test(start)) return !processes.exists(pid);
  const [boot, namespace, ticks] = start.split('.');
  const { scope } = processes;
  if (!scope || ticks === undefined) return false;
  // A file in WAL mode is open on one machine only, so another boot is an earlier one.
  if (boot !== scope.boot) return true;
  // A pid of another namespace means nothing here.
  if (namespace !== scope.namespace) return false;
  const now = processes.startOf(pid);
  return now === 'gone' ? true : now !== null && now !== Number(ticks);
}
