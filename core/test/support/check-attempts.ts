/**
 * An attempt is a start. A delivery says which attempt it is: one more than the starts that were counted before. What was claimed
 * and never started, or was given back by an ordinary end, leaves the number as it was. `crashes` says how often in a row a
 * delivery ended without a settle; a worker counts the start of such a message first, and starts it alone.
 */
import type { Delivery, Facts, Use } from './deliveries.ts';

/** What the file may hold of a message between two deliveries. */
interface Counts {
  readonly starts: number;
  readonly crashes: number;
  /** The last lease was not settled. The claim that takes it over counts a crash, unless it is the second client's. */
  readonly pending: boolean;
}

/** With more claims without an answer between two deliveries, anything may have happened to the counts. */
const MOST_UNKNOWN = 5;

export function checkAttempts({ deliveries, starts, unknownClaims }: Facts): string[] {
  const found: string[] = [];
  for (const ofGroup of Map.groupBy(deliveries, ({ group }) => group).values()) {
    // A message can be claimed only after all earlier ones of its group were.
    let claimable = 0;
    const messages = [...Map.groupBy(ofGroup, ({ seq }) => seq)].sort(([a], [b]) => a - b);
    for (const [, each] of messages) {
      found.push(...checkMessage(each, unknownClaims, claimable));
      claimable = Math.max(claimable, ...each.map(({ asked }) => asked));
    }
  }
  for (const { delivery, attempt, at, alone } of starts) {
    if (!delivery) {
      found.push('attempts: a handler got a message that its process had not claimed');
      continue;
    }
    if (delivery.attempt !== attempt) found.push(`attempts: a handler got ${attempt} for ${delivery.lease}`);
    if (delivery.crashes === 0) continue;
    const counted = delivery.uses.findLast(({ how, asked }) => how === 'count' && asked < at)?.counted;
    if (!(counted ?? delivery.counted))
      found.push(`suspects: ${delivery.lease} was started before its attempt was counted`);
    if (!alone) found.push(`suspects: ${delivery.lease} was started beside another handler`);
  }
  return found;
}

function checkMessage(
  deliveries: Delivery[],
  unknownClaims: Facts['unknownClaims'],
  claimable: number,
): string[] {
  const found: string[] = [];
  let possible: Counts[] = [{ starts: 0, crashes: 0, pending: false }];
  let last: Delivery | undefined;
  for (const [n, delivery] of deliveries.sort((a, b) => a.answered - b.answered).entries()) {
    // They overlap, so their order is not known, and nothing is known about the rest.
    if (deliveries.slice(n + 1).some(({ asked }) => asked < delivery.answered)) return found;
    const from = last?.asked ?? claimable;
    const claims = unknownClaims.filter(({ asked, over }) => over > from && asked < delivery.answered);
    // Too much is possible, so only what follows is judged.
    if (claims.length > MOST_UNKNOWN && delivery.attempt === null) return found;
    if (claims.length > MOST_UNKNOWN) possible = countsAt(delivery);
    else for (const _ of claims) possible = distinct(possible.flatMap(afterUnknownClaim));
    const matching = possible
      .map((counts) => takenOver(delivery, counts))
      .filter((counts) => matches(delivery, counts));
    if (matching.length === 0) {
      const expected = possible.map(
        (each) => `${each.starts} starts, ${each.crashes} crashes${each.pending ? ' and a lapse' : ''}`,
      );
      const { lease, attempt, crashes } = delivery;
      found.push(
        `attempts: ${lease} is attempt ${attempt} after ${crashes} crashes, not after ${expected.join(' or ')}`,
      );
      return found;
    }
    possible = distinct(matching.flatMap((counts) => countsAfter(delivery, counts)));
    last = delivery;
  }
  return found;
}

const countsAt = ({ attempt, crashes }: Delivery): Counts[] => [
  { starts: (attempt ?? 1) - 1, crashes: crashes ?? 0, pending: false },
];

const takenOver = ({ crashes }: Delivery, before: Counts): Counts =>
  crashes !== null && before.pending ? { ...before, crashes: before.crashes + 1 } : before;

const matches = ({ attempt, crashes }: Delivery, before: Counts): boolean =>
  (attempt === null || attempt === before.starts + 1) && (crashes === null || crashes === before.crashes);

/**
 * A claim without an answer may have taken the message once, and its process may have started it. The release of that process
 * counts a crash at once, which the second client's claim of a lapsed lease does not.
 */
const afterUnknownClaim = (before: Counts): Counts[] => {
  const crashes = before.crashes + (before.pending ? 1 : 0);
  return [
    before,
    { ...before, pending: true },
    ...[before.starts, before.starts + 1].flatMap((starts) => [
      { starts, crashes, pending: true },
      { starts, crashes: crashes + 1, pending: false },
    ]),
  ];
};

interface Going extends Counts {
  /** This delivery's attempt is counted in the file. */
  readonly counted: boolean;
}

function countsAfter(delivery: Delivery, before: Counts): Counts[] {
  let possible: Going[] = [{ ...before, counted: delivery.counted, pending: true }];
  for (const use of delivery.uses) {
    if (use.outcome === 'lost') continue;
    const after = possible.map((going) => ({ ...going, ...effectOf(use, delivery, going) }));
    possible = use.outcome === 'done' ? after : distinct([...possible, ...after]);
  }
  return possible.map(({ starts, crashes, pending, counted }) => ({
    starts: counted ? starts + 1 : starts,
    crashes,
    pending,
  }));
}

function effectOf(
  { how, counted, parked }: Use,
  { attempt }: Delivery,
  { crashes, pending }: Going,
): Partial<Going> {
  // The second client knows no counts, so a nack by it leaves them.
  if (how === 'nack' && attempt === null) return { pending: false };
  // A handler that ended, with an attempt or a park, did not end its process.
  if (how === 'nack') return { counted, pending: false, crashes: counted || parked ? 0 : crashes };
  if (how === 'count') return { counted };
  // It frees only what is still held.
  if (how === 'release' && !pending) return {};
  // What an ordinary end frees loses nothing. The release of a dead worker keeps what was counted, and is a crash.
  if (how === 'release')
    return counted ? { pending: false, crashes: crashes + 1 } : { counted: false, pending: false };
  return {};
}

function distinct<C extends Counts>(counts: readonly C[]): C[] {
  return [...new Map(counts.map((each) => [Object.values(each).join(), each])).values()];
}
