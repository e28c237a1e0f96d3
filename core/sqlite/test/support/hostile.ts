/** Program: opens each file with every kind of opener and uses it, and prints what came of it. */
import { AsyncSqliteTransport, type LeaseholdError, openAdmin, SqliteTransport } from '../../../index.ts';
import { programArguments } from './program-side.ts';

export interface HostileArguments {
  readonly files: readonly { readonly file: string; readonly openers: readonly string[] }[];
}

export interface HostileOutcome {
  readonly file: string;
  readonly opener: string;
  /** Undefined where the file was opened and used without an error. */
  readonly code?: string;
  readonly message?: string;
}

const OPENERS: Record<string, (path: string) => Promise<void>> = {
  async sync(path) {
    const queue = new SqliteTransport({ path });
    queue.publish('g', 1);
    queue.claim('w', 1_000);
    queue.close();
  },
  async 'sync, readonly'(path) {
    new SqliteTransport({ path, readonly: true }).close();
  },
  async async(path) {
    const queue = new AsyncSqliteTransport({ path });
    await queue.publish('g', 1);
    await queue.claim('w', 1_000);
    await queue.close();
  },
  async admin(path) {
    const admin = openAdmin({ path });
    await admin.overview();
    await admin.close();
  },
};

for (const { file, openers } of programArguments<HostileArguments>().files) {
  for (const opener of openers) {
    let outcome: HostileOutcome = { file, opener };
    try {
      await OPENERS[opener]?.(file);
    } catch (error) {
      const { code, message } = error as LeaseholdError;
      outcome = { file, opener, code, message };
    }
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
  }
}
process.exit(0);
