/** What can be falsified in an honest history. The judge must find every falsification. */
import assert from 'node:assert/strict';
import { violations } from './check-history.ts';
import type { Claimed, Line } from './history.ts';
import type { Run } from './honest-run.ts';

type Reply = Extract<Line, { answer: number }> & { claimed?: Claimed[]; seqs?: number[] };

const claims = (lines: readonly Line[]): Reply[] =>
  lines.filter((line): line is Reply => 'claimed' in line && (line.claimed ?? []).length > 0);

const deliveriesIn = (lines: readonly Line[]): Claimed[] =>
  claims(lines).flatMap(({ claimed }) => claimed ?? []);

function the<T>(value: T | undefined): T {
  assert.ok(value !== undefined, 'the honest history has nothing to falsify');
  return value;
}

/** A message that was acked by a call of `ack`, with the lines of that call. */
function acked(lines: readonly Line[]) {
  const ask = the(lines.find((line) => 'settle' in line && line.settle === 'ack')) as Line & {
    lease: string;
    ask: number;
  };
  const answer = the(
    lines.find((line) => 'answer' in line && line.answer === ask.ask && line.process === ask.process),
  );
  return { ask, answer, delivery: the(deliveriesIn(lines).find(({ lease }) => lease === ask.lease)) };
}

/** Adds a claim with this answer at this moment. */
function addClaim(lines: Line[], at: number, claimed: Claimed): void {
  const stamp = { at, wall: at / 1_000, process: 'liar' };
  lines.push(
    { ...stamp, ask: at, claim: { visibilityMs: 60_000 }, acks: [] },
    { ...stamp, at: at + 0.1, answer: at, claimed: [claimed] },
  );
  lines.sort((a, b) => a.at - b.at);
}

const end = (lines: readonly Line[]): number => the(lines.at(-1)).at + 1;

/** How `run` may be changed. It returns the falsified run, or undefined when it has changed `run` itself. */
type Falsification = readonly [what: string, accusation: RegExp, falsify: (run: Run) => Run | undefined];

/** What the judge finds in an honest run that was falsified in this way, and whether the accusation is among it. */
export function judgeFalsified(
  honest: Run,
  [, accusation, falsify]: Falsification,
): { readonly found: string[]; readonly isCaught: boolean } {
  const run = structuredClone(honest);
  const { lines, rest } = falsify(run) ?? run;
  const found = violations(lines, rest);
  return { found, isCaught: found.some((each) => accusation.test(each)) };
}

/** What is falsified, the accusation that must follow, and how. */
export const FALSIFICATIONS: readonly Falsification[] = [
  [
    'two deliveries of a group are swapped',
    /^out of order/,
    ({ lines }) => {
      const [first, ...others] = claims(lines);
      const one = the(first?.claimed?.[0]);
      const two = the(
        others
          .flatMap(({ claimed }) => claimed ?? [])
          .find(({ group, seq }) => group === one.group && seq > one.seq),
      );
      const saved = { ...one };
      Object.assign(one, two);
      Object.assign(two, saved);
      return undefined;
    },
  ],
  [
    'an ack is left out',
    /^lost: message \d+ was published, never settled/,
    ({ lines, rest }) => {
      const { ask, answer } = acked(lines);
      return { rest, lines: lines.filter((line) => line !== ask && line !== answer) };
    },
  ],
  [
    'a message is claimed by a second client while it is held',
    /^two holders/,
    ({ lines }) => {
      const { ask, delivery } = acked(lines);
      addClaim(lines, ask.at - 0.5, { ...delivery, lease: `${delivery.seq}.99`, worker: 'liar' });
      return undefined;
    },
  ],
  [
    'the next message of a group is claimed while the first is held',
    /^two holders/,
    ({ lines }) => {
      const { ask, delivery } = acked(lines);
      addClaim(lines, ask.at - 0.5, {
        ...delivery,
        seq: 9e6,
        lease: '9000000.1',
        token: 'other',
        worker: 'liar',
      });
      return undefined;
    },
  ],
  [
    'a lease ends long before its time',
    /^two holders/,
    ({ lines, rest }) => {
      const { ask, answer, delivery } = acked(lines);
      // Its process was killed before it asked.
      addClaim(lines, ask.at, { ...delivery, lease: `${delivery.seq}.99`, worker: 'liar' });
      return {
        rest,
        lines: lines.filter(
          (line) =>
            !('ask' in line && line.ask === ask.ask && line.process === ask.process) &&
            !('answer' in line && line.answer === (answer as Reply).answer && line.process === ask.process),
        ),
      };
    },
  ],
  [
    'an acked message is delivered again',
    /^came back/,
    ({ lines }) => {
      addClaim(lines, end(lines), { ...acked(lines).delivery, lease: 'again' });
      return undefined;
    },
  ],
  [
    'an earlier message is delivered after a later one',
    /^out of order/,
    ({ lines }) => {
      addClaim(lines, end(lines), { ...acked(lines).delivery, lease: 'again' });
      return undefined;
    },
  ],
  [
    'a message is settled twice',
    /^settled twice/,
    ({ lines }) => {
      const { ask, answer } = acked(lines);
      lines.push({ ...ask, ask: 9e9, at: end(lines) }, {
        ...answer,
        answer: 9e9,
        at: end(lines) + 1,
      } as Line);
      return undefined;
    },
  ],
  [
    'a published message is gone',
    /^lost: message \d+ was published, never settled/,
    ({ lines }) => {
      const stamp = { at: end(lines), wall: 0, process: 'liar' };
      lines.push(
        { ...stamp, ask: 1, publish: [{ group: 'lost', token: 'lost' }] },
        { ...stamp, at: stamp.at + 1, answer: 1, seqs: [9e6] },
      );
      return undefined;
    },
  ],
  [
    'one message of an interrupted publish is there without the other',
    /^half a publish/,
    ({ lines }) => {
      const stamp = { at: end(lines), wall: 0, process: 'liar' };
      const [one, two] = ['one', 'two'].map((token) => ({ group: 'half', token }));
      lines.push({ ...stamp, ask: 1, publish: [the(one), the(two)] });
      addClaim(lines, end(lines), { ...acked(lines).delivery, ...the(one), seq: 9e6, lease: 'half' });
      return undefined;
    },
  ],
  [
    'a message is there twice',
    /^there twice/,
    ({ lines }) => {
      addClaim(lines, end(lines), { ...acked(lines).delivery, seq: 9e6, lease: 'twice' });
      return undefined;
    },
  ],
  [
    'a message was never published',
    /^never published/,
    ({ lines }) => {
      addClaim(lines, end(lines), { ...acked(lines).delivery, seq: 9e6, token: 'none', lease: 'none' });
      return undefined;
    },
  ],
  [
    'a later publish has a lower seq',
    /^a seq that falls/,
    ({ lines }) => {
      const publishes = lines.filter((line): line is Reply => 'seqs' in line);
      const [first, last] = [the(publishes[0]), the(publishes.at(-1))];
      const saved = first.seqs;
      Object.assign(first, { seqs: last.seqs });
      Object.assign(last, { seqs: saved });
      return undefined;
    },
  ],
  [
    'a fence falls',
    /^a fence that falls/,
    ({ lines }) => {
      const each = [...Map.groupBy(deliveriesIn(lines), ({ seq }) => seq).values()];
      for (const [n, delivery] of the(each.find(({ length }) => length > 1)).entries())
        Object.assign(delivery, { fence: 9 - n });
      return undefined;
    },
  ],
  [
    'a failed attempt is not counted',
    /^attempts: .* starts/,
    ({ lines }) => {
      Object.assign(the(deliveriesIn(lines).find(({ attempt }) => attempt === 2)), { attempt: 1 });
      return undefined;
    },
  ],
  [
    'an attempt is counted without a start',
    /^attempts: .* starts/,
    ({ lines }) => {
      Object.assign(the(deliveriesIn(lines).find(({ attempt }) => attempt === 1)), { attempt: 2 });
      return undefined;
    },
  ],
  [
    'a crash is not counted',
    /^attempts: .* crashes/,
    ({ lines }) => {
      const { delivery } = acked(lines);
      Object.assign(delivery, { crashes: 1 });
      return undefined;
    },
  ],
  [
    'a handler is told another attempt than its lease says',
    /^attempts: a handler/,
    ({ lines }) => {
      const { delivery, ask } = acked(lines);
      lines.push({
        at: ask.at,
        wall: ask.wall,
        process: ask.process,
        start: delivery.seq,
        attempt: (delivery.attempt ?? 0) + 1,
      });
      return undefined;
    },
  ],
  [
    'a suspect is started beside another handler',
    /^suspects: .* beside another handler/,
    ({ lines }) => {
      const [one, two] = [acked(lines).delivery, the(deliveriesIn(lines).at(-1))];
      Object.assign(two, { crashes: 1 });
      const stamp = { at: end(lines), wall: 0, process: the(lines.at(-1)).process };
      for (const { seq, attempt } of [one, two]) lines.push({ ...stamp, start: seq, attempt: attempt ?? 0 });
      return undefined;
    },
  ],
  [
    'a suspect is started before its attempt is counted',
    /^suspects: .* before its attempt/,
    ({ lines }) => {
      const last = the(deliveriesIn(lines).at(-1));
      Object.assign(last, { crashes: 1, counted: false });
      const stamp = { at: end(lines), wall: 0, process: the(lines.at(-1)).process };
      lines.push({ ...stamp, start: last.seq, attempt: last.attempt ?? 0 });
      return undefined;
    },
  ],
  [
    'a lease is refused though nobody took it',
    /^refused/,
    ({ lines }) => {
      const { answer, ask } = acked(lines);
      Object.assign(answer, { lost: [ask.lease] });
      return undefined;
    },
  ],
  [
    'a live worker is taken for dead',
    /^a live worker released/,
    ({ lines }) => {
      const { delivery, ask } = acked(lines);
      lines.push({
        ...ask,
        ask: 9e9,
        at: end(lines),
        release: [delivery.worker],
        ordinary: false,
      } as unknown as Line);
      return undefined;
    },
  ],
  [
    'an acked message is still there',
    /^left behind: message/,
    ({ lines, rest }) => ({ lines, rest: { ...rest, messages: [acked(lines).delivery] } }),
  ],
  [
    'a group is left without messages',
    /^left behind: group/,
    ({ lines, rest }) => ({ lines, rest: { ...rest, groups: ['g0'] } }),
  ],
  [
    'an acked message is a dead letter',
    /^acked and dead/,
    ({ lines, rest }) => ({ lines, rest: { ...rest, dead: [...rest.dead, acked(lines).delivery] } }),
  ],
  [
    'a buried message is no dead letter',
    /^lost: message \d+ was buried/,
    ({ lines, rest }) => ({ lines, rest: { ...rest, dead: rest.dead.slice(1) } }),
  ],
  [
    'a dead letter was never buried',
    /^dead, but never buried/,
    ({ lines, rest }) => ({ lines, rest: { ...rest, dead: [...rest.dead, acked(lines).delivery] } }),
  ],
];
