/** The messages that a worker holds, from claim to settle: by group, and in lists by stage, each in the order of its arrival. */
import type { Clock } from '../../contract/clock.ts';
import type { RunningMessage } from '../contract/worker-types.ts';
import type { Execution } from './execution.ts';

type Change = 'add' | 'replace' | 'remove' | 'letGo' | 'keepLost' | 'forgetLost' | 'clear';

/** For all who only look. */
export type HeldView<E> = Readonly<Omit<HeldMessages<E>, Change>>;

const isReady = ({ canSettle }: { readonly canSettle: boolean }): boolean => canSettle;

/** Only Executions changes it. */
export class HeldMessages<E> {
  /** The suspect whose handler runs alone. */
  onProbation: Execution<E> | null = null;
  /** Handlers that occupy a slot. */
  running = 0;
  readonly #clock: Clock;
  readonly #byGroup = new Map<string, Execution<E>>();
  /** Their lease is lost and their handler still runs. */
  readonly #lost = new Set<Execution<E>>();
  /** Their handler is not called yet. */
  readonly #waiting: Execution<E>[] = [];
  /** The same, of suspects. */
  readonly #suspects: Execution<E>[] = [];
  /** Their outcome is not committed yet. Acks are committed together, the others one by one. */
  readonly #acks: Execution<E>[] = [];
  readonly #settles: Execution<E>[] = [];
  /** Their outcome cannot be committed for now. */
  readonly #aside: Execution<E>[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Those that occupy a place. What is set aside must not keep the worker from claiming. */
  get count(): number {
    return this.#byGroup.size - this.#aside.length;
  }

  get isEmpty(): boolean {
    return this.#byGroup.size === 0 && this.#lost.size === 0;
  }

  get all(): Execution<E>[] {
    return [...this.#byGroup.values(), ...this.#lost];
  }

  /** Suspects last. */
  get waiting(): Execution<E>[] {
    return [...this.#waiting, ...this.#suspects];
  }

  get waitingCount(): number {
    return this.#waiting.length + this.#suspects.length;
  }

  /** Those that wait beside a suspect. */
  get besideSuspects(): Execution<E>[] {
    return this.#suspects.length > 0 ? [...this.#waiting] : [];
  }

  /** The one that has waited longest, no suspect. */
  get firstWaiting(): Execution<E> | undefined {
    return this.#waiting[0];
  }

  /** The suspect that has waited longest. */
  get firstSuspect(): Execution<E> | undefined {
    return this.#suspects[0];
  }

  /** A suspect is held that has not outlived its probation: no other handler is called, and nothing is claimed. */
  get holdsSuspect(): boolean {
    return this.#suspects.length > 0 || this.onProbation !== null;
  }

  /** Those whose outcome is not committed. */
  get unsettled(): Execution<E>[] {
    return [...this.#acks, ...this.#settles, ...this.#aside];
  }

  get aside(): Execution<E>[] {
    return [...this.#aside];
  }

  /** An outcome can be committed now. */
  get canSettle(): boolean {
    return this.#acks.some(isReady) || this.#settles.some(isReady);
  }

  /** Up to `limit` acks that can be committed. Each stays pending until it is finished or lost. */
  readyAcks(limit = Number.POSITIVE_INFINITY): Execution<E>[] {
    return this.#acks.filter(isReady).slice(0, limit);
  }

  /** The same, of the other outcomes. */
  readySettles(limit: number): Execution<E>[] {
    return this.#settles.filter(isReady).slice(0, limit);
  }

  /** The first waiting message, no suspect, whose handler may be called now: its lease is held by both clocks. */
  nextToStart(monotonic: number): Execution<E> | undefined {
    if (this.#waiting.length === 0) return undefined;
    const now = this.#clock.now();
    return this.#waiting.find((each) => each.calling === null && !each.hasLapsed(monotonic, now));
  }

  /** A waiting message must be renewed before its handler is called. */
  hasLapsedWaiting(monotonic: number): boolean {
    if (this.waitingCount === 0) return false;
    const now = this.#clock.now();
    const hasLapsed = (each: Execution<E>) => each.calling === null && each.hasLapsed(monotonic, now);
    return this.#waiting.some(hasLapsed) || this.#suspects.some(hasLapsed);
  }

  ofGroup(groupId: string): Execution<E> | undefined {
    return this.#byGroup.get(groupId);
  }

  /** A handler of this group still works on a message whose lease is lost. */
  isBusy(groupId: string): boolean {
    for (const { lease } of this.#lost) if (lease.groupId === groupId) return true;
    return false;
  }

  /** `now` and `monotonic`: both clocks at the same moment. */
  describeRunning(now: number, monotonic: number): RunningMessage[] {
    return this.all.map((each) => each.describe(now, monotonic)).filter((running) => running !== null);
  }

  add(execution: Execution<E>): void {
    this.#byGroup.set(execution.lease.groupId, execution);
    this.replace(execution);
  }

  /** Into the list of its stage. */
  replace(execution: Execution<E>): void {
    this.#listOf(execution)?.push(execution);
  }

  /** From the list of its stage. Call it before the stage changes. */
  remove(execution: Execution<E>): void {
    const list = this.#listOf(execution);
    const place = list?.indexOf(execution) ?? -1;
    // A commit takes them in order, so most often it is the first, and `shift` is quicker than `splice`.
    if (place === 0) list?.shift();
    else if (place > 0) list?.splice(place, 1);
  }

  letGo(execution: Execution<E>): void {
    this.remove(execution);
    const { groupId } = execution.lease;
    if (this.#byGroup.get(groupId) === execution) this.#byGroup.delete(groupId);
  }

  keepLost(execution: Execution<E>): void {
    this.#lost.add(execution);
  }

  forgetLost(execution: Execution<E>): void {
    this.#lost.delete(execution);
  }

  clear(): void {
    this.#byGroup.clear();
    this.#lost.clear();
    for (const list of [this.#waiting, this.#suspects, this.#acks, this.#settles, this.#aside])
      list.length = 0;
    this.onProbation = null;
    this.running = 0;
  }

  #listOf({ stage, isSuspect, settlesAlone }: Execution<E>): Execution<E>[] | null {
    if (stage.name === 'waiting') return isSuspect ? this.#suspects : this.#waiting;
    if (stage.name === 'aside') return this.#aside;
    if (stage.name !== 'settling') return null;
    return stage.outcome.action === 'ack' && !settlesAlone ? this.#acks : this.#settles;
  }
}
