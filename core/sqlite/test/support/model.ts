import type { Fairness } from '../../../index.ts';

/**
 * A queue in memory that a transport must agree with after any sequence of calls. Times are epoch ms, except that `turn` and
 * `until` are in the file's seconds, so that they round as in the file.
 */
export interface Lock {
  by: string;
  /** Written by the transport that is open, which shortens it after a clock step back. */
  own: boolean;
  /** The expiry in the lease object. */
  issued: number;
  /** When it ends by the monotonic clock. */
  deadline: number;
  /** The expiry in the file, which differs once the lock was shortened. */
  until: number;
  /** No two locks have the same. */
  fence: number;
}

export interface ModelMessage {
  seq: number;
  event: unknown;
  attempts: number;
  deliveries: number;
  crashes: number;
  lastError: string | null;
  lock: Lock | null;
}

interface ModelGroup {
  id: string;
  priority: number;
  key: string | null;
  turn: number;
  arrival: number;
  messages: ModelMessage[];
}

export interface ModelLease {
  seq: number;
  by: string;
  /** Null until the model has given the lease as well. */
  fence: number | null;
}

export interface Filter {
  minPriority: number;
  routingKeys: string[] | undefined;
}

export type Dead = Pick<ModelMessage, 'seq' | 'event' | 'attempts'> & {
  groupId: string;
  priority: number;
  key: string | null;
  error: string | null;
};

/** An event of another writer that is not JSON. */
export const POISON = Symbol('poison');

const toMs = (seconds: number): number => Math.round(seconds * 1e6) / 1e3;

/** Smaller differences between the two clocks shorten no lock. */
const TOLERANCE_MS = 20;

export class Model {
  now: number;
  monotonic = 0;
  readonly groups = new Map<string, ModelGroup>();
  /** By id. */
  readonly dead = new Map<number, Dead>();
  /** The fences of the leases on each delivery (`seq/delivery`) of which no lease knows yet, in their order. */
  readonly issued = new Map<string, number[]>();
  #seq = 0;
  #arrivals = 0;
  #fences = 0;
  #deadIds = 0;
  readonly #newGroupsFirst: boolean;

  constructor(now: number, fairness: Fairness) {
    this.now = now;
    this.#newGroupsFirst = fairness === 'new-groups-first';
  }

  publish(id: string, event: unknown, priority: number, key: string | null, turn?: number): number {
    const seq = ++this.#seq;
    const group = this.groups.get(id) ?? {
      id,
      priority,
      key,
      turn: turn ?? (this.#newGroupsFirst ? 0 : Math.max(this.now / 1_000, this.#highestTurn())),
      arrival: ++this.#arrivals,
      messages: [],
    };
    group.messages.push({ seq, event, attempts: 0, deliveries: 0, crashes: 0, lastError: null, lock: null });
    this.groups.set(id, group);
    return seq;
  }

  #highestTurn(): number {
    return Math.max(0, ...[...this.groups.values()].map(({ turn }) => turn));
  }

  lock(by: string, ms: number): Lock {
    const issued = this.now + ms;
    const deadline = this.monotonic + ms;
    return { by, own: true, issued, deadline, until: issued / 1_000, fence: ++this.#fences };
  }

  /** Notes that the message was given out under its lock. */
  issue({ seq, deliveries, lock }: ModelMessage): void {
    const key = `${seq}/${deliveries}`;
    this.issued.set(key, [...(this.issued.get(key) ?? []), lock?.fence ?? -1]);
  }

  /** Another program adds in seconds, which can round differently. */
  secondLock(by: string, ms: number): Lock {
    const until = this.now / 1_000 + ms / 1_000;
    return { by, own: false, issued: 0, deadline: 0, until, fence: ++this.#fences };
  }

  claim(by: string, visibility: number, filter: Filter): ModelMessage | null {
    for (;;) {
      const [group] = this.#deliverable(filter);
      const head = group?.messages[0];
      if (!group || !head) return null;
      if (head.event === POISON) {
        this.#bury(group, head, 'poison');
        continue;
      }
      group.turn = Math.max(this.now / 1_000, this.#highestTurn() + 0.000001);
      if (head.lock && head.lock.by !== '__parked__') head.crashes++;
      head.attempts++;
      head.deliveries++;
      head.lock = this.lock(by, visibility);
      this.issue(head);
      return head;
    }
  }

  /** Another program's claim, without attempts, deliveries or the microsecond above the highest turn. */
  claimAsSecond(by: string, visibility: number): ModelMessage | null {
    const [group] = this.#deliverable({ minPriority: 0, routingKeys: undefined });
    const head = group?.messages[0];
    if (!group || !head) return null;
    group.turn = this.now / 1_000;
    head.lock = this.secondLock(by, visibility);
    return head;
  }

  /** The transport was closed and opened again, so no lock is its own. */
  reopen(): void {
    for (const { lock } of this.messages())
      if (lock) Object.assign(lock, { own: false, issued: toMs(lock.until) });
  }

  find(seq: number): ModelMessage | null {
    return this.#find(seq)?.message ?? null;
  }

  /** The message of a lease that still settles. */
  held(lease: ModelLease): ModelMessage | null {
    const found = this.#find(lease.seq);
    const { lock } = found?.message ?? {};
    const same = lock?.by === lease.by && lock.fence === lease.fence;
    return same ? (found?.message ?? null) : null;
  }

  remove(seq: number): void {
    const found = this.#find(seq);
    if (found) this.#drop(found.group, found.message);
  }

  bury(seq: number, error: string | null): void {
    const found = this.#find(seq);
    if (found) this.#bury(found.group, found.message, error ?? found.message.lastError);
  }

  republish(id: number): number | null {
    const dead = this.dead.get(id);
    if (!dead) return null;
    this.dead.delete(id);
    return this.publish(dead.groupId, dead.event, dead.priority, dead.key);
  }

  release(workers: string[]): number {
    const held = this.messages().filter(({ lock }) => lock && workers.includes(lock.by));
    for (const message of held) {
      message.lock = null;
      message.crashes++;
    }
    return held.length;
  }

  /** The transport has detected a step back of the wall clock: its locks end when they would have ended without the step. */
  followClock(): void {
    for (const { lock } of this.messages()) {
      if (!lock?.own) continue;
      const end = this.now + lock.deadline - this.monotonic;
      if (end < toMs(lock.until) - TOLERANCE_MS) lock.until = end / 1_000;
    }
  }

  nextExpiry(filter: Filter): number | null {
    const ends = this.#accepted(filter).flatMap(({ messages }) =>
      messages.flatMap(({ lock }) => lock?.until ?? []),
    );
    return ends.length > 0 ? toMs(Math.min(...ends)) : null;
  }

  messages(): ModelMessage[] {
    return [...this.groups.values()].flatMap(({ messages }) => messages).sort((a, b) => a.seq - b.seq);
  }

  #accepted({ minPriority, routingKeys }: Filter): ModelGroup[] {
    const fits = ({ priority, key }: ModelGroup): boolean =>
      priority >= minPriority && (!routingKeys || (key !== null && routingKeys.includes(key)));
    return [...this.groups.values()].filter(fits);
  }

  #deliverable(filter: Filter): ModelGroup[] {
    return this.#accepted(filter)
      .filter(({ messages }) => !messages.some(({ lock }) => lock && lock.until >= this.now / 1_000))
      .sort((a, b) => a.turn - b.turn || a.arrival - b.arrival);
  }

  #find(seq: number): { group: ModelGroup; message: ModelMessage } | null {
    for (const group of this.groups.values()) {
      const message = group.messages.find((each) => each.seq === seq);
      if (message) return { group, message };
    }
    return null;
  }

  #bury(group: ModelGroup, message: ModelMessage, error: string | null): void {
    const { seq, event, attempts } = message;
    this.dead.set(++this.#deadIds, {
      seq,
      event,
      attempts,
      groupId: group.id,
      priority: group.priority,
      key: group.key,
      error,
    });
    this.#drop(group, message);
  }

  #drop(group: ModelGroup, message: ModelMessage): void {
    group.messages.splice(group.messages.indexOf(message), 1);
    if (group.messages.length === 0) this.groups.delete(group.id);
  }
}
