import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { systemClock } from '../contract/clock.ts';
import type { Lease } from '../contract/transport.ts';
import { SqliteTransport } from '../sqlite/sqlite-transport.ts';
import { randomFrom } from '../sqlite/test/support/random.ts';
import { inTempFolder } from '../sqlite/test/support/temp-folder.ts';
import { type Rest, violations } from './support/check-history.ts';
import { type Claimed, type Line, readHistories, Writer } from './support/history.ts';
import { recorded } from './support/recorder.ts';
import { restOf } from './support/rest-of.ts';

interface Run {
  readonly lines: Line[];
  readonly rest: Rest;
}

/** The history of two clients of one file, and the file they left. */
function honestRun(): Promise<Run> {
  return inTempFolder((folder) => {
    const histories = folder.file('histories');
    mkdirSync(histories);
    const random = randomFrom(1);
    const writers = ['a', 'b'].map((name) => new Writer(`${histories}/${name}.jsonl`, systemClock.now));
    const queues = writers.map((writer) =>
      recorded(new SqliteTransport<string>({ path: folder.file(), durability: 'normal' }), writer),
    );
    const [first] = queues as [SqliteTransport<string>];
    const held: [SqliteTransport<string>, Lease<string>][] = [];
    const settle = () => {
      const [queue, lease] = held.shift() ?? [];
      if (!queue || !lease) return;
      const choice = random();
      if (choice < 0.2) queue.nack(lease, 0, { countAttempt: choice < 0.1 });
      else if (choice < 0.3) queue.bury(lease);
      else if (choice < 0.5) held.push([queue, queue.extend(lease, 60_000)]);
      else if (choice < 0.6)
        held.push(
          ...queue
            .ackAndClaimMany([lease], 'w', 60_000, 2)
            .claimed.map((next) => [queue, next] as (typeof held)[number]),
        );
      else queue.ack(lease);
    };
    for (let round = 0; round < 150; round++) {
      for (const [n, queue] of queues.entries()) {
        const group = `g${Math.floor(random() * 3)}`;
        const tokens = Array.from({ length: random() < 0.2 ? 3 : 1 }, (_, each) => `${round}-${n}-${each}`);
        if (random() < 0.5) queue.publishMany(tokens.map((event) => ({ groupId: group, event })));
        const lease = queue.claim(`w${n}`, 60_000);
        if (lease) held.push([queue, lease]);
        settle();
        settle();
      }
    }
    while (held.length > 0) settle();
    for (let lease = first.claim('w', 60_000); lease; lease = first.ackAndClaim(lease, 60_000));
    for (const queue of queues) queue.close();
    for (const writer of writers) writer.close();
    return { lines: readHistories(histories), rest: restOf(folder.file()) };
  });
}

const honest = await honestRun();

/** A copy that a falsification may change. */
const copy = (): Run => structuredClone(honest);

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

/** What is falsified, the accusation that must follow, and how. */
const FALSIFICATIONS: readonly (readonly [
  what: string,
  accusation: RegExp,
  falsify: (run: Run) => Run | undefined,
])[] = [
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
    ({ lines }) => {
      const { ask, answer, delivery } = acked(lines);
      // Its process was killed before it asked.
      addClaim(lines, ask.at, { ...delivery, lease: `${delivery.seq}.99`, worker: 'liar' });
      return {
        rest: honest.rest,
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

describe('the judge of histories', () => {
  it('finds no fault in an honest history', () => {
    assert.deepEqual(violations(honest.lines, honest.rest), []);
  });

  for (const [what, accusation, falsify] of FALSIFICATIONS) {
    it(`finds that ${what}`, () => {
      const run = copy();
      const falsified = falsify(run) ?? run;
      const found = violations(falsified.lines, falsified.rest);
      assert.ok(
        found.some((each) => accusation.test(each)),
        `found ${JSON.stringify(found.slice(0, 5))}`,
      );
    });
  }
});
