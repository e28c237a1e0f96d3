/** An operator's purge: the verb that a transport's purge runs as well, and a row in the journal, in one transaction. */
import type { Purged, Retention } from '../../contract/retention.ts';
import type { Engine } from '../../sqlite/engine.ts';
import { makeJournal } from './journal.ts';

/** The rows of each kind that one call removes. */
const LIMIT = 1000;

export function makeOperatorPurge(engine: Engine): (retention: Retention, operator: string) => Purged {
  const journal = makeJournal(engine.context);
  return (retention, operator) =>
    engine.write(() => {
      const purged = engine.verbs.purge.purge(retention, LIMIT);
      if (purged.deadLetters + purged.journal > 0) journal.purged(operator, retention, purged);
      return purged;
    });
}
