/** Formats numbers, names, durations and times for people. Durations and times are in milliseconds. */

const NUMBER = new Intl.NumberFormat('en');

/** 1234567 as 1,234,567. */
export const formatNumber = (value: number) => NUMBER.format(value);

/** "1 message", "2 messages". */
export const formatCount = (value: number, noun: string) =>
  `${formatNumber(value)} ${value === 1 ? noun : `${noun}s`}`;

/** A group's id may be the empty string. */
export const formatGroup = (groupId: string) => (groupId === '' ? '(empty name)' : groupId);

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** At most two units. The lower one is padded, so that a ticking value keeps its width. */
export function formatDuration(ms: number): string {
  const left = Math.max(0, ms);
  if (left < MINUTE) return `${Math.floor(left / SECOND)} s`;
  if (left < HOUR)
    return `${Math.floor(left / MINUTE)} m ${twoDigits(Math.floor((left % MINUTE) / SECOND))} s`;
  if (left < DAY) return `${Math.floor(left / HOUR)} h ${twoDigits(Math.floor((left % HOUR) / MINUTE))} m`;
  return `${Math.floor(left / DAY)} d ${twoDigits(Math.floor((left % DAY) / HOUR))} h`;
}

/** The time since `at`; zero when it is in the future, as another process's clock may be ahead. */
export function formatAge(at: number, now: number): string {
  return formatDuration(now - at);
}

/** The time left until `at`, or how long ago it was. Rounded up, because a lease is still held at exactly its expiry. */
export function formatTimeLeft(at: number, now: number): string {
  const left = at - now;
  return left >= 0 ? formatDuration(Math.ceil(left / SECOND) * SECOND) : `${formatDuration(-left)} ago`;
}

/** The largest distance from the epoch that a Date can hold. */
const MAX_DATE = 8.64e15;
const OUT_OF_RANGE = 'a time out of range';

export const isDate = (at: number): boolean => Math.abs(at) <= MAX_DATE;

const FULL = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** The date and time, for tooltips. */
export function formatDateTime(at: number): string {
  // A file written by another program may hold a time that no Date can hold: Intl would throw.
  return isDate(at) ? FULL.format(at) : OUT_OF_RANGE;
}

const TIME_ONLY = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const WITH_DATE = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** "14:05", with the date when it is half a day away or more. */
export function formatClockTime(at: number, now: number): string {
  if (!isDate(at)) return OUT_OF_RANGE;
  return (Math.abs(at - now) < DAY / 2 ? TIME_ONLY : WITH_DATE).format(at);
}
