/** Program: opens a file or folder as a user without permission to write it, and prints the error. */
import { SqliteTransport } from '../../../index.ts';
import { programArguments } from './program-side.ts';

export interface RefusedArguments {
  readonly file: string;
  readonly readonly?: boolean;
}

export interface Refusal {
  readonly step: 'open' | 'look' | 'publish' | 'none';
  readonly code?: string;
  readonly message?: string;
}

const { file, readonly = false } = programArguments<RefusedArguments>();
// Permissions do not apply to root. The modules and the addon are loaded before the change of user.
new SqliteTransport({ path: ':memory:' }).close();
if (process.getuid?.() === 0) {
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}

let step: Refusal['step'] = 'open';
let refusal: Refusal = { step: 'none' };
let queue: SqliteTransport | undefined;
try {
  queue = new SqliteTransport({ path: file, readonly });
  step = 'look';
  queue.holders();
  if (!readonly) {
    step = 'publish';
    queue.publish('g', 1);
  }
} catch (error) {
  const { code, message } = error as Error & { code: string };
  refusal = { step, code, message };
} finally {
  queue?.close();
}
process.stdout.write(`${JSON.stringify(refusal)}\n`);
