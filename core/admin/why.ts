/** One sentence: why a message waits, or what happens to it now. */
import type { MessageRow } from './contract.ts';

const timeOfDay = (ms: number | null) =>
  ms === null ? 'an unknown time' : new Date(ms).toLocaleTimeString('en-GB', { hour12: false });

const firstLine = (text: string | null) => text?.split('\n', 1)[0]?.slice(0, 120) ?? '';

function attempt({ attempts, lastError }: MessageRow): string {
  if (attempts === 0) return '';
  return lastError ? ` (attempt ${attempts}: ${firstLine(lastError)})` : ` (attempt ${attempts})`;
}

/** `head` is the head of its group, `ahead` how many groups have their turn before it. */
export function whyLive(row: MessageRow, head: MessageRow | null, ahead: number): string {
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
      return ahead === 0
        ? `Next in turn at priority ${row.priority}: any claim with a floor of ${row.priority} or less takes it.`
        : `In turn at priority ${row.priority}: ${ahead >= 1000 ? 'at least 1,000' : ahead} ${ahead === 1 ? 'group goes' : 'groups go'} first.`;
    default:
      return whyWaiting(row, head);
  }
}

function whyWaiting(row: MessageRow, head: MessageRow | null): string {
  if (!head) return 'Its group has no row: the next open of the queue repairs that.';
  if (head.seq === row.seq) return 'Another message of its group is locked.';
  const state: Partial<Record<MessageRow['state'], string>> = {
    leased: `leased by ${head.holder} until ${timeOfDay(head.expiresAt)}`,
    parked: `parked until ${timeOfDay(head.expiresAt)}${attempt(head)}`,
    lapsed: 'whose lock has lapsed',
    ready: 'which is in turn',
  };
  return `Behind seq ${head.seq}, ${state[head.state] ?? 'the head of its group'}.`;
}

export function whyDead({ attempts, lastError }: MessageRow, buriedAt: number | null): string {
  const after = attempts === 0 ? '' : ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const error = lastError ? `: ${firstLine(lastError).replace(/\.$/, '')}` : '';
  return `Buried at ${timeOfDay(buriedAt)}${after}${error}. Re-publish it to try again.`;
}
