/** Leases that the thread has claimed: their events are decoded on the caller's thread, where the schema is. */
import type { BuryOptions, Lease } from '../../contract/transport.ts';
import type { EventCodec } from '../../validate/event-codec.ts';

type Bury = (lease: Lease<unknown>, options: BuryOptions) => Promise<void>;

export class ReceivedLeases<E> {
  readonly #decode: EventCodec['decode'];
  readonly #bury: Bury;

  constructor(decode: EventCodec['decode'], bury: Bury) {
    this.#decode = decode;
    this.#bury = bury;
  }

  /**
   * Decodes the events of `leases`, and buries those that do not fit the schema. Calls `claimAgain` when none is left, since
   * other messages may be waiting.
   */
  async decoded(
    leases: readonly Lease<unknown>[],
    claimAgain: () => Promise<Lease<E>[]>,
  ): Promise<Lease<E>[]> {
    const valid: Lease<E>[] = [];
    const burials: Promise<void>[] = [];
    for (const lease of leases) {
      const decoded = this.#decode(lease.event);
      if ('event' in decoded) valid.push({ ...lease, event: decoded.event as E });
      else burials.push(this.#bury(lease, { error: decoded.reason, countAttempt: false }));
    }
    const [failed] = (await Promise.allSettled(burials)).filter(({ status }) => status === 'rejected');
    if (valid.length > 0 || leases.length === 0) return valid;
    // An event that cannot be buried would otherwise be claimed over and over.
    if (failed?.status === 'rejected') throw failed.reason;
    return claimAgain();
  }

  /** The acks are committed, so an error of what follows must not reach the caller, who would ack again. */
  async decodedAfterAck(
    leases: readonly Lease<unknown>[],
    claimAgain: () => Promise<Lease<E>[]>,
  ): Promise<Lease<E>[]> {
    try {
      return await this.decoded(leases, claimAgain);
    } catch {
      // Its next claim meets the error as well, or the message's lease lapses.
      return [];
    }
  }
}
