/** The order of the groups: which value of last_claimed_at puts a group behind all others. */
import { prepare, type VerbContext } from './verb-context.ts';

const MICROSECOND = 0.000001;

/** Twice the distance of two doubles, as a part of their value. */
const TWO_STEPS = 2 * Number.EPSILON;

/** The highest turn in the table. Another program may have written text, a blob or infinity. */
export const highestTurnSql = (groups: string) => `SELECT MAX(last_claimed_at) FROM ${groups}`;

export interface Turns {
  /**
   * The turns of groups that one transaction claims, in epoch seconds: `now`, or just above the highest turn in the table, and
   * each above the one before. A wall clock can step back, and it cannot order twenty claims within a millisecond. The step
   * is at least one that a double of this size can hold, so a turn in milliseconds, or from a clock that was far ahead, does
   * not end the round robin. `highest` is what highestTurnSql gives in the same transaction; only the first call uses it.
   */
  from(now: number): (highest: unknown) => number;
  /** As if the group had just been claimed: `now`, or the highest turn. */
  last(now: number): number;
}

export function makeTurns(context: VerbContext): Turns {
  const { groups } = context.names;
  const highest = prepare(context, highestTurnSql(groups)).pluck();
  const highestNumber = prepare(
    context,
    `SELECT MAX(last_claimed_at) FROM ${groups} WHERE last_claimed_at < 9e999`,
  ).pluck();
  const beyond = prepare(
    context,
    `SELECT group_id FROM ${groups} WHERE last_claimed_at >= 9e999 ORDER BY last_claimed_at, rowid`,
  ).pluck();
  const setTurn = prepare(context, `UPDATE ${groups} SET last_claimed_at = ? WHERE group_id = ?`);

  /** Text, blobs and infinity sort behind every number: their groups would be served when all others are empty. */
  function replaceUnordered(): number {
    let turn = (highestNumber.get() as number | null) ?? 0;
    for (const groupId of beyond.all()) {
      turn = after(turn);
      setTurn.run(turn, groupId);
    }
    return turn;
  }

  function asNumber(turn: unknown): number {
    if (turn === null) return Number.NEGATIVE_INFINITY;
    return typeof turn === 'number' && turn < Number.POSITIVE_INFINITY ? turn : replaceUnordered();
  }

  return {
    from(now) {
      let last: number | null = null;
      return (found) => {
        last = Math.max(now, after(last ?? asNumber(found)));
        return last;
      };
    },
    last: (now) => Math.max(now, asNumber(highest.get())),
  };
}

const after = (turn: number) =>
  turn === Number.NEGATIVE_INFINITY ? turn : turn + Math.max(MICROSECOND, Math.abs(turn) * TWO_STEPS);
