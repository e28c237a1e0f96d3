/**
 * An attempt is a start. A delivery says which attempt it is: one more than the starts that were counted before. What was claimed
 * and never started, or was given back by an ordinary end, leaves the number as it was.
 */
import type { Delivery, Facts, Use } from './deliveries.ts';

export function checkAttempts({ deliveries, starts, unknownClaims }: Facts): string[] {
  const found: string[] = [];
  for (const each of Map.groupBy(deliveries, (delivery) => delivery.seq).values()) {
    each.sort((a, b) => a.answered - b.answered);
    let counts = new Set([0]);
    let last: Delivery | undefined;
    for (const delivery of each) {
      const { attempt, asked, answered } = delivery;
      // They overlap, so their order is not known, and nothing is known about the rest.
      if (last && asked < last.answered) break;
      // A claim without an answer may have taken it in between, once each, and its process may have started it.
      const between = unknownClaims.filter((at) => at > (last?.asked ?? 0) && at < answered).length;
      if (between > 0) counts = new Set([...counts].flatMap((n) => range(n, n + between)));
      if (attempt !== null) {
        if (!counts.has(attempt - 1))
          found.push(
            `attempts: delivery ${delivery.lease} is attempt ${attempt} after ${[...counts].join(' or ')} counted starts`,
          );
        counts = countsAfter(attempt, delivery);
      }
      last = delivery;
    }
  }
  for (const { delivery, attempt } of starts) {
    if (!delivery) found.push('attempts: a handler got a message that its process had not claimed');
    else if (delivery.attempt !== attempt)
      found.push(`attempts: a handler got ${attempt} for ${delivery.lease}`);
  }
  return found;
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** How many starts the file may have counted once this delivery is over. */
function countsAfter(attempt: number, { counted, uses }: Delivery): Set<number> {
  let possible = new Set([counted]);
  for (const use of uses) {
    if (use.outcome === 'lost') continue;
    const value = countedBy(use);
    if (value === null) continue;
    possible = use.outcome === 'done' ? new Set([value]) : new Set([...possible, value]);
  }
  return new Set([...possible].map((isCounted) => (isCounted ? attempt : attempt - 1)));
}

/** Null: it leaves the count as it is. */
function countedBy({ how, counted }: Use): boolean | null {
  if (how === 'nack' || how === 'count') return counted;
  // What an ordinary end frees loses nothing. The release of a dead worker keeps what was counted.
  return how === 'release' && !counted ? false : null;
}
