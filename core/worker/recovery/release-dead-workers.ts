/** Releases at the start what this app's dead workers held, so that no message waits for their leases to lapse. */
import type { HoldersPage, Transport } from '../../contract/transport.ts';
import type { Reporter } from '../reporting/reporter.ts';
import { type ProcessTable, systemProcesses } from './process-table.ts';
import { findDead } from './worker-id.ts';

/**
 * Two workers that start at once find the same dead workers, and the second release finds nothing left. Attempts that were
 * counted stay counted: a message that kills its process each time reaches its last attempt and is then buried instead of run.
 *
 * `proceed` is awaited before each use of the transport, and ends the walk with false.
 */
export async function releaseDeadWorkers(
  transport: Pick<Transport, 'holders' | 'release'>,
  app: string,
  reporter: Reporter,
  proceed: () => Promise<boolean>,
  processes: ProcessTable = systemProcesses,
): Promise<void> {
  /** Each id is judged once, also when it is on every page. */
  const judged = new Map<string, boolean>();
  let messages = 0;
  let after: number | null = null;
  do {
    if (!(await proceed())) break;
    const page: HoldersPage = await transport.holders({ after });
    const holders = page.holders.map(({ workerId }) => workerId);
    const unknown = holders.filter((id) => !judged.has(id));
    const dead = await findDead(unknown, app, processes);
    for (const id of unknown) judged.set(id, dead.includes(id));
    const found = holders.filter((id) => judged.get(id));
    if (found.length > 0) {
      // A look at processes can take a second.
      if (!(await proceed())) break;
      messages += (await transport.release(found, { after })).released;
    }
    after = page.next;
    // The worker claims meanwhile.
    if (after !== null) await new Promise(setImmediate);
  } while (after !== null);
  const released = [...judged].filter(([, isDead]) => isDead).map(([id]) => id);
  if (released.length > 0) reporter.deadWorkersReleased(released, messages);
}
