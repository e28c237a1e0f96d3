/** Held messages in lists by their stage, each in the order in which they came to it. */
import type { Execution } from './execution.ts';

const isReady = ({ canSettle }: { readonly canSettle: boolean }): boolean => canSettle;

export class StageLists<E> {
  /** Their handler is not called yet. */
  readonly waiting: Execution<E>[] = [];
  /** The same, of suspects. */
  readonly suspects: Execution<E>[] = [];
  /** Their outcome is not committed yet. Acks are committed together, the others one by one. */
  readonly #acks: Execution<E>[] = [];
  readonly #settles: Execution<E>[] = [];
  /** Their outcome cannot be committed for now. */
  readonly aside: Execution<E>[] = [];

  /** An outcome can be committed now. */
  get canSettle(): boolean {
    return this.#acks.some(isReady) || this.#settles.some(isReady);
  }

  /** Those whose outcome is not committed. */
  get unsettled(): Execution<E>[] {
    return [...this.#acks, ...this.#settles, ...this.aside];
  }

  readyAcks(limit: number): Execution<E>[] {
    return this.#acks.filter(isReady).slice(0, limit);
  }

  readySettles(limit: number): Execution<E>[] {
    return this.#settles.filter(isReady).slice(0, limit);
  }

  add(execution: Execution<E>): void {
    this.#listOf(execution)?.push(execution);
  }

  /** Call it before the stage changes. */
  remove(execution: Execution<E>): void {
    const list = this.#listOf(execution);
    const place = list?.indexOf(execution) ?? -1;
    // A commit takes them in order, so most often it is the first, and `shift` is quicker than `splice`.
    if (place === 0) list?.shift();
    else if (place > 0) list?.splice(place, 1);
  }

  clear(): void {
    for (const list of [this.waiting, this.suspects, this.#acks, this.#settles, this.aside]) list.length = 0;
  }

  #listOf({ stage, isSuspect, settlesAlone }: Execution<E>): Execution<E>[] | null {
    if (stage.name === 'waiting') return isSuspect ? this.suspects : this.waiting;
    if (stage.name === 'aside') return this.aside;
    if (stage.name !== 'settling') return null;
    return stage.outcome.action === 'ack' && !settlesAlone ? this.#acks : this.#settles;
  }
}
