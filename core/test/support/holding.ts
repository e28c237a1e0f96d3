/** From when to when a delivery certainly held its group, whatever the clocks did. */
import type { Delivery } from './deliveries.ts';
import type { Line } from './history.ts';

/** Clocks round to ms, and two clocks are not read at the same moment. */
const SLACK_MS = 5;

/** The wall clock as the driver moved it: from `at` on it was `offset` ms ahead of the machine's clock. */
interface Segment {
  readonly at: number;
  readonly offset: number;
}

export class WallClock {
  readonly #segments: Segment[];

  constructor(lines: readonly Line[]) {
    const [first] = lines;
    const base = first ? first.wall - first.at / 1_000 : 0;
    const jumps = lines.flatMap((line) =>
      'jump' in line ? [{ at: line.at, offset: base + line.jump }] : [],
    );
    this.#segments = [{ at: Number.NEGATIVE_INFINITY, offset: base }, ...jumps];
  }

  /** The first moment from `from` on at which the wall clock may have read `wallMs`. */
  firstAt(wallMs: number, from: number): number {
    for (const [n, { at, offset }] of this.#segments.entries()) {
      const end = this.#segments[n + 1]?.at ?? Number.POSITIVE_INFINITY;
      if (end <= from) continue;
      const reached = Math.max(at, from, (wallMs - offset) * 1_000);
      if (reached < end) return reached;
    }
    return Number.POSITIVE_INFINITY;
  }
}

/** When another claim may have taken over this lock: it had lapsed on the wall clock, or by its own visibility. */
function lapse(expiresAt: number, set: number, visibilityMs: number, wall: WallClock): number {
  return Math.min(
    wall.firstAt(expiresAt - SLACK_MS, set),
    // After a step back of the wall clock, locks end when their own time is over.
    set + (visibilityMs - SLACK_MS) * 1_000,
  );
}

/** The end of the time for which it certainly held its group. It began when the claim was answered. */
export function heldUntil(delivery: Delivery, wall: WallClock): number {
  const { uses } = delivery;
  const settled = uses.find(({ how, outcome }) => how !== 'extend' && how !== 'count' && outcome === 'done');
  // The fence held, so nobody took the message before, even if the lease had lapsed.
  if (settled) return settled.asked;
  const proof = uses.findLast(({ outcome }) => outcome === 'done');
  const extended = uses.findLast(({ how, outcome }) => how === 'extend' && outcome === 'done');
  const lapsed = extended?.expiresAt
    ? lapse(extended.expiresAt, extended.asked, delivery.visibilityMs, wall)
    : lapse(delivery.expiresAt, delivery.asked, delivery.visibilityMs, wall);
  const unknown = uses.find(({ how, outcome }) => how !== 'count' && outcome === 'unknown');
  return Math.min(Math.max(lapsed, proof?.asked ?? 0), unknown?.asked ?? Number.POSITIVE_INFINITY);
}
