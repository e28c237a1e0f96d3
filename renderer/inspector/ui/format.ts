/** Durations and moments as a person reads them. All inputs are milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (value: number) => String(value).padStart(2, '0');

/** Two units at most, the lower one padded, so that a ticking value keeps its width. */
export function duration(ms: number): string {
  const left = Math.max(0, ms);
  if (left < MINUTE) return `${Math.floor(left / SECOND)} s`;
  if (left < HOUR) return `${Math.floor(left / MINUTE)} m ${two(Math.floor((left % MINUTE) / SECOND))} s`;
  if (left < DAY) return `${Math.floor(left / HOUR)} h ${two(Math.floor((left % HOUR) / MINUTE))} m`;
  return `${Math.floor(left / DAY)} d ${two(Math.floor((left % DAY) / HOUR))} h`;
}

/** How long ago; a moment in the future (another writer's clock) counts as now. */
export function age(at: number, now: number): string {
  return duration(now - at);
}

/** Until when, seen from now; a lease is still held at exactly its expiry, so the rest is rounded up. */
export function until(at: number, now: number): string {
  const left = at - now;
  return left >= 0 ? duration(Math.ceil(left / SECOND) * SECOND) : `${duration(-left)} ago`;
}

const MOMENT = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** The absolute time, for a hover. */
export function moment(at: number): string {
  // A moment beyond what a Date holds would throw; a file that others write may hold one.
  return Math.abs(at) <= 8.64e15 ? MOMENT.format(at) : 'a time out of range';
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DATED = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** "14:05", or with its date when that is more than half a day off. */
export function clockTime(at: number, now: number): string {
  if (Math.abs(at) > 8.64e15) return 'a time out of range';
  return (Math.abs(at - now) < DAY / 2 ? CLOCK : DATED).format(at);
}
