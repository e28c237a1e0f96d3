/**
 * What the inspector may ask of a queue and do to it: types only, so that a page can share them without any code.
 *
 * Every call is asynchronous. Looking changes nothing: no lease, no attempt, no write. Times are epoch milliseconds.
 * Everything here is plain data that survives a structured clone.
 */

/**
 * ready: the head of a group that a claim may take · waiting: behind the head, or behind a lock of its group ·
 * leased: held by a worker · parked: nacked with a delay that still runs · lapsed: the head again, its lease or park
 * over and nobody took it since · dead: among the dead letters.
 */
export type MessageState = 'ready' | 'waiting' | 'leased' | 'lapsed' | 'parked' | 'dead';

export interface Overview {
  /** The queue's clock when the counts were taken. */
  readonly now: number;
  /** The file, as a person would look for it. */
  readonly file: string;
  readonly messages: number;
  readonly groups: number;
  readonly leased: number;
  readonly parked: number;
  readonly lapsed: number;
  readonly dead: number;
  /** When the oldest message was published; null with none, or where its writer left it out. */
  readonly oldestPublishedAt: number | null;
}

export interface GroupRow {
  readonly groupId: string;
  /** Messages in the group. */
  readonly depth: number;
  readonly priority: number;
  readonly routingKey: string | null;
  readonly headSeq: number;
  /** 'waiting' only where a message behind the head is locked. */
  readonly headState: Exclude<MessageState, 'dead'>;
  /**
   * The worker that holds the group's leased message, or held it until the lease lapsed (expiresAt is over then);
   * null when parked or free.
   */
  readonly holder: string | null;
  /** When the head's lease or park ends, or ended; where the head waits, that of the lock it waits for. Null when free. */
  readonly expiresAt: number | null;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly oldestPublishedAt: number | null;
  /** Null while the group was never claimed. */
  readonly lastClaimedAt: number | null;
}

export interface MessageRow {
  readonly seq: number;
  readonly groupId: string;
  readonly state: MessageState;
  readonly attempts: number;
  readonly priority: number;
  readonly routingKey: string | null;
  /** The worker that holds it, or held it until its lease lapsed; null when parked or free. */
  readonly holder: string | null;
  /** When its lease or park ends, or ended; null when free. */
  readonly expiresAt: number | null;
  readonly publishedAt: number | null;
  readonly lastError: string | null;
  /** The first 200 characters of the event's JSON. */
  readonly preview: string;
}

export interface MessageDetail extends MessageRow {
  /** The event's text exactly as in the file: big numbers stay exact. */
  readonly eventJson: string;
  /** True when the host hides parts of the event: `eventJson` is then not what the file holds, and cannot be edited. */
  readonly redacted: boolean;
  /** The message that this one was re-published from. */
  readonly originSeq: number | null;
  /** One sentence: why it waits, or what happens to it now. */
  readonly why: string;
  /** What an operation on it must name: it changes whenever the message's state does. */
  readonly fence: Fence;
}

/** The state on which a person decided. An operation whose fence no longer fits does nothing and says so. */
export interface Fence {
  readonly seq: number;
  readonly lockedBy: string | null;
  /** As the file holds it, to the last bit: epoch seconds. */
  readonly lockExpiry: number | null;
  readonly deliveries: number;
  /** True for a dead letter. */
  readonly dead: boolean;
}

export type GroupSort = 'groupId' | 'depth' | 'priority' | 'oldest' | 'expiry' | 'lastClaimed';
/** 'published' is the order of seq: a message gets its seq when it is published. */
export type MessageSort = 'seq' | 'groupId' | 'attempts' | 'published';

export interface GroupsQuery {
  readonly sort?: GroupSort;
  readonly descending?: boolean;
  /** Part of the group id, any case. */
  readonly search?: string;
  readonly state?: GroupRow['headState'];
  readonly minPriority?: number;
  readonly routingKey?: string;
  /** Rows to pass over and to return; defaults 0 and 200, from 1 to 1,000. */
  readonly offset?: number;
  readonly limit?: number;
}

export interface MessagesQuery {
  readonly sort?: MessageSort;
  readonly descending?: boolean;
  /** Part of the group id or of the event's JSON, any case. */
  readonly search?: string;
  readonly groupId?: string;
  readonly state?: MessageState;
  readonly offset?: number;
  readonly limit?: number;
}

export interface Page<Row> {
  readonly now: number;
  readonly rows: readonly Row[];
  /** How many rows match in all. */
  readonly total: number;
}

export type Operation =
  /** Remove the message as done. */
  | { readonly kind: 'ack'; readonly fence: Fence }
  /** Free it: claimable at once, in its place. */
  | { readonly kind: 'nack'; readonly fence: Fence }
  /** Hide its group for `delayMs`. */
  | { readonly kind: 'park'; readonly fence: Fence; readonly delayMs: number }
  /**
   * Put it at the tail of a group as a new message and remove it here, in one transaction. What is left out stays as
   * it is. Priority and routing key count only where the publish creates the group. An `eventJson` must be JSON
   * (BAD_EVENT) of at most 1 MiB in UTF-8 (EVENT_TOO_LARGE), the limit that a transport has by default.
   */
  | {
      readonly kind: 'republish';
      readonly fence: Fence;
      readonly eventJson?: string;
      readonly groupId?: string;
      readonly priority?: number;
      readonly routingKey?: string | null;
    };

export type OperationKind = Operation['kind'];

export type OperationResult =
  /** `seq`: the new message after a re-publish, else the one that was meant. */
  | { readonly outcome: 'done'; readonly seq: number }
  /** The message moved on since it was seen; nothing was changed. `says` tells where it is now. */
  | { readonly outcome: 'stale'; readonly says: string };

/** The asynchronous face of a queue for people. Every call rejects with a LeaseholdError; a wrong argument as BAD_ARGUMENT. */
export interface QueueAdmin {
  overview(): Promise<Overview>;
  groups(query?: GroupsQuery): Promise<Page<GroupRow>>;
  messages(query?: MessagesQuery): Promise<Page<MessageRow>>;
  /** Null when no message and no dead letter has this seq. */
  message(seq: number): Promise<MessageDetail | null>;
  operate(operation: Operation): Promise<OperationResult>;
  /** Calls back after the file changed, whoever wrote; at most 4 times a second. Returns what ends it. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/** An answer as it crosses IPC: errors travel as plain data. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

/** What the preload puts on the inspector page's `window.leasehold`; nothing else reaches the page. */
export interface InspectorBridge {
  overview(): Promise<Answer<Overview>>;
  groups(query?: GroupsQuery): Promise<Answer<Page<GroupRow>>>;
  messages(query?: MessagesQuery): Promise<Answer<Page<MessageRow>>>;
  message(seq: number): Promise<Answer<MessageDetail | null>>;
  operate(operation: Operation): Promise<Answer<OperationResult>>;
  /** The operations that the host allows, and how the window should introduce itself. */
  about(): Promise<Answer<{ readonly title: string; readonly operations: readonly OperationKind[] }>>;
  onChange(listener: () => void): () => void;
}
