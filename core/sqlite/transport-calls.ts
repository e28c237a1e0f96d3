/**
 * The calls of a transport, for SqliteTransport and for the thread of AsyncSqliteTransport: each is one transaction on the
 * engine. Arguments are already checked, and events already JSON text.
 */
import { LeaseholdError, LeaseLost } from '../contract/errors.ts';
import type * as contract from '../contract/transport.ts';
import type { EventCodec } from '../validate/event-codec.ts';
import type { Engine } from './engine.ts';
import { type FencedMessage, fencedBy } from './verbs/fence.ts';
import type { Publication } from './verbs/publish.ts';

type Lease = contract.Lease<unknown>;

export type TransportCalls = ReturnType<typeof makeTransportCalls>;

export function makeTransportCalls(engine: Engine) {
  const { verbs, context } = engine;

  const fenced = (lease: Lease) => fencedBy(context, lease);

  function settle(lease: Lease, verb: (message: FencedMessage) => boolean): void {
    engine.write(() => {
      if (!verb(fenced(lease))) throw leaseLost(lease);
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
      options: contract.ClaimOptions,
    ): Lease[] => engine.write(() => verbs.claim(workerId, visibilityMs, limit, options)),

    ack: (lease: Lease): void => settle(lease, verbs.ack),

    nack: (lease: Lease, delayMs: number, options: contract.NackOptions): void =>
      settle(lease, (message) => verbs.nack(message, delayMs, options)),

    extend: (lease: Lease, visibilityMs: number): Lease =>
      engine.write(() => {
        const extended = verbs.extend(lease, visibilityMs);
        if (!extended) throw leaseLost(lease);
        return extended;
      }),

    bury: (lease: Lease, options: contract.BuryOptions): void =>
      settle(lease, (message) => verbs.bury(message, options)),

    ackAndClaim: (lease: Lease, visibilityMs: number, options: contract.ClaimOptions): Lease | null =>
      engine.write(() => {
        if (!verbs.ack(fenced(lease))) throw leaseLost(lease);
        return verbs.claim(lease.workerId, visibilityMs, 1, options)[0] ?? null;
      }),

    ackAndClaimMany: (
      leases: readonly Lease[],
      workerId: string,
      visibilityMs: number,
      limit: number,
      options: contract.ClaimOptions,
    ): contract.AckedAndClaimed =>
      engine.write(() => ({
        lost: leases.filter((lease) => !verbs.ack(fenced(lease))),
        claimed: limit === 0 ? [] : verbs.claim(workerId, visibilityMs, limit, options),
      })),

    deadLetters: ({
      afterSeq = 0,
      limit = 100,
    }: {
      afterSeq?: number;
      limit?: number;
    }): contract.DeadLetter[] => engine.read(() => verbs.deadLetters.list(afterSeq, limit)),

    republish: (deadSeq: number): number =>
      engine.write(() => {
        const seq = verbs.republish.dead(deadSeq);
        if (seq === null)
          throw new LeaseholdError(
            'NOT_FOUND',
            `There is no dead letter with seq ${deadSeq}. It may have been re-published already.`,
          );
        return seq;
      }),

    nextExpiry: (options: contract.ClaimOptions): number | null =>
      engine.read(() => verbs.nextExpiry(options)),

    holders: (): contract.Holder[] => engine.read(() => verbs.leaseHolders()),

    release: (workerIds: readonly string[]): number => engine.write(() => verbs.release(workerIds)),

    dataVersion: (): number => engine.read(() => Number(context.db.pragma('data_version', { simple: true }))),
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
    `The lease of ${lease.workerId} on message ${lease.seq} (group "${lease.groupId}", delivery ${lease.delivery}) is no longer held: it was settled, extended or taken by another claim. Nothing was changed; discard the result.`,
  );
}
