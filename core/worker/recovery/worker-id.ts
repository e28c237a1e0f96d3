/**
 * Worker ids: `app:pid:start:random`. From an id, a later start of the app can decide whether the process is alive.
 *
 * A pid alone is not enough, since pids are reused and mean nothing on another machine. `start` is
 * - on Linux `boot.namespace.ticks.machine`: the id of the boot, the pid namespace (two sandboxes on one file have pids of their
 *   own), the start of the process in clock ticks since the boot, and a hash of machine id and host name;
 * - elsewhere `e` and the epoch ms by which the process had started (nothing when unknown), a dot, and a hash of the host name.
 *
 * Only certain death counts. In doubt a worker counts as alive, and its leases lapse by themselves.
 */
import { randomBytes } from 'node:crypto';
import { isMainThread, threadId } from 'node:worker_threads';
import { type ProcessTable, systemProcesses } from './process-table.ts';

/** The pid namespace of the system itself on every Linux: a constant of the kernel. Containers have others. */
const INITIAL_NAMESPACE = '4026531836';

/** `ps` tells a start in whole seconds. */
const START_ACCURACY_MS = 2000;

export function makeWorkerId(app: string, processes: ProcessTable = systemProcesses): string {
  const thread = isMainThread ? '' : `t${threadId}-`;
  return `${app}:${processes.pid}:${ownStart(processes)}:${thread}${randomBytes(4).toString('hex')}`;
}

/** The start of this process, as its workers' ids contain it. */
function ownStart(processes: ProcessTable): string {
  const { scope, machine, startedBy } = processes;
  const ticks = processes.startOf(processes.pid);
  if (scope && typeof ticks === 'number') return `${scope.boot}.${scope.namespace}.${ticks}.${machine}`;
  return `e${startedBy === null ? '' : Math.round(startedBy)}.${machine}`;
}

/** The ids among these whose workers belonged to this app and whose processes are certainly gone. */
export async function findDead(
  workerIds: readonly string[],
  app: string,
  processes: ProcessTable = systemProcesses,
): Promise<string[]> {
  const verdicts = workerIds.map((id) => judge(id, app, processes));
  const pids = new Set(verdicts.flatMap((verdict) => (typeof verdict === 'object' ? [verdict.pid] : [])));
  const starts = pids.size > 0 ? await processes.startTimes([...pids]) : new Map<number, number>();
  return workerIds.filter((_id, place) => {
    const verdict = verdicts[place];
    if (typeof verdict !== 'object') return verdict === 'dead';
    const start = starts.get(verdict.pid);
    return start !== undefined && start > verdict.startedBy + START_ACCURACY_MS;
  });
}

/** A suspect is dead when the process that has its pid now started later than it did. */
type Verdict = 'dead' | 'alive' | { readonly pid: number; readonly startedBy: number };

function judge(workerId: string, app: string, processes: ProcessTable): Verdict {
  const parts = workerId.split(':');
  if (parts.length !== 4 || parts[0] !== app) return 'alive';
  const pid = Number(parts[1]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return 'alive';
  const start = (parts[2] as string).split('.');
  // The id of a boot may begin with an e as well.
  if (start.length === 2 && /^e\d*$/.test(start[0] as string)) return judgeByTime(pid, start, processes);
  return judgeOnLinux(pid, start, processes);
}

function judgeByTime(pid: number, [time = '', machine]: readonly string[], processes: ProcessTable): Verdict {
  // The process may live on another machine that has the file as well.
  if (machine !== processes.machine || machine === '') return 'alive';
  if (!processes.exists(pid)) return 'dead';
  return time === 'e' ? 'alive' : { pid, startedBy: Number(time.slice(1)) };
}

function judgeOnLinux(pid: number, start: readonly string[], processes: ProcessTable): Verdict {
  const [boot, namespace, ticks, machine = ''] = start;
  const { scope } = processes;
  if (!scope || ticks === undefined) return 'alive';
  if (boot !== scope.boot) {
    // A container with a kernel of its own can share the folder with a machine that runs. Only on one and the same machine
    // is another boot an earlier one.
    const isThisMachine = machine !== '' && machine === processes.machine;
    const isOutside = namespace === INITIAL_NAMESPACE && scope.namespace === INITIAL_NAMESPACE;
    return isThisMachine && isOutside ? 'dead' : 'alive';
  }
  // A pid of another namespace means nothing here.
  if (namespace !== scope.namespace) return 'alive';
  const now = processes.startOf(pid);
  if (now === null) return 'alive';
  return now === Number(ticks) ? 'alive' : 'dead';
}
