/**
 * Tells whether what an event in a caller's transaction reports was committed: asks the file when the transaction is over.
 * The caller may have rolled back all of it, or a part.
 */
import type { TransportEventName } from '../contract/transport.ts';
import { prepare, type VerbContext } from './verbs/verb-context.ts';

/** Call it within the transaction. Call the function that it returns afterwards. */
export type EventWitness = (name: TransportEventName, seq: number) => () => boolean;

export function makeEventWitness(context: Pick<VerbContext, 'db' | 'names'>): EventWitness {
  const { messages } = context.names;
  const readFence = prepare(context, `SELECT fence AS fence FROM ${messages} WHERE seq = ?`);
  // A message that was published in a transaction that was rolled back is gone as well, so the sequence is compared too.
  const isTrue = prepare(
    context,
    `SELECT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ? AND seq >= ?)
  AND NOT EXISTS (SELECT 1 FROM ${messages} WHERE seq = ? AND fence < ?) AS isTrue`,
  );

  return (name, seq) => {
    let least = Number.NEGATIVE_INFINITY;
    if (name !== 'published') {
      const row = readFence.get(seq) as { fence: number } | undefined;
      // Without a row it was acked or buried, and is to be gone.
      least = row?.fence ?? Number.POSITIVE_INFINITY;
    }
    return () => (isTrue.get(context.names.messages, seq, seq, least) as { isTrue: number }).isTrue === 1;
  };
}
