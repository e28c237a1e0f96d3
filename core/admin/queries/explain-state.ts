/** One sentence that says why a message waits, or what happens to it now. */
import type { MessageRow } from '../../contract/admin.ts';
import { MAX_GROUPS_AHEAD } from './groups-ahead.ts';

/** Looks up what surrounds a message. Each sentence calls only what it needs. */
export interface Surroundings {
  /** The head of its group; null where the group has no row. */
  head(): MessageRow | null;
  /** The message of its group whose lock expires last. */
  lastLock(): MessageRow | null;
  /** How many groups a claim with this priority floor takes first, at most MAX_GROUPS_AHEAD. */
  groupsAhead(floor: number): number;
}

export function explainMessage(row: MessageRow, surroundings: Surroundings): string {
  switch (row.state) {
    case 'leased':
      return `Leased by ${row.holder} until ${timeOfDay(row.expiresAt)}${attemptOf(row)}.`;
    case 'parked':
      return `Parked until ${timeOfDay(row.expiresAt)}${attemptOf(row)}.`;
    case 'lapsed':
      return row.holder
        ? `The lease of ${row.holder} lapsed at ${timeOfDay(row.expiresAt)}: the next claim of this group takes it.`
        : `Its park ended at ${timeOfDay(row.expiresAt)}: the next claim of this group takes it.`;
    case 'ready':
      return explainReady(row.priority, surroundings);
    default:
      return explainWaiting(row, surroundings);
  }
}

export function explainDeadLetter({ attempts, lastError }: MessageRow, buriedAt: number | null): string {
  const after = attempts === 0 ? '' : ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const error = lastError ? `: ${firstLine(lastError).replace(/\.$/, '')}` : '';
  return `Buried at ${timeOfDay(buriedAt)}${after}${error}. Re-publish it to try again.`;
}

/** A claim takes groups of every priority at or above its floor, so a lower floor puts more groups ahead. */
function explainReady(priority: number, { groupsAhead }: Surroundings): string {
  const withOwnFloor = groupsAhead(priority);
  const withoutFloor = priority > 0 ? groupsAhead(0) : withOwnFloor;
  if (withOwnFloor === withoutFloor) {
    const claim = priority > 0 ? `a claim with priority floor ${priority} or lower` : 'a claim';
    return withOwnFloor === 0
      ? `Next in line for ${claim}.`
      : `${counted(withOwnFloor)} ahead of it for ${claim}.`;
  }
  const without = `without a floor, ${lowerFirst(counted(withoutFloor))} ahead of it`;
  return withOwnFloor === 0
    ? `Next in line for a claim with priority floor ${priority}; ${without}.`
    : `${counted(withOwnFloor)} ahead of it for a claim with priority floor ${priority}; ${without}.`;
}

function counted(groups: number): string {
  if (groups >= MAX_GROUPS_AHEAD) return 'At least 1,000 groups are';
  return groups === 1 ? '1 group is' : `${groups} groups are`;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function explainWaiting(row: MessageRow, surroundings: Surroundings): string {
  const head = surroundings.head();
  if (!head) return 'Its group has no row in the groups table: opening the queue again repairs that.';
  const isHead = head.seq === row.seq;
  if (!isHead && head.state !== 'waiting') return `Behind seq ${head.seq}, ${stateOf(head)}.`;
  const lock = surroundings.lastLock();
  const group = lock ? `the whole group waits for seq ${lock.seq}, ${stateOf(lock)}` : 'its group is locked';
  return isHead ? `It is the head of its group, but ${group}.` : `Behind seq ${head.seq}, and ${group}.`;
}

function stateOf(row: MessageRow): string {
  switch (row.state) {
    case 'leased':
      return `leased by ${row.holder} until ${timeOfDay(row.expiresAt)}`;
    case 'parked':
      return `parked until ${timeOfDay(row.expiresAt)}${attemptOf(row)}`;
    case 'lapsed':
      return 'whose lock has lapsed';
    default:
      return 'which is ready';
  }
}

function attemptOf({ attempts, lastError }: MessageRow): string {
  if (attempts === 0) return '';
  return lastError ? ` (attempt ${attempts}: ${firstLine(lastError)})` : ` (attempt ${attempts})`;
}

const firstLine = (text: string) => text.split('\n', 1)[0]?.slice(0, 120) ?? '';

const timeOfDay = (ms: number | null) =>
  ms === null ? 'an unknown time' : new Date(ms).toLocaleTimeString('en-GB', { hour12: false });
