/**
 * The locks that this engine wrote, so that they can be shortened when the wall clock steps back: otherwise a group would
 * wait for its visibility and the step besides. Another writer's locks are never touched.
 */
export interface IssuedLock {
  readonly seq: number;
  readonly lockedBy: string;
  readonly fence: number;
  /** When it ends by the monotonic clock, which never steps. */
  readonly deadline: number;
  /** The expiry in the file, epoch ms. */
  expiresAt: number;
}

const PRUNE_FROM = 1024;

export class IssuedLocks {
  readonly #bySeq = new Map<number, IssuedLock>();
  #pruneAt = PRUNE_FROM;

  /** Those that were settled are not counted; some that lapsed may be. */
  get size(): number {
    return this.#bySeq.size;
  }

  /** `now` and `monotonic` are the readings that the lock's expiry was computed from. */
  add(
    { seq, lockedBy, fence, expiresAt }: Omit<IssuedLock, 'deadline'>,
    { now, monotonic }: { now: number; monotonic: number },
  ): void {
    this.#bySeq.set(seq, { seq, lockedBy, fence, deadline: monotonic + expiresAt - now, expiresAt });
    if (this.#bySeq.size > this.#pruneAt) this.#prune(now);
  }

  /** Call it after the commit. A later call of the same transaction may have locked the message again: that lock stays. */
  forget({ seq, fence }: Pick<IssuedLock, 'seq' | 'fence'>): void {
    if (this.#bySeq.get(seq)?.fence === fence) this.#bySeq.delete(seq);
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
