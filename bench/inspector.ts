/** A queue of 1M messages at work, with and without an inspector that looks at it. */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AsyncSqliteTransport, openAdmin, SqliteTransport } from '../core/index.ts';
import { runWorker } from '../core/worker/index.ts';
import { fill } from './backlog.ts';
import { inFolder } from './measure.ts';
import { atLeast, type Bench, perSecond, type Row } from './row.ts';

const WINDOWS = 3;
const WINDOW_MS = 5000;
const MOST_LOG_MB = 20;
const MOST_CORES = 0.15;

export const inspector: Bench = {
  title: 'The inspector over 1M messages in 100k groups, which a worker drains (NORMAL)',
  run: () => inFolder((folder) => measure(`${folder}/inspected.db`)),
};

interface Totals {
  handled: number;
  ms: number;
  cpuMs: number;
  logBytes: number;
}

async function measure(path: string): Promise<Row[]> {
  new SqliteTransport({ path }).close();
  const db = new Database(path);
  fill(db, { messages: 1_000_000, groups: 100_000 });
  db.close();
  const transport = new AsyncSqliteTransport({ path, durability: 'normal' });
  await transport.dataVersion();
  let handled = 0;
  const worker = runWorker(transport, () => void handled++, { concurrency: 16 });
  const plain: Totals = { handled: 0, ms: 0, cpuMs: 0, logBytes: 0 };
  const inspected: Totals = { handled: 0, ms: 0, cpuMs: 0, logBytes: 0 };
  const window = async (totals: Totals) => {
    const before = { handled, at: performance.now(), cpu: process.cpuUsage() };
    const end = before.at + WINDOW_MS;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      totals.logBytes = Math.max(totals.logBytes, statSync(`${path}-wal`).size);
    }
    const { user, system } = process.cpuUsage(before.cpu);
    totals.handled += handled - before.handled;
    totals.ms += performance.now() - before.at;
    totals.cpuMs += (user + system) / 1000;
  };
  for (let n = 0; n < WINDOWS; n++) {
    await window(plain);
    const close = await look(path);
    await window(inspected);
    await close();
  }
  await worker.stop();
  await transport.close();
  return rows(plain, inspected);
}

/**
 * Reads what the inspector's page with an open message reads, again after every change. Resolves after the first answers, with
 * a function that ends it.
 */
async function look(path: string): Promise<() => Promise<void>> {
  const admin = openAdmin({ path });
  const read = () =>
    Promise.all([admin.overview(), admin.messages({ state: 'ready' }), admin.message(999_999)]);
  await read();
  const unsubscribe = admin.onChange(() => void read());
  return () => {
    unsubscribe();
    return admin.close();
  };
}

function rows(plain: Totals, inspected: Totals): Row[] {
  const rate = ({ handled, ms }: Totals) => handled / ms;
  const cores = ({ cpuMs, ms }: Totals) => cpuMs / ms;
  const logMb = Math.max(plain.logBytes, inspected.logBytes) / 1e6;
  const extra = cores(inspected) - cores(plain);
  const shown = (totals: Totals) => perSecond(totals.handled, totals.ms);
  return [
    atLeast(
      'drain while the inspector is open, against without it',
      0.95,
      rate(inspected) / rate(plain),
      `${shown(inspected)} against ${shown(plain)}`,
    ),
    {
      what: 'the longest log',
      target: `at most ${MOST_LOG_MB} MB`,
      result: `${logMb.toFixed(1)} MB`,
      met: logMb <= MOST_LOG_MB,
    },
    {
      what: "CPU of the app's process for the inspector's reads",
      target: `at most ${MOST_CORES} cores`,
      result: `${extra.toFixed(2)} cores (${cores(inspected).toFixed(2)} against ${cores(plain).toFixed(2)})`,
      met: extra <= MOST_CORES,
    },
  ];
}
