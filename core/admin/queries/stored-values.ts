/**
 * Values of columns as the page can show them. Another program can write text or a BLOB where a number belongs, and a BLOB
 * where text belongs: SQLite checks no types.
 */
import { toMs } from '../../sqlite/file/time-units.ts';

export const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

export const asNumberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Epoch seconds as milliseconds. */
export const asMsOrNull = (value: unknown): number | null => (typeof value === 'number' ? toMs(value) : null);

export const asText = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString() : String(value ?? '');

export const asTextOrNull = (value: unknown): string | null => (value === null ? null : asText(value));
