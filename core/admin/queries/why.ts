/** One sentence: why a message waits, or what happens to it now. */
import type { MessageRow } from '../../contract/admin.ts';
import { MOST_COUNTED } from './groups-ahead.ts';

const timeOfDay = (ms: number | null) =>
  ms === null ? 'an unknown time' : new Date(ms).toLocaleTimeString('en-GB', { hour12: false });

const firstLine = (text: string | null) => text?.split('\n', 1)[0]?.slice(0, 120) ?? '';

function attempt({ attempts, lastError }: MessageRow): string {
  if (attempts === 0) return '';
  return lastError ? ` (attempt ${attempts}: ${firstLine(lastError)})` : ` (attempt ${attempts})`;
}

/** What surrounds a message; each is looked up only where its sentence needs it. */
export interface Around {
  /** The head of its group; null where the group has no row. */
  head(): MessageRow | null;
  /** The message of its group whose lock ends last. */
  lastLock(): MessageRow | null;
  /** How many groups a claim with this floor comes to first; counted to MOST_COUNTED. */
  ahead(floor: number): number;
}

export function whyLive(row: MessageRow, around: Around): string {
  switch (row.state) {
    case 'leased':
      return `Leased by ${row.holder} until ${timeOfDay(row.expiresAt)}${attempt(row)}.`;
    case 'parked':
      return `Parked until ${timeOfDay(row.expiresAt)}${attempt(row)}.`;
    case 'lapsed':
      return row.holder
        ? `The lease of ${row.holder} lapsed at ${timeOfDay(row.expiresAt)}: the next claim of this group takes it.`
        : `Its park ended at ${timeOfDay(row.expiresAt)}: the next claim of this group takes it.`;
    case 'ready':
      return whyReady(row.priority, around);
    default:
      return whyWaiting(row, around);
  }
}

/** The floor is a filter: every priority at or above it competes, so a lower floor puts more groups in front. */
function whyReady(priority: number, { ahead }: Around): string {
  const atOwn = ahead(priority);
  const atNone = priority > 0 ? ahead(0) : atOwn;
  if (atOwn === atNone) {
    const claims = priority > 0 ? `with a floor of ${priority} or less` : 'without a floor';
    return atOwn === 0
      ? `Next in turn for a claim ${claims}.`
      : `In turn: ${goFirst(atOwn)} for a claim ${claims}.`;
  }
  return atOwn === 0
    ? `Next in turn for a claim with floor ${priority}; without a floor, ${goFirst(atNone)}.`
    : `In turn: ${goFirst(atOwn)} for a claim with floor ${priority}, ${counted(atNone)} without a floor.`;
}

const counted = (groups: number) => (groups >= MOST_COUNTED ? 'at least 1,000' : String(groups));
const goFirst = (groups: number) => `${counted(groups)} ${groups === 1 ? 'group goes' : 'groups go'} first`;

function whyWaiting(row: MessageRow, around: Around): string {
  const head = around.head();
  if (!head) return 'Its group has no row: the next open of the queue repairs that.';
  const isHead = head.seq === row.seq;
  if (!isHead && head.state !== 'waiting') return `Behind seq ${head.seq}, ${standing(head)}.`;
  const lock = around.lastLock();
  const whole = lock ? `the whole group waits for seq ${lock.seq}, ${standing(lock)}` : 'its group is locked';
  if (isHead) return `It is the head, but ${whole}.`;
  return `Behind seq ${head.seq}, and ${whole}.`;
}

function standing(row: MessageRow): string {
  switch (row.state) {
    case 'leased':
      return `leased by ${row.holder} until ${timeOfDay(row.expiresAt)}`;
    case 'parked':
      return `parked until ${timeOfDay(row.expiresAt)}${attempt(row)}`;
    case 'lapsed':
      return 'whose lock has lapsed';
    default:
      return 'which is in turn';
  }
}

export function whyDead({ attempts, lastError }: MessageRow, buriedAt: number | null): string {
  const after = attempts === 0 ? '' : ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const error = lastError ? `: ${firstLine(lastError).replace(/\.$/, '')}` : '';
  return `Buried at ${timeOfDay(buriedAt)}${after}${error}. Re-publish it to try again.`;
}
