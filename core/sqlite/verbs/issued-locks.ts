/**
 * The locks that this transport wrote, so that they can follow the wall clock when it steps back: otherwise a group would
 * wait for its visibility and the step besides. Another writer's locks are never moved.
 */
import type { Lease } from '../../contract/transport.ts';
import { toSeconds } from '../file/time-units.ts';

export interface IssuedLock {
  readonly seq: number;
  readonly lockedBy: string;
  readonly delivery: number;
  /** The expiry that the lease object carries; the file's differs from it once the lock was moved. */
  readonly issued: number;
  /** When it ends by the monotonic clock, which does not step. */
  readonly deadline: number;
  /** The expiry in the file, epoch ms. */
  expiresAt: number;
}

const PRUNE_FROM = 1024;

const keyOf = (seq: number, delivery: number, issued: number) => `${seq}/${delivery}/${issued}`;

export class IssuedLocks {
  readonly #bySeq = new Map<number, IssuedLock>();
  /**
   * The file's expiry of every lease whose lock was moved. Kept when it is settled, which may yet be rolled back, and when
   * it has lapsed, for then it still settles. There are no more of them than locks at the moments of a step.
   */
  readonly #moved = new Map<string, number>();
  #pruneAt = PRUNE_FROM;

  /** `now` and `monotonic` are the readings with which the lock was made. */
  note(
    { seq, lockedBy, delivery, expiresAt }: Pick<IssuedLock, 'seq' | 'lockedBy' | 'delivery' | 'expiresAt'>,
    { now, monotonic }: { now: number; monotonic: number },
  ): void {
    const deadline = monotonic + expiresAt - now;
    this.#bySeq.set(seq, { seq, lockedBy, delivery, issued: expiresAt, deadline, expiresAt });
    // After steps to and fro a lease may be issued with the very expiry of one before it.
    if (this.#moved.size > 0) this.#moved.delete(keyOf(seq, delivery, expiresAt));
    if (this.#bySeq.size > this.#pruneAt) this.#prune(now);
  }

  forget(seq: number): void {
    this.#bySeq.delete(seq);
  }

  /** The lock now ends at `expiresAt` in the file. */
  move(lock: IssuedLock, expiresAt: number): void {
    lock.expiresAt = expiresAt;
    this.#moved.set(keyOf(lock.seq, lock.delivery, lock.issued), expiresAt);
  }

  hasMoved({ seq, delivery, expiresAt }: Lease<unknown>): boolean {
    return this.#moved.size > 0 && this.#moved.has(keyOf(seq, delivery, expiresAt));
  }

  /** This lease settles no more, whatever expiry the message may come to have. */
  unmove({ seq, delivery, expiresAt }: Lease<unknown>): void {
    this.#moved.delete(keyOf(seq, delivery, expiresAt));
  }

  /** The expiry that this lease has in the file, in epoch seconds: what a settle is fenced by. */
  expiryInFile({ seq, delivery, expiresAt }: Lease<unknown>): number {
    if (this.#moved.size === 0) return toSeconds(expiresAt);
    return toSeconds(this.#moved.get(keyOf(seq, delivery, expiresAt)) ?? expiresAt);
  }

  [Symbol.iterator](): IterableIterator<IssuedLock> {
    return this.#bySeq.values();
  }

  /** Lapsed locks need not follow the clock. Doubling the mark keeps the cost of pruning constant for each lock. */
  #prune(now: number): void {
    for (const lock of this.#bySeq.values()) if (lock.expiresAt < now) this.#bySeq.delete(lock.seq);
    this.#pruneAt = Math.max(PRUNE_FROM, this.#bySeq.size * 2);
  }
}
