/** holders: the workers that hold leases, and how many. */
import type { Holder } from '../../contract/transport.ts';
import { PARKED } from '../file/names.ts';
import { lockedMessagesSql } from './locked-messages.ts';
import { prepare, type VerbContext } from './verb-context.ts';

export function makeLeaseHolders(context: VerbContext): () => Holder[] {
  const holders = prepare(
    context,
    `SELECT lockedBy AS workerId, COUNT(*) AS leases FROM (${lockedMessagesSql(context.names)})
WHERE lockedBy <> ? GROUP BY lockedBy ORDER BY lockedBy`,
  );
  return () => holders.all(PARKED) as Holder[];
}
