/** release: frees what dead workers held. */
import { PARKED } from '../file/names.ts';
import type { FencedMessage } from './fence.ts';
import { lockedMessagesSql } from './locked-messages.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** Returns how many messages it freed. */
export function makeRelease(
  context: VerbContext,
  nack: (message: FencedMessage) => boolean,
): (workerIds: readonly string[]) => number {
  const held = prepare(
    context,
    `SELECT * FROM (${lockedMessagesSql(context.names)})
WHERE lockedBy <> ? AND lockedBy IN (SELECT value FROM json_each(?))`,
  );
  return (workerIds) => {
    const messages = held.all(PARKED, JSON.stringify(workerIds)) as FencedMessage[];
    return messages.filter((message) => nack(message)).length;
  };
}
