/** What troubles the processes of a run. Each call is one occurrence, and is over when it resolves. */
import { chmodSync, existsSync } from 'node:fs';
import { Program } from '../../sqlite/test/support/program.ts';
import { type Company, type Seat, UP } from './company.ts';
import { DISK_TROUBLES, type Disk, type DiskTrouble } from './disk-trouble.ts';
import type { MeddlerArguments } from './meddler.ts';

export type Trouble = (company: Company) => Promise<void>;

const HOUR_MS = 3_600_000;

/** Waits for nothing: the random moment of an occurrence, and how long it lasts. */
export const moment = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const any = <T>({ random }: Company, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

/** A process that works is killed, and another one starts. */
export const kill: Trouble = async (company) => {
  const seat = any(company, company.seats);
  await seat.program.ready(UP);
  await moment(company.random() * 100);
  await company.kill(seat);
};

/** A process stands still, for up to three times its visibility. */
export const freeze =
  (visibilityMs: number): Trouble =>
  async (company) => {
    const seat: Seat = any(company, company.seats);
    const { child } = seat.program;
    await seat.program.ready(UP);
    child.kill('SIGSTOP');
    await moment(company.random() * 3 * visibilityMs);
    child.kill('SIGCONT');
  };

/** The wall clock of all processes jumps, in either direction. */
export const jumpClock: Trouble = async (company) => {
  const size = any(company, [100, 1_000, HOUR_MS]);
  company.setClock(Math.round((company.random() * 2 - 1) * size));
  await moment(company.random() * 50);
};

/** Every file of the queue is read-only for a while. */
export const readOnly: Trouble = async (company) => {
  const files = ['', '-wal', '-shm']
    .map((suffix) => company.file + suffix)
    .filter((file) => existsSync(file));
  const change = (mode: number) => {
    // The last process that closes the file removes the others.
    for (const file of files) if (existsSync(file)) chmodSync(file, mode);
  };
  change(0o400);
  await moment(company.random() * 100);
  change(0o600);
};

/** Another program holds the write lock for longer than anybody waits for it. */
export const foreignLock =
  (holdMs: number): Trouble =>
  async ({ file, history }) => {
    await meddle({ file, holdMs, sql: [] });
    history.write({ unlocked: true });
  };

/** Another program maintains the file. */
export const maintenance: Trouble = async (company) => {
  const statements = ['VACUUM', 'REINDEX', 'ANALYZE', 'PRAGMA wal_checkpoint(TRUNCATE)', 'PRAGMA optimize'];
  await meddle({
    file: company.file,
    holdMs: null,
    sql: [any(company, statements), any(company, statements)],
  });
};

async function meddle(args: MeddlerArguments): Promise<void> {
  await new Program('../../../test/support/meddler', args).lines();
}

/** The disk fails for a moment. */
export const diskTrouble =
  (disk: Disk, troubles: readonly DiskTrouble[] = DISK_TROUBLES): Trouble =>
  async (company) => {
    disk.fail(any(company, [troubles, [any(company, troubles)]]), any(company, [2, 10, 50]));
    await moment(company.random() * 60);
    disk.heal();
    await moment(company.random() * 60);
  };

/** Each of these troubles occurs `times` times, beside the others. */
export async function trouble(company: Company, troubles: readonly Trouble[], times: number): Promise<void> {
  await Promise.all(
    troubles.map(async (occur) => {
      for (let n = 0; n < times; n++) await occur(company);
    }),
  );
}
