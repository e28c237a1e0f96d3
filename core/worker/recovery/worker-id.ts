/**
 * Worker ids: `app:pid:start:random`, from which a later start of the app can tell whether the process still lives.
 *
 * A pid alone does not tell: it is used again. On Linux `start` is boot.namespace.ticks: the boot's own id, the pid
 * namespace (two sandboxes on one file count their pids apart), and when the process started, in clock ticks since the
 * boot. Elsewhere it is `e` and the epoch ms of the start, for people only: there a worker is dead when nothing has its pid.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
import type { Clock } from '../../contract/clock.ts';

/** What is asked of the system, so that tests can answer for it. */
export interface ProcessTable {
  readonly pid: number;
  /** This boot and pid namespace, or null where the system does not tell. */
  readonly scope: { readonly boot: string; readonly namespace: string } | null;
  /** Ticks at which a process started; 'gone' without one (or a zombie); null when the system does not tell. */
  startOf(pid: number): number | 'gone' | null;
  /** False only when no process has this pid. */
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
      // Where /proc hides other users' processes, a live one has no file either.
      return (code === 'ENOENT' || code === 'ESRCH') && !this.exists(pid) ? 'gone' : null;
    }
  },
  exists(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // EPERM: it is there and belongs to somebody else.
      return (error as NodeJS.ErrnoException).code !== 'ESRCH';
    }
  },
};

/** Field 3 is the state, field 22 the start; the name before them may hold spaces and brackets. */
export function parseStat(stat: string): number | 'gone' | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone';
  const ticks = Number(fields[19]);
  return Number.isSafeInteger(ticks) ? ticks : null;
}

/** This process's own start, as it stands in its workers' ids. */
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
 * True when this worker belonged to this app and its process is certainly gone. Whatever leaves a doubt counts as
 * alive: its leases then lapse by themselves.
 */
export function isDead(workerId: string, app: string, processes: ProcessTable = systemProcesses): boolean {
  const parts = workerId.split(':');
  if (parts.length !== 4 || parts[0] !== app) return false;
  const pid = Number(parts[1]);
  const start = parts[2] as string;
  if (!Number.isSafeInteger(pid) || pid <= 0 || start === '') return false;
  // Elsewhere than on Linux: the time of the start. (A boot's id may begin with an e as well.)
  if (/^e-?\d+$/.test(start)) return !processes.exists(pid);
  const [boot, namespace, ticks] = start.split('.');
  const { scope } = processes;
  if (!scope || ticks === undefined) return false;
  // One file in WAL mode is open on one machine only, so another boot is an earlier one.
  if (boot !== scope.boot) return true;
  // A pid of another sandbox says nothing here.
  if (namespace !== scope.namespace) return false;
  const now = processes.startOf(pid);
  return now === 'gone' ? true : now !== null && now !== Number(ticks);
}
