/**
 * The locks that this engine wrote, so that they can be shortened when the wall clock steps back: otherwise a group would
 * wait for its visibility and the step besides. Another writer's locks are never touched.
 */
import type { Lease } from '../../contract/transport.ts';
import { toSeconds } from '../file/time-units.ts';

export interface IssuedLock {
  readonly seq: number;
  readonly lockedBy: string;
  readonly delivery: number;
  /** The expiry in the lease object. The file's is lower once the lock was shortened. */
  readonly issued: number;
  /** When it ends by the monotonic clock, which never steps. */
  readonly deadline: number;
  /** The expiry in the file, epoch ms. */
  expiresAt: number;
}

const PRUNE_FROM = 1024;

const keyOf = (seq: number, delivery: number, issued: number) => `${seq}/${delivery}/${issued}`;

export class IssuedLocks {
  readonly #bySeq = new Map<number, IssuedLock>();
  /**
   * The expiry in the file of every lease whose lock was shortened. An entry outlives the settle of its lease, because the
   * settle may be rolled back. It outlives the expiry, because a lapsed lease still settles. There are at most as many
   * entries as there were locks at the moments of a step.
   */
  readonly #shortened = new Map<string, number>();
  #pruneAt = PRUNE_FROM;

  /** `now` and `monotonic` are the readings that the lock's expiry was computed from. */
  add(
    { seq, lockedBy, delivery, expiresAt }: Pick<IssuedLock, 'seq' | 'lockedBy' | 'delivery' | 'expiresAt'>,
    { now, monotonic }: { now: number; monotonic: number },
  ): void {
    const deadline = monotonic + expiresAt - now;
    this.#bySeq.set(seq, { seq, lockedBy, delivery, issued: expiresAt, deadline, expiresAt });
    // After steps back and forth a new lease may have the very expiry of an earlier one.
    if (this.#shortened.size > 0) this.#shortened.delete(keyOf(seq, delivery, expiresAt));
    if (this.#bySeq.size > this.#pruneAt) this.#prune(now);
  }

  forget(seq: number): void {
    this.#bySeq.delete(seq);
  }

  /** The lock now ends at `expiresAt` in the file. */
  shorten(lock: IssuedLock, expiresAt: number): void {
    lock.expiresAt = expiresAt;
    this.#shortened.set(keyOf(lock.seq, lock.delivery, lock.issued), expiresAt);
  }

  wasShortened({ seq, delivery, expiresAt }: Lease<unknown>): boolean {
    return this.#shortened.size > 0 && this.#shortened.has(keyOf(seq, delivery, expiresAt));
  }

  /** From now on this lease never settles, whatever expiry the message has. */
  dropShortened({ seq, delivery, expiresAt }: Lease<unknown>): void {
    this.#shortened.delete(keyOf(seq, delivery, expiresAt));
  }

  /** The expiry that this lease has in the file, in epoch seconds. */
  expiryInFile({ seq, delivery, expiresAt }: Lease<unknown>): number {
    if (this.#shortened.size === 0) return toSeconds(expiresAt);
    return toSeconds(this.#shortened.get(keyOf(seq, delivery, expiresAt)) ?? expiresAt);
  }

  [Symbol.iterator](): IterableIterator<IssuedLock> {
    return this.#bySeq.values();
  }

  /** Drops lapsed locks, which need no shortening. Doubling the threshold keeps the cost for each lock constant. */
  #prune(now: number): void {
    for (const lock of this.#bySeq.values()) if (lock.expiresAt < now) this.#bySeq.delete(lock.seq);
    this.#pruneAt = Math.max(PRUNE_FROM, this.#bySeq.size * 2);
  }
}
