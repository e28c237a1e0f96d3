/** Joins the lines of a history to publishes and deliveries, for the rules in `check-history.ts`. */
import type { Asked, Claimed, Line, Settling } from './history.ts';

/** `done` took effect, `lost` changed nothing, and of `unknown` nobody knows: no answer came, or an error. */
type Outcome = 'done' | 'lost' | 'unknown';

/** A call with a lease. `release`: someone freed what the holder held. */
export interface Use {
  readonly how: Settling | 'extend' | 'count' | 'release';
  readonly asked: number;
  readonly answered: number;
  readonly outcome: Outcome;
  readonly counted: boolean;
  readonly parked: boolean;
  /** Of an extend. */
  readonly visibilityMs?: number;
  readonly fence?: number | null;
}

export interface Delivery extends Claimed {
  readonly process: string;
  /** It was committed between these two. */
  readonly asked: number;
  readonly answered: number;
  readonly visibilityMs: number;
  /** In the order in which they were asked. */
  readonly uses: Use[];
}

export interface Publish {
  readonly asked: number;
  readonly answered: number;
  readonly messages: readonly {
    readonly group: string;
    readonly token: string;
    readonly seq: number | null;
  }[];
}

/** A handler's start. */
export interface Start {
  readonly at: number;
  readonly delivery: Delivery | undefined;
  /** What the handler was told. */
  readonly attempt: number;
  /** No other handler of its process ran. */
  readonly alone: boolean;
}

export interface Facts {
  readonly publishes: Publish[];
  readonly deliveries: Delivery[];
  /** Claims whose answers nobody knows. Each may have taken messages until it was over. */
  readonly unknownClaims: { readonly asked: number; readonly over: number }[];
  readonly releases: {
    readonly asked: number;
    readonly workers: readonly string[];
    readonly ordinary: boolean;
  }[];
  /** When the end of each process began. */
  readonly ended: ReadonlyMap<string, number>;
  readonly starts: Start[];
  readonly lines: readonly Line[];
}

type Reply = Extract<Line, { answer: number }>;

interface Call {
  readonly line: Line & Asked;
  readonly reply: Exclude<Reply, { error: string }> | undefined;
  /** When it was over: never, without an answer. */
  readonly answered: number;
  /** When an error came. */
  readonly failed: number | undefined;
}

const outcomeOf = ({ reply }: Call, lease: string): Outcome => {
  if (!reply) return 'unknown';
  return reply.lost?.includes(lease) ? 'lost' : 'done';
};

function callsOf(lines: readonly Line[]): Call[] {
  const key = (process: string, number: number) => `${process} ${number}`;
  const replies = new Map(
    lines.flatMap((line) => ('answer' in line ? [[key(line.process, line.answer), line] as const] : [])),
  );
  return lines.flatMap((line) => {
    if (!('ask' in line)) return [];
    const reply = replies.get(key(line.process, line.ask));
    // It did not get the lock, so it changed nothing.
    if (reply && 'error' in reply && reply.error === 'BUSY') return [];
    const known = reply && !('error' in reply) ? reply : undefined;
    const failed = reply && !known ? reply.at : undefined;
    return [{ line, reply: known, answered: known?.at ?? Number.POSITIVE_INFINITY, failed }];
  });
}

export function factsOf(lines: readonly Line[]): Facts {
  const calls = callsOf(lines);
  const deliveries = calls.flatMap(({ line, reply, answered }) =>
    'claim' in line
      ? (reply?.claimed ?? []).map((each): Delivery => {
          const { at: asked, process, claim } = line;
          return { ...each, process, asked, answered, visibilityMs: claim.visibilityMs, uses: [] };
        })
      : [],
  );
  const byLease = new Map(deliveries.map((each) => [each.lease, each]));
  for (const call of calls) addUses(call, byLease, deliveries);
  // The first line says when the end of a process begins, the last one when it is over.
  const ends = lines.flatMap((line) => ('ended' in line ? [[line.ended, line.at] as const] : []));
  const ended = new Map(ends.toReversed());
  const gone = new Map(ends);
  for (const { uses } of deliveries) uses.sort((a, b) => a.asked - b.asked);
  return {
    deliveries,
    publishes: calls.flatMap(({ line, reply, answered }) =>
      'publish' in line
        ? [
            {
              asked: line.at,
              answered,
              messages: line.publish.map((each, n) => ({ ...each, seq: reply?.seqs?.[n] ?? null })),
            },
          ]
        : [],
    ),
    unknownClaims: calls.flatMap(({ line, reply, failed }) =>
      'claim' in line && !reply
        ? [{ asked: line.at, over: failed ?? gone.get(line.process) ?? Number.POSITIVE_INFINITY }]
        : [],
    ),
    releases: calls.flatMap(({ line }) =>
      'release' in line ? [{ asked: line.at, workers: line.release, ordinary: line.ordinary }] : [],
    ),
    ended,
    starts: startsIn(lines, deliveries),
    lines,
  };
}

function addUses(call: Call, byLease: ReadonlyMap<string, Delivery>, deliveries: readonly Delivery[]): void {
  const { line, reply, answered } = call;
  const add = (lease: string, how: Use['how'], more: Partial<Use> = {}) =>
    byLease.get(lease)?.uses.push({
      how,
      asked: line.at,
      answered,
      outcome: outcomeOf(call, lease),
      counted: true,
      parked: false,
      ...more,
    });
  if ('settle' in line) add(line.lease, line.settle, { counted: line.counted, parked: line.parked });
  else if ('claim' in line) for (const lease of line.acks) add(lease, 'ack');
  else if ('count' in line) add(line.count, 'count', { counted: line.counted });
  else if ('extend' in line) {
    add(line.extend, 'extend', { visibilityMs: line.visibilityMs, fence: reply?.fence ?? null });
  } else if ('release' in line) {
    const workers = new Set(line.release);
    for (const each of deliveries) {
      if (workers.has(each.worker) && each.asked < answered)
        add(each.lease, 'release', { outcome: 'unknown', counted: !line.ordinary });
    }
  }
}

/** A use that ends the delivery, if it took effect. */
export const isFinal = ({ how }: Use): boolean => how === 'ack' || how === 'bury';

function startsIn(lines: readonly Line[], deliveries: readonly Delivery[]): Start[] {
  const running = new Map<string, Set<number>>();
  return lines.flatMap((line) => {
    const { process, at } = line;
    const seqs = running.get(process) ?? new Set();
    running.set(process, seqs);
    if ('end' in line) seqs.delete(line.end);
    if (!('start' in line)) return [];
    const { start, attempt } = line;
    const delivery = deliveries.findLast(
      (each) => each.seq === start && each.process === process && each.answered <= at,
    );
    const alone = seqs.size === 0;
    seqs.add(start);
    return [{ at, delivery, attempt, alone }];
  });
}
