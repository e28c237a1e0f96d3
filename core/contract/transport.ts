/**
 * The Transport contract: what every queue back end provides, with synchronous or asynchronous calls. Types only.
 *
 * Times are milliseconds: durations are named `…Ms`, points in time are epoch milliseconds. (A SQLite file holds epoch
 * seconds, as the specification requires; the transport converts.) `E` is the type of the events.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** The result of a call: a value from a synchronous transport, a promise from an asynchronous one. */
export type Awaitable<T> = T | Promise<T>;

/** A group's priority, a whole number from 0 (the default) to 4. A claim filters by it and never orders by it. */
export type Priority = 0 | 1 | 2 | 3 | 4;

/**
 * Set for a group by the publish that creates it; later publishes to the group leave both as they are. Once the group is
 * drained, the next publish sets them again.
 */
export interface PublishOptions {
  /** A whole number from 0 to 4; default 0. */
  readonly priority?: number | undefined;
  /** A claim can take the group when it names this key, or names no keys at all. Default null: no key. */
  readonly routingKey?: string | null | undefined;
}

/** An entry of publishMany. */
export interface NewMessage<E = unknown> extends PublishOptions {
  readonly groupId: string;
  readonly event: E;
}

/** Which groups a claim accepts. */
export interface ClaimOptions {
  /** The priority floor: a claim skips groups below it. A whole number from 0 to 4; default 0. */
  readonly minPriority?: number | undefined;
  /** The routing keys to serve; default all groups. `[]` matches no group. A group without a key matches no list. */
  readonly routingKeys?: readonly string[] | undefined;
}

/** For a claim that takes several messages. */
export interface ClaimManyOptions extends ClaimOptions {
  /**
   * How many of the messages, from the first, the caller starts at once; default all. Their attempts are counted in the file
   * by the claim, so that an attempt which ends its process is not forgotten. The attempt of a message that was only claimed
   * ahead is counted by its settle or by `countAttempt`. Where this is given, a message with `crashes` above 0 is not counted
   * by the claim either.
   */
  readonly startNow?: number | undefined;
  /**
   * The caller's limit of attempts; default none. From that `attempt` on, a message is not counted by the claim: another
   * message of the same claim may end the process first, and this one would have used its last attempt without a run. Call
   * `countAttempt` just before it is started.
   */
  readonly maxAttempts?: number | undefined;
}

/** The right to settle one message until it expires. It is plain data and can cross threads and processes. */
export interface Lease<E = unknown> {
  readonly seq: number;
  readonly groupId: string;
  readonly event: E;
  readonly workerId: string;
  /** Epoch ms. The lease is still held at this time and lapses after it. */
  readonly expiresAt: number;
  /** The number of this attempt: 1 more than the attempts that were counted before. */
  readonly attempt: number;
  /** The number of all deliveries, this one included. */
  readonly delivery: number;
  /** Rises with every write of the message's lock, by whichever program. A lease settles only while the file has its value. */
  readonly fence: number;
  /**
   * How often in a row a lease on the message ended without a settle: its worker died, or it lapsed and was taken over. 0
   * again once a handler has ended.
   */
  readonly crashes: number;
  /** Epoch ms; null where another program published the message without a time. */
  readonly publishedAt: number | null;
  /** The error of the last failed attempt, or null. */
  readonly lastError: string | null;
}

export interface NackOptions {
  /** Stored as the message's last error. Default: the last error stays. */
  readonly error?: string | undefined;
  /** False: this was no attempt (a stop, or a deliberate park). Default true. */
  readonly countAttempt?: boolean | undefined;
}

export interface BuryOptions {
  /** Stored as the dead letter's error. Default: the message's last error. */
  readonly error?: string | undefined;
  /** False: the message was not run. Default true. */
  readonly countAttempt?: boolean | undefined;
}

/** The result of ackAndClaimMany. */
export interface AckedAndClaimed<E = unknown> {
  readonly claimed: Lease<E>[];
  /** The leases that were no longer held, and so were not acked. */
  readonly lost: Lease<E>[];
}

/** A message that was buried. */
export interface DeadLetter {
  /** Its key. Rises with each burial. */
  readonly id: number;
  /** The seq that it had as a message. Another program can reset the numbering, so it need not be unique. */
  readonly seq: number;
  readonly groupId: string;
  /** The event's text as it is in the file. It need not be JSON, when that is why the message was buried. */
  readonly eventJson: string;
  readonly priority: number;
  readonly routingKey: string | null;
  readonly attempts: number;
  /** Epoch ms, or null. */
  readonly publishedAt: number | null;
  /** Epoch ms. */
  readonly buriedAt: number;
  readonly error: string | null;
}

/** A worker that holds leases. Parked messages have no holder. */
export interface Holder {
  readonly workerId: string;
  /** How many. */
  readonly leases: number;
}

/** Which groups a call looks at. No call reads a million groups at once: repeat it with `after` until `next` is null. */
export interface GroupPage {
  /** The `next` of the page before; default null, the first page. */
  readonly after?: number | null | undefined;
  /** How many groups to look at, from 1; default 2,000. */
  readonly limit?: number | undefined;
}

export interface HoldersPage {
  /** Sorted by worker id. A worker can be on several pages. */
  readonly holders: Holder[];
  readonly next: number | null;
}

export interface ReleasedPage {
  /** How many messages were freed. */
  readonly released: number;
  readonly next: number | null;
}

/**
 * Events are emitted after the commit. Those of a call in a caller's transaction are emitted soon after it has ended, if it was
 * committed.
 */
export interface TransportEvents {
  published: { seq: number; groupId: string };
  claimed: { seq: number; groupId: string; workerId: string; expiresAt: number };
  acked: { seq: number; groupId: string };
  /** The message is claimable at once. */
  nacked: { seq: number; groupId: string };
  /** The message's group is hidden until `until` (epoch ms). */
  parked: { seq: number; groupId: string; until: number };
  extended: { seq: number; groupId: string; expiresAt: number };
  buried: { seq: number; groupId: string; error: string | null };
  /**
   * Another transport of this process, on any thread, has published, settled or freed messages of the same queue. Several changes
   * within 5 ms are one event. Changes of other processes have no event: see `dataVersion`.
   */
  changed: Record<never, never>;
  /** `error` is null after a call of `close`. */
  closed: { error: Error | null };
}

export type TransportEventName = keyof TransportEvents;
export type TransportListener<Name extends TransportEventName> = (detail: TransportEvents[Name]) => void;

/** Checks events on publish and on claim: a zod, valibot or arktype schema, or any other Standard Schema. */
export type EventSchema<E> = StandardSchemaV1<unknown, E>;

/**
 * A queue of messages in groups. Each group is delivered first in, first out, one message at a time.
 *
 * Each call is one transaction. Every call raises BadArgument before any write, and Closed after close. The calls that
 * settle a lease (ack, nack, extend, bury, ackAndClaim) raise LeaseLost and change nothing when the lease is no longer held:
 * when it was settled, extended, or lapsed and was taken by another claim. A lapsed lease that no claim has taken still
 * settles.
 */
export interface Transport<E = unknown> {
  /** True where every call that writes raises READ_ONLY: a worker refuses such a transport. */
  readonly isReadonly?: boolean;

  /**
   * Puts a message at the tail of its group and returns its seq. The event is stored as JSON has it: -0 as 0, a Date as text,
   * an instance of a class by its fields, without properties that are undefined or not enumerable. Raises BAD_EVENT for an event that is not JSON or does not
   * fit the schema, and EVENT_TOO_LARGE. (Specification: publish.)
   */
  publish(groupId: string, event: E, options?: PublishOptions): Awaitable<number>;
  /** Publishes all messages in order, or none, and returns their seqs. Raises as `publish` does. */
  publishMany(messages: readonly NewMessage<E>[]): Awaitable<number[]>;
  /**
   * Takes the head of the next deliverable group under a lease of `visibilityMs` (1 or more), or returns null when no group
   * is deliverable. An event that cannot be decoded is buried, and the claim goes on to the next. (Specification: claim.)
   */
  claim(workerId: string, visibilityMs: number, options?: ClaimOptions): Awaitable<Lease<E> | null>;
  /** Takes the heads of up to `limit` different groups. */
  claimMany(
    workerId: string,
    visibilityMs: number,
    limit: number,
    options?: ClaimManyOptions,
  ): Awaitable<Lease<E>[]>;
  /** Removes a message that is done. (Specification: ack.) */
  ack(lease: Lease<E>): Awaitable<void>;
  /**
   * Gives a message back: claimable at once in its place, or parked for `delayMs` (default 0) while its whole group waits.
   * (Specification: nack.)
   */
  nack(lease: Lease<E>, delayMs?: number, options?: NackOptions): Awaitable<void>;
  /** Makes the lease expire `visibilityMs` from now. The returned lease settles; the one that was passed in no longer does. */
  extend(lease: Lease<E>, visibilityMs: number): Awaitable<Lease<E>>;
  /**
   * Counts the attempt of a held lease in the file, or takes it back. The lease stays valid. For a message that was claimed
   * ahead and whose process may not survive it.
   */
  countAttempt(lease: Lease<E>, counted: boolean): Awaitable<void>;
  /** Moves the message to the dead letters. Its group goes on with the next message. */
  bury(lease: Lease<E>, options?: BuryOptions): Awaitable<void>;
  /** Acks a message and claims the next one for the same worker. */
  ackAndClaim(lease: Lease<E>, visibilityMs: number, options?: ClaimOptions): Awaitable<Lease<E> | null>;
  /** Acks several messages and claims up to `limit` (0: none). Lost leases are returned, not raised. */
  ackAndClaimMany(
    leases: readonly Lease<E>[],
    workerId: string,
    visibilityMs: number,
    limit: number,
    options?: ClaimManyOptions,
  ): Awaitable<AckedAndClaimed<E>>;

  /** Lists the dead letters with an id above `afterId` (default 0), oldest first, at most `limit` (default 100). */
  deadLetters(options?: { afterId?: number; limit?: number }): Awaitable<DeadLetter[]>;
  /**
   * Publishes a dead letter again at the tail of its group and removes it from the dead letters. Returns the new seq. Raises
   * NOT_FOUND when there is none with this id.
   */
  republish(deadId: number): Awaitable<number>;

  /**
   * When to claim again: no lock ends earlier among the groups that such a claim would accept. Epoch ms, or null when none is
   * locked.
   */
  nextExpiry(options?: ClaimOptions): Awaitable<number | null>;
  /** The workers that hold leases in a page of groups, lapsed ones included. */
  holders(page?: GroupPage): Awaitable<HoldersPage>;
  /**
   * Frees what these workers hold in a page of groups. For dead workers only. An attempt that was counted stays counted, so a
   * message that crashes its process each time still reaches its last attempt, and each message has one more of `crashes`.
   */
  release(workerIds: readonly string[], page?: GroupPage): Awaitable<ReleasedPage>;
  /**
   * Frees at once what this worker holds through this transport, without counting attempts, and returns how many messages
   * that were. Synchronous also where the other calls are not: for a process that is about to end.
   */
  releaseNow(workerId: string): number;
  /**
   * True while the connection is in a transaction that the app has begun on it: calls join it, and the app may roll them back.
   * Undefined for a transport whose connection the app does not have.
   */
  readonly inCallersTransaction?: boolean;
  /**
   * A number that changes when others than this transport write to the queue's file: other connections, and the app by SQL of its
   * own on the connection that it has passed.
   */
  dataVersion(): Awaitable<number>;

  on<Name extends TransportEventName>(name: Name, listener: TransportListener<Name>): void;
  off<Name extends TransportEventName>(name: Name, listener: TransportListener<Name>): void;

  /** Idempotent. A synchronous transport is closed on return, an asynchronous one once all accepted calls are done. */
  close(): Awaitable<void>;
}
