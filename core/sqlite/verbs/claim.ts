/**
 * claim: takes the head of the next deliverable group under a lease. The order and the filter are the specification's
 * (lowest last_claimed_at, ties by rowid, priority floor, routing keys, no group with a message in flight); next-group.ts
 * finds the group.
 */
import type { ClaimManyOptions, Lease } from '../../contract/transport.ts';
import { PARKED } from '../file/names.ts';
import { toMsOrNull, toSeconds } from '../file/time-units.ts';
import { nextFence } from './fence.ts';
import { type Deliverable, makeNextGroup, rowOf } from './next-group.ts';
import { makeTurns } from './turns.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/**
 * With fewer locks than this in flight, a claim leaves the group unmarked: most marks would be removed without being read.
 * With more, it writes the mark with the turn, because a later claim would otherwise have to mark all of them (8 µs each).
 */
const MAX_UNMARKED = 1000;

/** Takes up to `limit` heads, each of another group. */
export type ClaimVerb = (
  workerId: string,
  visibilityMs: number,
  limit: number,
  options: ClaimManyOptions,
) => Lease<unknown>[];

/** A message that cannot be served is buried in the same transaction, and the claim goes on to the next. */
export function makeClaim(
  context: VerbContext,
  buryUnservable: (groupRow: number | bigint, reason: string) => void,
): ClaimVerb {
  const { messages, groups } = context.names;
  const nextGroup = makeNextGroup(context);
  const turns = makeTurns(context);
  const takeTurn = prepare(
    context,
    `UPDATE ${groups} SET last_claimed_at = ?, blocked_until = ? WHERE rowid = ?`,
  );
  const lock = prepare(
    context,
    `UPDATE ${messages} SET locked_by = ?, lock_expiry = ?, fence = ?, attempts = attempts + ?, started = ?, crashes = ?,
  deliveries = deliveries + 1, out_of_turn = 0 WHERE seq = ?`,
  );

  function take(
    found: Servable,
    event: unknown,
    { workerId, visibilityMs, nextTurn, startNow, maxAttempts }: Order,
    place: number,
  ): Lease<unknown> {
    const { seq, groupId, publishedAt, lastError } = found;
    const { issuedLocks, time } = context;
    const expiresAt = time.now + visibilityMs;
    const fence = nextFence(found.fence);
    // Its last lease ended without a settle.
    const wasLeased = found.lockedBy !== null && found.lockedBy !== PARKED;
    const crashes = found.crashes + (wasLeased ? 1 : 0);
    const attempt = found.attempts + 1;
    const startsNow = startNow === undefined || (place < startNow && crashes === 0);
    const started = startsNow && attempt < maxAttempts ? 1 : 0;
    const mark = issuedLocks.size >= MAX_UNMARKED ? toSeconds(expiresAt) : null;
    takeTurn.run(nextTurn(found.highestTurn), mark, rowOf(found.groupRow));
    lock.run(workerId, toSeconds(expiresAt), fence, started, started, crashes, seq);
    issuedLocks.add({ seq, lockedBy: workerId, fence, expiresAt }, time);
    context.emitAfterCommit('claimed', { seq, groupId, workerId, expiresAt });
    return {
      seq,
      groupId,
      event,
      workerId,
      expiresAt,
      attempt,
      delivery: found.deliveries + 1,
      fence,
      crashes,
      publishedAt: toMsOrNull(publishedAt),
      lastError,
    };
  }

  return (workerId, visibilityMs, limit, options) => {
    context.checkSchema();
    const now = toSeconds(context.time.now);
    const { startNow, maxAttempts = Number.POSITIVE_INFINITY } = options;
    const order: Order = { workerId, visibilityMs, nextTurn: turns.from(now), startNow, maxAttempts };
    const leases: Lease<unknown>[] = [];
    while (leases.length < limit) {
      const found = nextGroup(options, now);
      if (!found) break;
      const reason = unservable(found);
      const decoded = reason === null ? context.decode(found.event) : { reason };
      if ('reason' in decoded) buryUnservable(rowOf(found.groupRow), decoded.reason);
      else leases.push(take(found as Servable, decoded.event, order, leases.length));
    }
    return leases;
  };
}

type Servable = Deliverable & { readonly seq: number; readonly groupId: string };

/** What the leases of one claim have in common. */
interface Order {
  readonly workerId: string;
  readonly visibilityMs: number;
  readonly nextTurn: (highest: unknown) => number;
  readonly startNow: number | undefined;
  readonly maxAttempts: number;
}

/** Why no lease can name this message; null when one can. The event's own problems are found by decoding it. */
function unservable({ seq, groupId }: Deliverable): string | null {
  if (typeof seq !== 'number')
    return `Its seq ${seq} is beyond 2^53, which JavaScript cannot represent exactly. Publish it again.`;
  if (typeof groupId !== 'string')
    return 'Its group id is not text. Publish it again with a group id that is text.';
  return null;
}
