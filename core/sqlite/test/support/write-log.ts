import { statSync } from 'node:fs';
import type { Transport } from '../../../contract/transport.ts';

const EVENT = 'x'.repeat(100_000);

export const logBytes = (path: string): number =>
  statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

/** Writes about `megabytes` to the log, in commits of a tenth of that unit, and leaves no message. */
export async function writeLog(queue: Transport, megabytes: number): Promise<void> {
  for (let n = 0; n < 10 * megabytes; n++) {
    await queue.publish('log', EVENT);
    const lease = await queue.claim('log writer', 60_000);
    if (lease) await queue.ack(lease);
  }
}
