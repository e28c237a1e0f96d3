/**
 * The locks that this transport wrote and nobody has settled yet, so that they can follow the wall clock when it steps
 * back: otherwise a group would wait for its visibility and the step besides. Another writer's locks are never moved.
 */
import type { Lease } from '../transport.ts';
import { toSeconds } from './seconds.ts';

export interface OwnLock {
  readonly seq: number;
  readonly lockedBy: string;
  readonly delivery: number;
  /** The expiry that the lease object carries; the file's differs from it once the lock was moved. */
  readonly issued: number;
  /** The expiry in the file, epoch ms. */
  expiresAt: number;
}

const PRUNE_FROM = 1024;

export class OwnLocks {
  readonly #bySeq = new Map<number, OwnLock>();
  #pruneAt = PRUNE_FROM;

  note(seq: number, lockedBy: string, delivery: number, expiresAt: number, now: number): void {
    this.#bySeq.set(seq, { seq, lockedBy, delivery, issued: expiresAt, expiresAt });
    if (this.#bySeq.size > this.#pruneAt) this.#prune(now);
  }

  forget(seq: number): void {
    this.#bySeq.delete(seq);
  }

  /** The expiry that this lease has in the file, in epoch seconds: what a settle is fenced by. */
  expiryInFile(lease: Lease<unknown>): number {
    const own = this.#bySeq.get(lease.seq);
    const moved = own && own.delivery === lease.delivery && own.issued === lease.expiresAt;
    return toSeconds(moved ? own.expiresAt : lease.expiresAt);
  }

  [Symbol.iterator](): IterableIterator<OwnLock> {
    return this.#bySeq.values();
  }

  /** Lapsed locks need not follow the clock. Doubling the mark keeps the cost of pruning constant for each lock. */
  #prune(now: number): void {
    for (const lock of this.#bySeq.values()) if (lock.expiresAt < now) this.#bySeq.delete(lock.seq);
    this.#pruneAt = Math.max(PRUNE_FROM, this.#bySeq.size * 2);
  }
}
