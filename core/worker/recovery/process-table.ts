/** What the operating system knows about processes. It is only read; what is not known for certain is null or left out. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { processStartedBy } from '../../contract/clock.ts';

export interface ProcessTable {
  readonly pid: number;
  /** This computer, as a hash of its identity; empty where there is none. */
  readonly machine: string;
  /** This boot and pid namespace; null where the system does not provide them. */
  readonly scope: { readonly boot: string; readonly namespace: string } | null;
  /** This process started at this time or earlier, epoch ms; null when unknown. */
  readonly startedBy: number | null;
  /** When a process started, in ticks; 'gone' when it does not exist or is a zombie; null when unknown. Linux only. */
  startOf(pid: number): number | 'gone' | null;
  /** False only when it is certain that no process has this pid. */
  exists(pid: number): boolean;
  /** When these processes started, epoch ms, without those that are unknown. It starts a program, and never rejects. */
  startTimes(pids: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

export const systemProcesses: ProcessTable = {
  pid: process.pid,
  get machine() {
    const id =
      process.platform === 'linux' ? firstText(['/etc/machine-id', '/var/lib/dbus/machine-id']) : '-';
    return id === ''
      ? ''
      : createHash('sha256').update(`leasehold ${id} ${hostname()}`).digest('hex').slice(0, 8);
  },
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
  get startedBy() {
    return processStartedBy();
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
  startTimes: (pids) => (process.platform === 'win32' ? askPowerShell(pids) : askPs(pids)),
};

function firstText(paths: readonly string[]): string {
  for (const path of paths)
    try {
      const text = readFileSync(path, 'utf8').trim();
      if (text !== '') return text;
    } catch {}
  return '';
}

/** Field 3 is the state, field 22 the start. The name in field 2 may contain spaces and parentheses. */
export function parseStat(stat: string): number | 'gone' | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone';
  const ticks = Number(fields[19]);
  return Number.isSafeInteger(ticks) ? ticks : null;
}

/** `ps` of macOS and the BSDs, and of Linux: to the second, in UTC. */
export async function askPs(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const text = await output('/bin/ps', ['-o', 'pid=,lstart=', '-p', pids.join(',')], {
    LC_ALL: 'C',
    TZ: 'UTC',
  });
  return parseStarts(text, (start) => Date.parse(`${start} UTC`));
}

/** Node has no call for it, and `wmic` is gone from Windows 11. PowerShell takes about a second; nothing waits for it. */
function askPowerShell(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const program = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`;
  const script = `Get-Process -Id ${pids.join(',')} -ErrorAction SilentlyContinue | ForEach-Object { "$($_.Id) $($_.StartTime.ToUniversalTime().ToFileTimeUtc())" }`;
  const args = ['-NoProfile', '-NonInteractive', '-Command', script];
  return output(program, args, process.env).then((text) => parseStarts(text, fromFileTime));
}

/** From units of 100 ns since 1601. NaN for other text. */
function fromFileTime(text: string): number {
  return /^\d{17,19}$/.test(text) ? Number(BigInt(text) / 10_000n) - 11_644_473_600_000 : Number.NaN;
}

/** One process a line: the pid, then its start. Other lines say nothing. */
export function parseStarts(
  text: string,
  parseStart: (start: string) => number,
): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  for (const line of text.split('\n')) {
    const [, pid, start = ''] = /^\s*(\d+)\s+(\S.*?)\s*$/.exec(line) ?? [];
    const at = parseStart(start);
    if (pid !== undefined && Number.isFinite(at)) starts.set(Number(pid), at);
  }
  return starts;
}

/** What a program prints, also when it fails: `ps` does when one of the processes does not exist. */
function output(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    try {
      const options = { env, timeout: 10_000, windowsHide: true };
      execFile(program, args, options, (_error, stdout) => resolve(String(stdout))).unref();
    } catch {
      resolve('');
    }
  });
}
