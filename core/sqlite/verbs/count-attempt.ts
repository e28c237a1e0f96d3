/** countAttempt: counts the attempt of a held lease in the file, or takes it back. */
import type { Lease } from '../../contract/transport.ts';
import { FENCE, fencedBy, fenceValues } from './fence.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** Returns false when the lease is no longer held; nothing has changed then. */
export function makeCountAttempt(context: VerbContext): (lease: Lease<unknown>, counted: boolean) => boolean {
  const count = prepare(
    context,
    `UPDATE ${context.names.messages} SET attempts = MAX(attempts - started + ?, 0), started = ? WHERE ${FENCE}`,
  );
  return (lease, counted) => {
    const started = counted ? 1 : 0;
    return count.run(started, started, ...fenceValues(fencedBy(lease))).changes > 0;
  };
}
