/**
 * Judges the joined history of all processes of a queue, and what the file holds at the end, by the rules of the contract. Each
 * rule accuses only what is certain: a call took effect at an unknown moment between its question and its answer.
 */
import { checkAttempts } from './check-attempts.ts';
import { type Delivery, type Facts, factsOf, isFinal, type Publish, type Use } from './deliveries.ts';
import type { Line } from './history.ts';
import { heldUntil, jumpsAhead } from './holding.ts';

export interface Stored {
  readonly seq: number;
  readonly token: string;
}

/** What the file holds at the end. */
export interface Rest {
  readonly messages: readonly Stored[];
  readonly groups: readonly string[];
  readonly dead: readonly Stored[];
}

/** Every violation, in words; empty when there is none. */
export function violations(lines: readonly Line[], rest: Rest): string[] {
  const facts = factsOf(lines);
  return [
    ...checkHolders(facts),
    ...checkOrder(facts),
    ...checkPublishes(facts),
    ...checkEnds(facts, rest),
    ...checkFences(facts),
    ...checkAttempts(facts),
    ...checkReleases(facts),
    ...checkRefusals(facts),
  ];
}

const nameOf = ({ lease, group, process }: Delivery): string => `${lease} of ${group} in ${process}`;

/** Never two holders of one group at one time. */
function checkHolders({ deliveries, lines }: Facts): string[] {
  const jumps = jumpsAhead(lines);
  const found: string[] = [];
  for (const each of Map.groupBy(deliveries, ({ group }) => group).values()) {
    const held = each.map((delivery) => ({ delivery, until: heldUntil(delivery, jumps) }));
    held.sort((a, b) => a.delivery.answered - b.delivery.answered);
    let last: (typeof held)[number] | undefined;
    for (const next of held) {
      // Its answer came after it may have lapsed, so nothing is known about when it was held.
      if (next.until <= next.delivery.answered) continue;
      if (last && next.delivery.answered < last.until)
        found.push(`two holders: ${nameOf(next.delivery)} was taken while ${nameOf(last.delivery)} was held`);
      if (!last || next.until > last.until) last = next;
    }
  }
  return found;
}

/** A message is delivered only when all earlier ones of its group are gone, and then none of them ever again. */
function checkOrder({ deliveries, publishes }: Facts): string[] {
  const messages = new Map<number, { group: string; first: number; last: number; gone: number }>();
  const messageOf = (seq: number, group: string) => {
    const known = messages.get(seq);
    if (known) return known;
    const fresh = { group, first: Number.POSITIVE_INFINITY, last: 0, gone: Number.POSITIVE_INFINITY };
    messages.set(seq, fresh);
    return fresh;
  };
  for (const { messages: published } of publishes)
    for (const { seq, group } of published) if (seq !== null) messageOf(seq, group);
  for (const { seq, group, asked, answered, uses } of deliveries) {
    const message = messageOf(seq, group);
    message.first = Math.min(message.first, answered);
    message.last = Math.max(message.last, asked);
    for (const use of uses)
      if (isFinal(use) && use.outcome !== 'lost') message.gone = Math.min(message.gone, use.asked);
  }
  const found: string[] = [];
  const latest = new Map<string, { seq: number; at: number }>();
  for (const [seq, { group, first, last, gone }] of [...messages].sort(([a], [b]) => a - b)) {
    const before = latest.get(group);
    if (before && first < before.at)
      found.push(`out of order: ${seq} of ${group} was delivered before ${before.seq} was gone`);
    const at = Math.max(last, gone);
    if (!before || at > before.at) latest.set(group, { seq, at });
  }
  return found;
}

/** A later publish has a higher seq, a batch is there completely or not at all, and no message is there twice. */
function checkPublishes({ publishes, deliveries }: Facts): string[] {
  const found: string[] = [];
  const seqOf = new Map<string, number>();
  const note = (token: string, seq: number) => {
    const known = seqOf.get(token) ?? seq;
    if (known !== seq) found.push(`there twice: ${token} is message ${known} and ${seq}`);
    seqOf.set(token, seq);
  };
  for (const { token, seq } of deliveries) note(token, seq);
  for (const { messages, answered } of publishes) {
    const present = messages.filter(({ token }) => seqOf.has(token)).length;
    // A publish without an answer. What it left has been delivered by the end.
    if (answered === Number.POSITIVE_INFINITY && present > 0 && present < messages.length)
      found.push(`half a publish: ${present} of ${messages.map(({ token }) => token)}`);
    for (const { token, seq } of messages) if (seq !== null) note(token, seq);
  }
  const known = new Set(publishes.flatMap(({ messages }) => messages.map(({ token }) => token)));
  for (const token of seqOf.keys()) if (!known.has(token)) found.push(`never published: ${token}`);
  return [...found, ...checkSeqs(publishes)];
}

function checkSeqs(publishes: readonly Publish[]): string[] {
  const found: string[] = [];
  const seqsOf = ({ messages }: Publish) => messages.flatMap(({ seq }) => seq ?? []);
  const byAnswer = publishes
    .filter(({ answered }) => answered < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.answered - b.answered);
  let highest = 0;
  let next = 0;
  for (const publish of [...publishes].sort((a, b) => a.asked - b.asked)) {
    for (let ended = byAnswer[next]; ended && ended.answered < publish.asked; ended = byAnswer[++next])
      highest = Math.max(highest, ...seqsOf(ended));
    for (const [n, seq] of seqsOf(publish).entries()) {
      const before = seqsOf(publish)[n - 1] ?? highest;
      if (seq <= before) found.push(`a seq that falls: ${seq} was published after ${before}`);
    }
  }
  return found;
}

/** Nothing acknowledged is lost or comes back, and nothing is left behind. */
function checkEnds({ publishes, deliveries }: Facts, { messages, groups, dead }: Rest): string[] {
  const found: string[] = [];
  for (const { seq } of messages) found.push(`left behind: message ${seq}`);
  for (const group of groups) found.push(`left behind: group ${group}`);
  const ends = new Map<number, { done: { how: string; answered: number }[]; possible: Set<string> }>();
  for (const { seq, uses } of deliveries) {
    const end = ends.get(seq) ?? { done: [], possible: new Set() };
    ends.set(seq, end);
    for (const use of uses.filter(isFinal)) {
      if (use.outcome !== 'lost') end.possible.add(use.how);
      if (use.outcome === 'done') end.done.push(use);
    }
  }
  const deadSeqs = new Set(dead.map(({ seq }) => seq));
  for (const { seq, asked } of deliveries) {
    if (ends.get(seq)?.done.some(({ answered }) => answered < asked))
      found.push(`came back: message ${seq} was settled for good and then delivered`);
  }
  for (const [seq, { done, possible }] of ends) {
    if (done.length > 1) found.push(`settled twice: message ${seq}`);
    if (done[0]?.how === 'ack' && deadSeqs.has(seq)) found.push(`acked and dead: message ${seq}`);
    if (done[0]?.how === 'bury' && !deadSeqs.has(seq)) found.push(`lost: message ${seq} was buried`);
    if (deadSeqs.has(seq) && !possible.has('bury')) found.push(`dead, but never buried: message ${seq}`);
  }
  const present = new Set([...messages, ...dead].map(({ seq }) => seq));
  for (const { seq } of publishes.flatMap((each) => each.messages))
    if (seq !== null && !present.has(seq) && !ends.get(seq)?.possible.size)
      found.push(`lost: message ${seq} was published, never settled, and is gone`);
  return found;
}

/** The fence of a message only rises. */
function checkFences({ deliveries }: Facts): string[] {
  const found: string[] = [];
  for (const [seq, each] of Map.groupBy(deliveries, (delivery) => delivery.seq)) {
    const seen = each.flatMap(({ fence, asked, answered, uses }) => [
      { fence, asked, answered },
      ...uses.filter(({ how, outcome }) => how === 'extend' && outcome === 'done'),
    ]);
    seen.sort((a, b) => a.asked - b.asked);
    let highest: { fence: number; answered: number } | undefined;
    for (const { fence, asked, answered } of seen) {
      if (fence === null || fence === undefined) continue;
      if (highest && highest.answered < asked && fence <= highest.fence)
        found.push(`a fence that falls: message ${seq} had ${highest.fence} and then ${fence}`);
      if (!highest || fence > highest.fence) highest = { fence, answered };
    }
  }
  return found;
}

/** Only a process that has ended loses what it holds to a release. */
function checkReleases({ releases, deliveries, ended }: Facts): string[] {
  const processOf = new Map(deliveries.map(({ worker, process }) => [worker, process]));
  return releases
    .filter(({ ordinary }) => !ordinary)
    .flatMap(({ asked, workers }) =>
      workers.flatMap((worker) => {
        const process = processOf.get(worker);
        const end = process === undefined ? 0 : (ended.get(process) ?? Number.POSITIVE_INFINITY);
        return end > asked ? [`a live worker released: ${worker} of ${process}`] : [];
      }),
    );
}

/** A lease is refused only when someone may have taken its message: a lapsed one that nobody took still settles. */
function checkRefusals({ deliveries, unknownClaims }: Facts): string[] {
  const found: string[] = [];
  for (const each of Map.groupBy(deliveries, (delivery) => delivery.seq).values()) {
    for (const delivery of each) {
      const refusal = delivery.uses.findIndex(({ outcome }) => outcome === 'lost');
      const refused = delivery.uses[refusal];
      if (!refused) continue;
      const isExplained =
        // Any use before it without an answer may have settled it, and so may a use that took effect.
        delivery.uses.slice(0, refusal).some((use) => use.outcome === 'unknown' || isEnd(use)) ||
        each.some((other) => other !== delivery && other.asked < refused.answered) ||
        unknownClaims.some(({ asked, over }) => over > delivery.asked && asked < refused.answered);
      if (!isExplained) found.push(`refused: ${nameOf(delivery)} was lost, and nobody took it`);
    }
  }
  return found;
}

const isEnd = ({ how, outcome }: Use): boolean => outcome === 'done' && how !== 'extend' && how !== 'count';
