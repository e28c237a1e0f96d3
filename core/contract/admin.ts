/**
 * What the inspector reads from a queue and what an operator can do to it. Types only, so a page can import them.
 *
 * Every call is asynchronous. Reading changes nothing: no lease, no attempt, no write. Times are epoch milliseconds.
 * Every value is plain data that survives a structured clone.
 */

import type { Purged, Retention } from './retention.ts';

/**
 * ready: the head of its group, and a claim may take it · waiting: behind the head, or behind a lock in its group ·
 * leased: a worker holds it · parked: nacked with a delay that has not passed · lapsed: the head of its group, whose
 * lease or park has expired and which no claim has taken since · dead: a dead letter.
 */
export type MessageState = 'ready' | 'waiting' | 'leased' | 'lapsed' | 'parked' | 'dead';

export interface Overview {
  /** The queue's clock when the counts were taken. */
  readonly now: number;
  /** The path of the queue's file. */
  readonly file: string;
  readonly messages: number;
  readonly groups: number;
  readonly leased: number;
  readonly parked: number;
  readonly lapsed: number;
  readonly dead: number;
  /** When the oldest message was published; null without messages, or where its writer left the time out. */
  readonly oldestPublishedAt: number | null;
}

export interface GroupRow {
  readonly groupId: string;
  /** The number of messages in the group. */
  readonly depth: number;
  readonly priority: number;
  readonly routingKey: string | null;
  readonly headSeq: number;
  /** 'waiting' only where a message behind the head is locked. */
  readonly headState: Exclude<MessageState, 'dead'>;
  /**
   * The worker that holds the group's leased message, or that held it until the lease lapsed (`expiresAt` is then in the
   * past); null when the message is parked or free.
   */
  readonly holder: string | null;
  /**
   * When the head's lease or park expires, or expired; null when the head is free. Where the head waits for a lock
   * behind it, the expiry of that lock.
   */
  readonly expiresAt: number | null;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly oldestPublishedAt: number | null;
  /** Null until the first claim of the group. */
  readonly lastClaimedAt: number | null;
}

/** The seq of a message, or the id of a dead letter. */
export type MessageKey = number | { readonly deadId: number };

export interface MessageRow {
  readonly seq: number;
  /**
   * A dead letter's id; null for a message. Only the id names a dead letter: after another program has reset the numbering,
   * several dead letters and a message can have one seq.
   */
  readonly deadId: number | null;
  readonly groupId: string;
  readonly state: MessageState;
  readonly attempts: number;
  readonly priority: number;
  readonly routingKey: string | null;
  /** The worker that holds the message, or that held it until its lease lapsed; null when it is parked or free. */
  readonly holder: string | null;
  /** When its lease or park expires, or expired; null when it is free. */
  readonly expiresAt: number | null;
  readonly publishedAt: number | null;
  readonly lastError: string | null;
  /** The first 200 characters of the event's JSON. */
  readonly preview: string;
}

export interface MessageDetail extends MessageRow {
  /** The event's text exactly as in the file: big numbers stay exact. */
  readonly eventJson: string;
  /** True when the app hides parts of the event: `eventJson` then differs from the file and cannot be edited. */
  readonly redacted: boolean;
  /** The message that this one was re-published from. */
  readonly originSeq: number | null;
  /** One sentence that says why the message waits, or what happens to it now. */
  readonly why: string;
  /** Pass it with an operation on this message. It changes whenever the message's state does. */
  readonly fence: MessageFence;
}

/**
 * Identifies a message in the state that the operator saw. An operation changes nothing when the message is no longer in
 * that state, and its outcome is then 'stale'.
 */
export interface MessageFence {
  readonly seq: number;
  readonly lockedBy: string | null;
  /** Rises with every write of the lock, by whichever program. */
  readonly fence: number;
  /** A dead letter's id; null for a message. */
  readonly deadId: number | null;
}

export type GroupSort = 'groupId' | 'depth' | 'priority' | 'oldest' | 'expiry' | 'lastClaimed';
/** 'published' sorts by seq: a message gets its seq when it is published. */
export type MessageSort = 'seq' | 'groupId' | 'attempts' | 'published';

export interface GroupsQuery {
  readonly sort?: GroupSort;
  readonly descending?: boolean;
  /** Part of the group id, in any case. */
  readonly search?: string;
  readonly state?: GroupRow['headState'];
  readonly minPriority?: number;
  readonly routingKey?: string;
  /** The number of rows to skip; default 0. */
  readonly offset?: number;
  /** The number of rows to return, 1 to 1,000; default 200. */
  readonly limit?: number;
}

export interface MessagesQuery {
  readonly sort?: MessageSort;
  readonly descending?: boolean;
  /** Part of the group id or of the event's JSON, in any case. */
  readonly search?: string;
  readonly groupId?: string;
  readonly state?: MessageState;
  /** The number of rows to skip; default 0. */
  readonly offset?: number;
  /** The number of rows to return, 1 to 1,000; default 200. */
  readonly limit?: number;
}

export interface Page<Row> {
  readonly now: number;
  readonly rows: readonly Row[];
  /** The number of rows that match the query, on all pages, counted a moment before the rows were read. */
  readonly total: number;
}

/** What an operator can do to one message. CONTRIBUTING.md has the recipe for adding a kind. */
export type Operation =
  /** Removes the message as done. */
  | { readonly kind: 'ack'; readonly fence: MessageFence }
  /** Makes the message claimable at once, in its place. */
  | { readonly kind: 'nack'; readonly fence: MessageFence }
  /** Hides the message's group for `delayMs`. */
  | { readonly kind: 'park'; readonly fence: MessageFence; readonly delayMs: number }
  /**
   * Publishes the event as a new message at the tail of a group and removes the old one, in one transaction. A field that
   * is left out keeps its value. Priority and routing key have an effect only where this creates the group. `eventJson`
   * must be JSON (else BAD_EVENT) of at most 1 MiB in UTF-8 (else EVENT_TOO_LARGE), a transport's default limit.
   */
  | {
      readonly kind: 'republish';
      readonly fence: MessageFence;
      readonly eventJson?: string;
      readonly groupId?: string;
      readonly priority?: number;
      readonly routingKey?: string | null;
    };

export type OperationKind = Operation['kind'];
export type OperationOf<Kind extends OperationKind> = Extract<Operation, { kind: Kind }>;

export type OperationResult =
  /** `seq`: the new message after a re-publish, else the operation's own message. */
  | { readonly outcome: 'done'; readonly seq: number }
  /** The message is no longer in the state of its fence, so nothing was changed. `message` describes its state now. */
  | { readonly outcome: 'stale'; readonly message: string };

/**
 * Reads a queue and operates on it for a person. Every call rejects with a LeaseholdError; a wrong argument is
 * BAD_ARGUMENT, and an answer of more than 128 Mi characters is ANSWER_TOO_LARGE.
 *
 * Reads run one at a time. One that repeats the last read of its method may wait for ten times what the reads before it took,
 * so that polling does not hold up the queue. A page's rows and its total are read one after the other.
 */
export interface QueueAdmin {
  overview(): Promise<Overview>;
  groups(query?: GroupsQuery): Promise<Page<GroupRow>>;
  messages(query?: MessagesQuery): Promise<Page<MessageRow>>;
  /**
   * Null when there is none. Where no message has the seq, the answer is the last dead letter that had it: a message that is
   * buried stays visible.
   */
  message(key: MessageKey): Promise<MessageDetail | null>;
  operate(operation: Operation): Promise<OperationResult>;
  /**
   * Removes dead letters and rows of the journal that exceed these limits, the oldest first, up to 1,000 of each. Call it again
   * while the result says `hasMore`. What a call removed is noted in the journal.
   */
  purge(retention: Retention): Promise<Purged>;
  /**
   * Calls `listener` after any process has changed the file: at most 4 times a second, and after long reads no sooner than ten
   * times what they took. Calls it once more when the file was replaced or the admin's thread has failed. Returns a function
   * that ends the subscription.
   */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/** The calls of a QueueAdmin that return an answer. */
export type QueueAdminCalls = Omit<QueueAdmin, 'onChange' | 'close'>;

/** What an app can allow in the inspector. */
export type InspectorAct = OperationKind | 'purge';

export interface InspectorInfo {
  /** The window's title. */
  readonly title: string;
  /** What the app allows. */
  readonly operations: readonly InspectorAct[];
}

/** The calls that the inspector's page can make. */
export interface InspectorCalls extends QueueAdminCalls {
  info(): Promise<InspectorInfo>;
}

/** An answer as it crosses IPC: structured clone would drop an error's code. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

/** What the preload exposes as `window.leasehold` on the inspector's page, and all that the page can reach. */
export type InspectorBridge = {
  readonly [Name in keyof InspectorCalls]: (
    ...args: Parameters<InspectorCalls[Name]>
  ) => Promise<Answer<Awaited<ReturnType<InspectorCalls[Name]>>>>;
} & Pick<QueueAdmin, 'onChange'>;
