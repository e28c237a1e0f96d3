/** The joined log of several processes on one queue, and the check that it is possible: no message lost, none held twice. */
export interface Delivery {
  readonly worker: string;
  readonly seq: number;
  readonly group: string;
  /** How it ended. `left`: not settled, or too late to settle. */
  readonly end: 'acked' | 'buried' | 'nacked' | 'parked' | 'left';
  /** Microseconds on the machine's clock: the message was certainly held from `since` to `until`. */
  readonly since: number;
  readonly until: number;
  /** Epoch ms: when it had been claimed, and when that lease ends. */
  readonly at: number;
  readonly expiresAt: number;
}

export interface Publication {
  readonly published: number;
  readonly group: string;
}

export type LogLine = Delivery | Publication;

/** Microseconds since a moment that is the same for all processes of this machine. */
// biome-ignore lint/plugin: the clock's monotonic side has another start in each process; this one is the machine's.
export const microseconds = (): number => Number(process.hrtime.bigint() / 1_000n);

/** Every violation of the rules, in words. `rest` are the seqs that were still in the queue at the end. */
export function contradictions(
  log: readonly LogLine[],
  rest: readonly number[],
  dead: readonly number[],
): string[] {
  const deliveries = log.filter((line): line is Delivery => 'end' in line && !wasLate(line));
  const published = log.flatMap((line) => ('published' in line ? line.published : []));
  const groups = Map.groupBy(deliveries, ({ group }) => group);
  const found = [...groups.values()].flatMap((each) =>
    contradictionsOfGroup(each.sort((a, b) => a.since - b.since)),
  );

  const gone = [...deliveries.filter(({ end }) => end === 'acked').map(({ seq }) => seq), ...dead, ...rest];
  const counts = new Map(gone.map((seq) => [seq, 0]));
  for (const seq of gone) counts.set(seq, (counts.get(seq) ?? 0) + 1);
  for (const seq of published) if (!counts.has(seq)) found.push(`message ${seq} was lost`);
  for (const [seq, count] of counts) if (count > 1) found.push(`message ${seq} ended ${count} times`);
  const known = new Set(published);
  for (const seq of counts.keys()) if (!known.has(seq)) found.push(`message ${seq} was never published`);
  return found;
}

/** The process read the clock only after the lease had lapsed, so nothing is known about when it held the message. */
const wasLate = ({ end, at, expiresAt }: Delivery): boolean => end === 'left' && at > expiresAt;

function contradictionsOfGroup(deliveries: readonly Delivery[]): string[] {
  const found: string[] = [];
  for (const [n, next] of deliveries.entries()) {
    const last = deliveries[n - 1];
    if (!last) continue;
    const say = (what: string): void => void found.push(`${what}: ${JSON.stringify([last, next])}`);
    if (last.until > next.since) say('held by two at once');
    if (last.end === 'left' && next.at <= last.expiresAt) say('taken before it lapsed');
    const isDone = last.end === 'acked' || last.end === 'buried';
    if (isDone ? next.seq <= last.seq : next.seq !== last.seq) say('out of order');
  }
  return found;
}
