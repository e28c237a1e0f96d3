/** Releases at the start what this app's dead workers held, so that no message waits for their leases to lapse. */
import type { HoldersPage, Transport } from '../../contract/transport.ts';
import type { Reporter } from '../reporting/reporter.ts';
import { isDead, type ProcessTable, systemProcesses } from './worker-id.ts';

/**
 * Two workers that start at once find the same dead workers, and the second release finds nothing left. Attempts that were
 * counted stay counted: a message that kills its process each time reaches its last attempt and is then buried instead of run.
 *
 * `proceed` is awaited before each page of groups, and ends the walk with false.
 */
export async function releaseDeadWorkers(
  transport: Pick<Transport, 'holders' | 'release'>,
  app: string,
  reporter: Reporter,
  proceed: () => Promise<boolean>,
  processes: ProcessTable = systemProcesses,
): Promise<void> {
  const dead = new Set<string>();
  let messages = 0;
  let after: number | null = null;
  do {
    if (!(await proceed())) break;
    const page: HoldersPage = await transport.holders({ after });
    const found = page.holders.map(({ workerId }) => workerId).filter((id) => isDead(id, app, processes));
    if (found.length > 0) messages += (await transport.release(found, { after })).released;
    for (const id of found) dead.add(id);
    after = page.next;
    // The worker claims meanwhile.
    if (after !== null) await new Promise(setImmediate);
  } while (after !== null);
  if (dead.size > 0) reporter.deadWorkersReleased([...dead], messages);
}
