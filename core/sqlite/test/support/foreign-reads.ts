/** Compares what Leasehold reads with plain SQL definitions of the same. */
import assert from 'node:assert/strict';
import type { Database } from 'better-sqlite3';
import { listGroups } from '../../../admin/queries/list-groups.ts';
import { listMessages } from '../../../admin/queries/list-messages.ts';
import { readOverview } from '../../../admin/queries/overview.ts';
import type { Steps } from '../../../admin/queries/snapshot.ts';
import type { Transport } from '../../../contract/transport.ts';
import { namesFor } from '../../file/names.ts';
import { GROUPS, MESSAGES } from './foreign-sql.ts';
import type { Filter } from './model.ts';

const NAMES = namesFor();

/** What is compared: the file as another program's connection sees it, and the transports on it. */
export interface Compared {
  readonly foreign: Database;
  /** Epoch seconds. */
  readonly now: number;
  /** False while the triggers are lost: what the transports read is right again after their next claim. */
  readonly hasTriggers: boolean;
  queue(index: number): Transport;
}

export async function compareReads(run: Compared, index: number, filter: Filter): Promise<void> {
  const queue = run.queue(index);
  await queue.deadLetters();
  const { holders } = await queue.holders();
  const expected = run.foreign
    .prepare(
      `SELECT locked_by AS workerId, COUNT(*) AS leases FROM ${MESSAGES}
WHERE locked_by IS NOT NULL AND locked_by <> '__parked__' AND typeof(locked_by) = 'text'
  AND group_id IN (SELECT group_id FROM ${GROUPS}) GROUP BY locked_by ORDER BY locked_by`,
    )
    .all();
  if (run.hasTriggers) assert.deepEqual(holders, expected, 'holders');
  const expiry = await queue.nextExpiry(filter);
  assert.ok(expiry === null || Number.isFinite(expiry), 'nextExpiry');
}

/**
 * Compares nextExpiry after a claim that found nothing. It may be early, since the claim at that time looks again; it must
 * not be late, nor so early that a worker claims in a loop.
 */
export function compareNextExpiry(
  { foreign, now }: Compared,
  found: number | null,
  { minPriority, routingKeys }: Filter,
): void {
  const ends = foreign
    .prepare(
      `SELECT MIN(ends) AS ends FROM (
  SELECT MAX(m.lock_expiry) AS ends FROM ${GROUPS} g JOIN ${MESSAGES} m ON m.group_id = g.group_id
  WHERE m.locked_by IS NOT NULL AND g.priority >= ?
    ${routingKeys ? 'AND g.routing_key IN (SELECT value FROM json_each(?))' : ''}
  GROUP BY g.group_id)
WHERE typeof(ends) = 'real' AND ends < 9e999`,
    )
    .pluck()
    .get(...(routingKeys ? [minPriority, JSON.stringify(routingKeys)] : [minPriority])) as number | null;
  const latest = ends === null ? null : Math.round(ends * 1e6) / 1e3;
  const isRight =
    found === null ? latest === null : found >= now * 1_000 && (latest === null || found <= latest);
  assert.ok(isRight, `nextExpiry is ${found}; the earliest lock ends at ${latest}, and it is ${now * 1_000}`);
}

const IN_FLIGHT = 'locked_by IS NOT NULL AND lock_expiry >= :now';

const STATES = `SELECT m.seq AS seq, CASE
  WHEN m.${IN_FLIGHT.replace('lock_expiry', 'm.lock_expiry')} THEN CASE m.locked_by WHEN '__parked__' THEN 'parked' ELSE 'leased' END
  WHEN m.seq = (SELECT MIN(seq) FROM ${MESSAGES} h WHERE h.group_id = m.group_id)
    AND NOT EXISTS (SELECT 1 FROM ${MESSAGES} x WHERE x.group_id = m.group_id AND x.locked_by IS NOT NULL AND x.lock_expiry >= :now)
    THEN CASE WHEN m.locked_by IS NULL THEN 'ready' ELSE 'lapsed' END
  ELSE 'waiting' END AS state
FROM ${MESSAGES} m WHERE m.group_id IN (SELECT group_id FROM ${GROUPS}) ORDER BY m.seq`;

/**
 * The counts and the lists of one state leave out groups that were never claimed. A lease in a group whose row another
 * program has made anew is missing there, until its group is claimed again. Seqs beyond 2^53 can look the same.
 */
const NOT_COMPARABLE = `SELECT 1 FROM ${GROUPS} g JOIN ${MESSAGES} m ON m.group_id = g.group_id
WHERE m.locked_by IS NOT NULL AND NOT g.last_claimed_at > 0
UNION ALL SELECT 1 FROM ${MESSAGES} WHERE seq NOT BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`;

export function compareInspector(run: Compared): void {
  if (!run.hasTriggers) return;
  const snapshot = { db: run.foreign, names: NAMES, now: run.now };
  const states = run.foreign.prepare(STATES).all({ now: run.now }) as { seq: number; state: string }[];
  // A message without its group's row can be in no list but that of the waiting ones.
  const grouped = new Set(states.map(({ seq }) => seq));
  const shown = new Map(
    allSteps(listMessages(snapshot, { limit: 1_000 })).rows.map(({ seq, state }) => [
      `${seq} ${state === 'dead'}`,
      state,
    ]),
  );
  for (const { seq, state } of states)
    if (Number.isSafeInteger(seq))
      assert.equal(shown.get(`${seq} false`), state, `the state of message ${seq}`);
  if (run.foreign.prepare(NOT_COMPARABLE).get()) return;
  const count = (wanted: string) => states.filter(({ state }) => state === wanted).length;
  const { leased, parked, lapsed } = allSteps(readOverview(snapshot));
  assert.deepEqual(
    { leased, parked, lapsed },
    { leased: count('leased'), parked: count('parked'), lapsed: count('lapsed') },
    'the counts of the overview',
  );
  for (const state of ['ready', 'waiting', 'leased', 'parked', 'lapsed'] as const) {
    const { rows } = allSteps(listMessages(snapshot, { limit: 1_000, state }));
    assert.deepEqual(
      rows.map(({ seq }) => seq).filter((seq) => grouped.has(seq)),
      states.filter((each) => each.state === state).map(({ seq }) => seq),
      `the list of ${state} messages`,
    );
  }
  allSteps(listGroups(snapshot, { limit: 1_000 }));
}

/** Runs a query of the inspector to its end. */
export function allSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
