/** Releases at the start what this app's dead workers held, so that no message waits for their leases to lapse. */
import type { Transport } from '../../contract/transport.ts';
import type { Reporter } from '../reporting/reporter.ts';
import { isDead, type ProcessTable, systemProcesses } from './worker-id.ts';

/**
 * Two workers that start at once find the same dead workers, and the second release finds nothing left. The attempts stay
 * counted: a message that kills its process each time reaches its last attempt and is then buried instead of run.
 */
export async function releaseDeadWorkers(
  transport: Pick<Transport, 'holders' | 'release'>,
  app: string,
  reporter: Reporter,
  processes: ProcessTable = systemProcesses,
): Promise<void> {
  const holders = await transport.holders();
  const dead = holders.map(({ workerId }) => workerId).filter((id) => isDead(id, app, processes));
  if (dead.length === 0) return;
  reporter.deadWorkersReleased(dead, await transport.release(dead));
}
