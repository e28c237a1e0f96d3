/** The random steps of a foreign run: statements of another program, calls of Leasehold, calls of the second client, time. */
import type { Dice } from './dice.ts';
import { compareInspector, compareReads } from './foreign-reads.ts';
import type { ForeignRun } from './foreign-run.ts';
import { foreignStatement } from './foreign-sql.ts';
import type { Filter } from './model.ts';

export interface Step {
  readonly text: string;
  run(run: ForeignRun): unknown;
}

const WORKERS = ['w', 'v'];
const GROUP_IDS = ['a', 'b', 'c', 'd', '7', 'é', ''];

function filter(dice: Dice): Filter {
  return {
    minPriority: dice.once(5) ? dice.below(5) : 0,
    routingKeys: dice.once(4) ? dice.pick([['x'], ['y', 'x'], ['x', 'x', ''], ['none'], []]) : undefined,
  };
}

const visibility = (dice: Dice) => dice.pick([1, 1_000, 30_000, 3_600_000]);

const calls: readonly (readonly [number, (dice: Dice, queue: number) => Step])[] = [
  [
    6,
    (dice, queue) => {
      const args = [
        dice.pick(GROUP_IDS),
        dice.below(9),
        dice.below(5),
        dice.pick([null, null, 'x', 'y']),
      ] as const;
      return {
        text: `publish(${args.map((each) => JSON.stringify(each))})`,
        run: (run) => run.publish(queue, ...args),
      };
    },
  ],
  [
    12,
    (dice, queue) => {
      const args = [
        dice.pick(WORKERS),
        visibility(dice),
        dice.pick([1, 1, 1, 2, 3, 9]),
        filter(dice),
      ] as const;
      return {
        text: `claimMany(${args.map((each) => JSON.stringify(each))})`,
        run: (run) => run.claim(queue, ...args),
      };
    },
  ],
  [4, (dice) => settle(dice, 'ack', (queue, lease) => queue.ack(lease))],
  [
    4,
    (dice) => {
      const delay = dice.pick([0, 0, 500, 20_000, 3_600_000]);
      return settle(dice, `nack ${delay}`, (queue, lease) => queue.nack(lease, delay));
    },
  ],
  [
    2,
    (dice) => {
      const ms = visibility(dice);
      return settle(dice, `extend ${ms}`, (queue, lease) => queue.extend(lease, ms));
    },
  ],
  [1, (dice) => settle(dice, 'bury', (queue, lease) => queue.bury(lease))],
  [
    1,
    (dice, queue) => {
      const workers = dice.pick([['w'], ['v', 'w'], ['other']]);
      return { text: `release(${workers})`, run: (run) => run.release(queue, workers) };
    },
  ],
  [
    1,
    (dice, queue) => {
      const pick = dice.below(4);
      return { text: `republish(dead letter ${pick})`, run: (run) => run.republish(queue, pick) };
    },
  ],
  [
    4,
    (dice, queue) => {
      const wanted = filter(dice);
      return {
        text: `nextExpiry(${JSON.stringify(wanted)}), holders(), deadLetters()`,
        run: (run) => compareReads(run, queue, wanted),
      };
    },
  ],
  [2, () => ({ text: 'the lists of the inspector', run: compareInspector })],
  [1, (_, queue) => ({ text: 'reopen', run: (run) => run.reopen(queue) })],
];

function settle(dice: Dice, what: string, act: Parameters<ForeignRun['settle']>[1]): Step {
  const pick = dice.pick([0, 0, 0, 1, 2, 3, 5, 8]);
  return { text: `${what} of lease -${pick + 1}`, run: (run) => run.settle(pick, act) };
}

const secondClient: readonly (readonly [number, (dice: Dice) => Step])[] = [
  [
    3,
    (dice) => {
      const seconds = dice.pick([0.001, 30, 3_600]);
      const worker = dice.pick(['second', 'w']);
      return {
        text: `second client: claim("${worker}", ${seconds})`,
        run: (run) =>
          run.secondClient(() => {
            const lease = run.second.claim(worker, seconds);
            if (lease) run.secondLeases.push(lease);
          }),
      };
    },
  ],
  [
    2,
    (dice) => {
      const delay = dice.pick([null, null, 0, 20]);
      return {
        text: `second client: ${delay === null ? 'ack' : `nack ${delay}`}`,
        run: (run) =>
          run.secondClient(() => {
            const lease = run.secondLeases.pop();
            if (!lease) return;
            if (delay === null) run.second.ack(lease);
            else run.second.nack(lease, delay);
          }),
      };
    },
  ],
];

const times = (dice: Dice): Step => {
  const ms = dice.pick([1, 500, 1_000, 1_001, 30_000, 3_600_000]);
  const back = dice.once(3);
  const step = dice.pick([-3_600_000, -10_000, -1, 10_000, 3_600_000]);
  return back
    ? { text: `the wall clock steps by ${step} ms`, run: ({ clock }) => clock.step(step) }
    : { text: `${ms} ms pass`, run: ({ clock }) => clock.advance(ms) };
};

const foreign = (dice: Dice): Step => {
  const statement = foreignStatement(dice);
  const byApp = dice.once(2);
  return {
    text: `SQL${byApp ? ' by the app' : ''}: ${statement.sql}`,
    run: (run) => run.foreignStatement(statement, byApp),
  };
};

export function randomStep(dice: Dice): Step {
  const queue = dice.once(4) ? 1 : 0;
  return dice.weighed<() => Step>([
    [40, () => foreign(dice)],
    [
      45,
      () => {
        const step = dice.weighed(calls)(dice, queue);
        return queue === 0 ? step : { ...step, text: `${step.text} by the other transport` };
      },
    ],
    [5, () => dice.weighed(secondClient)(dice)],
    [10, () => times(dice)],
  ])();
}
