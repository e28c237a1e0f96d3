/**
 * The calls of a transport, for SqliteTransport and for the thread of AsyncSqliteTransport: each is one transaction on the
 * engine. Arguments are already checked, and events already JSON text.
 */
import { LeaseholdError, LeaseLost } from '../contract/errors.ts';
import type { Compacted, Purged, Retention } from '../contract/retention.ts';
import type * as contract from '../contract/transport.ts';
import { show } from '../validate/checks.ts';
import type { EventCodec } from '../validate/event-codec.ts';
import { compact } from './compact.ts';
import type { Engine } from './engine.ts';
import { type FencedMessage, fencedBy } from './verbs/fence.ts';
import type { Publication } from './verbs/publish.ts';

type Lease = contract.Lease<unknown>;

export type TransportCalls = ReturnType<typeof makeTransportCalls>;

export function makeTransportCalls(engine: Engine) {
  const { verbs, context } = engine;

  function settle(lease: Lease, verb: (message: FencedMessage) => boolean): void {
    engine.write(() => {
      if (!verb(fencedBy(lease))) throw leaseLost(lease);
    });
  }

  return {
    publish: (publication: Publication): number => engine.write(() => verbs.publish(publication)),

    publishMany: (publications: readonly Publication[]): number[] =>
      engine.write(() => publications.map((publication) => verbs.publish(publication))),

    claimMany: (
      workerId: string,
      visibilityMs: number,
      limit: number,
      options: contract.ClaimManyOptions,
    ): Lease[] => engine.write(() => verbs.claim(workerId, visibilityMs, limit, options)),

    ack: (lease: Lease): void => settle(lease, verbs.ack),

    nack: (lease: Lease, delayMs: number, options: contract.NackOptions): void =>
      settle(lease, (message) => verbs.nack(message, delayMs, { countAttempt: true, ...options })),

    extend: (lease: Lease, visibilityMs: number): Lease =>
      engine.write(() => {
        const extended = verbs.extend(lease, visibilityMs);
        if (!extended) throw leaseLost(lease);
        return extended;
      }),

    countAttempt: (lease: Lease, counted: boolean): void =>
      engine.write(() => {
        if (!verbs.countAttempt(lease, counted)) throw leaseLost(lease);
      }),

    bury: (lease: Lease, options: contract.BuryOptions): void =>
      settle(lease, (message) => verbs.bury(message, options)),

    ackAndClaim: (lease: Lease, visibilityMs: number, options: contract.ClaimOptions): Lease | null =>
      engine.write(() => {
        if (!verbs.ack(fencedBy(lease))) throw leaseLost(lease);
        return verbs.claim(lease.workerId, visibilityMs, 1, options)[0] ?? null;
      }),

    ackAndClaimMany: (
      leases: readonly Lease[],
      workerId: string,
      visibilityMs: number,
      limit: number,
      options: contract.ClaimManyOptions,
    ): contract.AckedAndClaimed =>
      engine.write(() => ({
        lost: leases.filter((lease) => !verbs.ack(fencedBy(lease))),
        claimed: limit === 0 ? [] : verbs.claim(workerId, visibilityMs, limit, options),
      })),

    deadLetters: ({
      afterId = 0,
      limit = 100,
    }: {
      afterId?: number;
      limit?: number;
    }): contract.DeadLetter[] => engine.read(() => verbs.deadLetters.list(afterId, limit)),

    republish: (deadId: number): number =>
      engine.write(() => {
        const seq = verbs.republish.dead(deadId);
        if (seq === null)
          throw new LeaseholdError(
            'NOT_FOUND',
            `There is no dead letter with id ${deadId}. It may have been re-published already.`,
          );
        return seq;
      }),

    nextExpiry: (options: contract.ClaimOptions): number | null =>
      engine.read(() => verbs.nextExpiry(options)),

    holders: (page: contract.GroupPage): contract.HoldersPage => engine.read(() => verbs.leaseHolders(page)),

    release: (workerIds: readonly string[], page: contract.GroupPage): contract.ReleasedPage =>
      engine.write(() => verbs.release(workerIds, page)),

    releaseNow: (workerId: string): number => engine.write(() => verbs.releaseNow(workerId)),

    purge: (retention: Retention, limit: number): Purged =>
      engine.write(() => verbs.purge.purge(retention, limit)),

    /** Not in a batch: it cannot run in a transaction. */
    compact: (): Compacted => compact(engine),

    dataVersion: (): number =>
      engine.read(
        () => Number(context.db.pragma('data_version', { simple: true })) + (engine.appChanges?.rows ?? 0),
      ),
  };
}

/** Reads each option by its name: a spread would drop those that an app's class defines as getters. */
export function toPublication(
  codec: EventCodec,
  groupId: string,
  event: unknown,
  { priority = 0, routingKey = null }: contract.PublishOptions,
): Publication {
  return { groupId, eventJson: codec.encode(event), priority, routingKey };
}

function leaseLost(lease: Lease): LeaseLost {
  return new LeaseLost(
    `The lease of ${show(lease.workerId)} on message ${lease.seq} (group ${show(lease.groupId)}, attempt ${show(lease.attempt)}) is no longer held: it was settled, extended or taken by another claim. Nothing was changed; discard the result.`,
  );
}
