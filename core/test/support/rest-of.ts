/** What a queue's file holds, read with plain SQL. */
import { rows } from '../../sqlite/test/support/file-check.ts';
import type { Rest, Stored } from './check-history.ts';

export function restOf(file: string): Rest {
  const stored = (table: string): Stored[] =>
    rows(file, `SELECT seq, event FROM harel_transport_${table}`).map(({ seq, event }) => ({
      seq: Number(seq),
      token: JSON.parse(String(event)),
    }));
  const groups = rows(file, 'SELECT group_id FROM harel_transport_groups');
  return {
    messages: stored('messages'),
    groups: groups.map(({ group_id }) => String(group_id)),
    dead: stored('dead_letters'),
  };
}
