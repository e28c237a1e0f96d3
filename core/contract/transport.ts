/**
 * The Transport contract: what every queue back end does, whether its verbs answer at once or with promises.
 *
 * Times in this contract are milliseconds: durations as `…Ms`, points in time as epoch milliseconds. (A SQLite file
 * holds epoch seconds, as the specification says; the transport converts.) Types only; no code.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** A value now or later: a synchronous transport answers at once, an asynchronous one with a promise. */
export type Awaitable<T> = T | Promise<T>;

/** How urgent a group is: a whole number from 0 (the default) to 4. A claim's floor filters by it, never orders. */
export type Priority = 0 | 1 | 2 | 3 | 4;

/** What the first message of a group decides for the whole group; later publishes leave both as they are. */
export interface PublishOptions {
  /** Whole number 0-4; default 0. */
  readonly priority?: number | undefined;
  /** Which claims may take the group: those that name this key, and those that name none. Default: no key. */
  readonly routingKey?: string | null | undefined;
}

/** One entry of publishMany. */
export interface NewMessage<Event = unknown> extends PublishOptions {
  readonly groupId: string;
  readonly event: Event;
}

/** Which groups a claim accepts. */
export interface ClaimOptions {
  /** The priority floor: groups below it are passed over. Whole number 0-4; default 0. */
  readonly minPriority?: number | undefined;
  /** The keys served. Left out: every group. `[]`: none. A group without a key matches no keyed claim. */
  readonly routingKeys?: readonly string[] | undefined;
}

/**
 * The right to settle one message until it expires. Plain data: it may cross threads and processes. Once the wall clock has
 * stepped back, a lease from before settles through the transport that claimed it only, which moved its lock.
 */
export interface Lease<Event = unknown> {
  readonly seq: number;
  readonly groupId: string;
  readonly event: Event;
  readonly workerId: string;
  /** Epoch ms. The lease is still held at exactly this time and lapses strictly after it. */
  readonly expiresAt: number;
  /** 1 for the first counted delivery; give-backs that do not count leave it as it was. */
  readonly attempt: number;
  /** How often the message was ever handed out, counted or not: part of the fence, so no two claims are alike. */
  readonly delivery: number;
  /** Epoch ms of the publish; null where another writer left it out. */
  readonly publishedAt: number | null;
  /** The error that the last failed attempt left, or null. */
  readonly lastError: string | null;
}

export interface NackOptions {
  /** Kept as the message's last error. Left out: the one already there stays. */
  readonly error?: string | undefined;
  /** False gives the message back as if it had not been tried (a stop, a deliberate Park). Default true. */
  readonly countAttempt?: boolean | undefined;
}

export interface BuryOptions {
  /** Why the message died. Left out: its last error. */
  readonly error?: string | undefined;
}

/** What ackAndClaimMany did: the leases it claimed, and those of the acked ones that were no longer held. */
export interface AckedAndClaimed<Event = unknown> {
  readonly claimed: Lease<Event>[];
  readonly lost: Lease<Event>[];
}

/** A message that was taken out of its group after its last attempt. */
export interface DeadLetter {
  readonly seq: number;
  readonly groupId: string;
  /** The event's text as it stands in the file: it may be what could not be read. */
  readonly eventJson: string;
  readonly priority: number;
  readonly routingKey: string | null;
  readonly attempts: number;
  readonly publishedAt: number | null;
  /** Epoch ms. */
  readonly buriedAt: number;
  readonly error: string | null;
}

/** Who holds leases right now, and how many. Parked messages have no holder. */
export interface Holder {
  readonly workerId: string;
  readonly leases: number;
}

/**
 * What a transport tells after the commit that made it true. Of a verb that joined its caller's transaction it tells once that
 * is over: should the caller have rolled back, it was a false alarm.
 */
export interface TransportEvents {
  published: { seq: number; groupId: string };
  claimed: { seq: number; groupId: string; workerId: string; expiresAt: number };
  acked: { seq: number; groupId: string };
  /** Given back, claimable at once. */
  nacked: { seq: number; groupId: string };
  /** Given back, its group hidden until `until` (epoch ms). */
  parked: { seq: number; groupId: string; until: number };
  extended: { seq: number; groupId: string; expiresAt: number };
  buried: { seq: number; groupId: string; error: string | null };
  closed: { error: Error | null };
}

export type TransportEventName = keyof TransportEvents;
export type TransportListener<Name extends TransportEventName> = (detail: TransportEvents[Name]) => void;

/** Checks events on publish and on claim: zod, valibot, arktype, or any other Standard Schema. */
export type EventSchema<Event> = StandardSchemaV1<unknown, Event>;

/**
 * A queue: messages in groups, each group first in, first out, with one message in flight.
 *
 * Every settling verb (ack, nack, extend, bury, ackAndClaim) is fenced: a lease that is no longer the caller's raises
 * LeaseLost and changes nothing. Every verb raises BadArgument before any write, and Closed after close.
 */
export interface Transport<Event = unknown> {
  /** Puts a message at the tail of its group and returns its seq. One transaction. */
  publish(groupId: string, event: Event, options?: PublishOptions): Awaitable<number>;
  /** Publishes all or none, in order; returns their seqs. */
  publishMany(messages: readonly NewMessage<Event>[]): Awaitable<number[]>;
  /** Takes the head of the next deliverable group under a lease; null when nothing is deliverable. */
  claim(workerId: string, visibilityMs: number, options?: ClaimOptions): Awaitable<Lease<Event> | null>;
  /** Takes the heads of up to `limit` different groups in one transaction. */
  claimMany(
    workerId: string,
    visibilityMs: number,
    limit: number,
    options?: ClaimOptions,
  ): Awaitable<Lease<Event>[]>;
  /** Done: removes the message, and its group's row with the last one. */
  ack(lease: Lease<Event>): Awaitable<void>;
  /** Gives back: claimable again at once in its place, or parked for `delayMs` while its whole group waits. */
  nack(lease: Lease<Event>, delayMs?: number, options?: NackOptions): Awaitable<void>;
  /**
   * Holds on for `visibilityMs` from now (a microsecond more, should that be the expiry it has); the lease passed in no
   * longer settles, the one returned does.
   */
  extend(lease: Lease<Event>, visibilityMs: number): Awaitable<Lease<Event>>;
  /** Moves the message to the dead letters; its group goes on. */
  bury(lease: Lease<Event>, options?: BuryOptions): Awaitable<void>;
  /** Acks one and claims the next for the same worker, in one transaction. */
  ackAndClaim(
    lease: Lease<Event>,
    visibilityMs: number,
    options?: ClaimOptions,
  ): Awaitable<Lease<Event> | null>;
  /** Acks several and claims up to `limit` (0: none) in one transaction. A lost lease is reported, not raised. */
  ackAndClaimMany(
    leases: readonly Lease<Event>[],
    workerId: string,
    visibilityMs: number,
    limit: number,
    options?: ClaimOptions,
  ): Awaitable<AckedAndClaimed<Event>>;

  /** The dead letters, oldest first: up to `limit` (default 100) with a seq above `afterSeq` (default 0). */
  deadLetters(options?: { afterSeq?: number; limit?: number }): Awaitable<DeadLetter[]>;
  /** Publishes a dead letter again at its group's tail and removes it there, in one transaction; returns the new seq. */
  republish(deadSeq: number): Awaitable<number>;

  /** Epoch ms at which the earliest lock of a group that these options accept ends; null when none is locked. */
  nextExpiry(options?: ClaimOptions): Awaitable<number | null>;
  /** The workers that hold leases now, lapsed ones included. */
  holders(): Awaitable<Holder[]>;
  /**
   * Gives back at once what these workers hold; returns how many messages. For dead workers only. The attempt stays
   * counted: a message that kills its process each time must reach its last attempt.
   */
  release(workerIds: readonly string[]): Awaitable<number>;
  /** A number that changes when another connection has written to the queue's file. */
  dataVersion(): Awaitable<number>;

  on<Name extends TransportEventName>(name: Name, listener: TransportListener<Name>): void;
  off<Name extends TransportEventName>(name: Name, listener: TransportListener<Name>): void;

  /** Idempotent. A synchronous transport is closed on return, an asynchronous one once what it accepted is done. */
  close(): Awaitable<void>;
}
