/** From when to when a delivery certainly held its group, whatever the clocks did. */
import type { Delivery } from './deliveries.ts';
import type { Line } from './history.ts';

/** Clocks round to ms, and two clocks are not read at the same moment. */
const SLACK_MS = 5;

/**
 * When the wall clock jumped ahead: locks may lapse then. A jump back prolongs no lock beyond its own time, but may shorten it so
 * that a later jump ahead passes its end, even if the clock is still behind where it was.
 */
export const jumpsAhead = (lines: readonly Line[]): number[] => {
  const jumps = lines.flatMap((line) => ('jump' in line ? [line] : []));
  return jumps.filter(({ jump }, n) => jump > (jumps[n - 1]?.jump ?? 0)).map(({ at }) => at);
};

/** The end of the time for which it certainly held its group. It began when the claim was answered. */
export function heldUntil(delivery: Delivery, jumps: readonly number[]): number {
  const { uses } = delivery;
  const settled = uses.find(({ how, outcome }) => how !== 'extend' && how !== 'count' && outcome === 'done');
  // The fence held, so nobody took the message before, even if the lease had lapsed.
  if (settled) return settled.asked;
  const { asked, visibilityMs } =
    uses.findLast(({ how, outcome }) => how === 'extend' && outcome === 'done') ?? delivery;
  const lapse = Math.min(
    asked + ((visibilityMs ?? 0) - SLACK_MS) * 1_000,
    jumps.find((at) => at > asked) ?? Number.POSITIVE_INFINITY,
  );
  const proof = uses.findLast(({ outcome }) => outcome === 'done');
  const unknown = uses.find(({ how, outcome }) => how !== 'count' && outcome === 'unknown');
  return Math.min(Math.max(lapse, proof?.asked ?? 0), unknown?.asked ?? Number.POSITIVE_INFINITY);
}
