/** The worker as its callers see it. Types only. Every duration is in ms, every point in time in epoch ms. */

import type { Clock } from '../../contract/clock.ts';
import type { Awaitable, ClaimOptions, Lease } from '../../contract/transport.ts';
import type { BackoffOptions, BackoffRule } from './backoff.ts';

/** What a handler works on: the lease without the fields that settle it. */
export type Message<E = unknown> = Pick<
  Lease<E>,
  'seq' | 'groupId' | 'event' | 'attempt' | 'publishedAt' | 'lastError'
>;

/** What a handler can ask and report while it runs. It can be destructured. */
export interface HandlerContext {
  /**
   * Fires when the handler's result will not count as success any more: its lease is lost (the reason is a LeaseLost), it
   * took longer than `timeoutMs` (a TimeoutError), or the worker stops (an AbortError).
   */
  readonly signal: AbortSignal;
  /** 1 on the first attempt. */
  readonly attempt: number;
  /** True when a failure of this attempt buries the message. */
  readonly lastAttempt: boolean;
  /** Reports progress from 0 to 1 (other values are clamped) and a short note, for events and snapshots. */
  progress(fraction: number, note?: string): void;
  /**
   * Holds the message for `forMs` from now (default: the worker's visibility). Leases are renewed while a handler awaits;
   * call this before blocking the thread for longer than half of the visibility. Rejects with LeaseLost.
   */
  extend(forMs?: number): Promise<void>;
}

/**
 * Returns or resolves: the message is acked. Throws or rejects: it is retried later. A Park or a Bury, thrown or
 * returned: it is parked without counting the attempt, or buried.
 */
export type Handler<E = unknown> = (message: Message<E>, context: HandlerContext) => Awaitable<unknown>;

/** The kinds that a union of events has in `Field`; `string` where the type names none. */
export type KindOf<E, Field extends string> = E extends {
  readonly [F in Field]: infer Kind extends string;
}
  ? Kind
  : string;

type OfKind<E, Field extends string, Kind> = E extends { readonly [F in Field]: infer Own }
  ? Kind extends Own
    ? E
    : never
  : never;

/** A handler for each kind. All of them are required where the event is a discriminated union. */
export type HandlerMap<E, Field extends string> =
  string extends KindOf<E, Field>
    ? // biome-ignore lint/suspicious/noExplicitAny: without a union each handler declares its own event type
      { readonly [kind: string]: Handler<any> }
    : { readonly [Kind in KindOf<E, Field>]: Handler<OfKind<E, Field, Kind>> };

/** Several handlers, chosen by a field of the event. An event without a handler is buried with an error that names its kind. */
export interface Handlers<E = unknown, Field extends string = 'kind'> {
  readonly handlers: HandlerMap<E, Field>;
  /** The name of the field that holds the kind. Default 'kind'. */
  readonly kindField?: Field;
}

/**
 * Where the worker logs. pino, electron-log and console fit as they are: each method gets an object of facts (errors under
 * `err`), then a sentence.
 */
export interface Logger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** The options that can change while a worker runs. */
export interface WorkerSettings extends ClaimOptions {
  /** How many handlers run at once, each for another group. Whole number 1-1,000. Default 4. */
  readonly concurrency?: number | undefined;
}

export interface WorkerOptions extends WorkerSettings {
  /** The app's name, without ':'. `releaseDeadWorkers` looks for dead workers of the same app. Default 'leasehold'. */
  readonly app?: string | undefined;
  /** How long a lease lasts. It is renewed at half of that while the handler runs. At least 100. Default 30,000. */
  readonly visibilityMs?: number | undefined;
  /**
   * A message is buried when this attempt fails. Starts count, also one that ended with its process or with a lapsed lease; a
   * Park, a release or a claim without a start does not. Whole number from 1, or Infinity. Default 5.
   */
  readonly maxAttempts?: number | undefined;
  /**
   * How long a failed message waits, and its group with it. Default
   * {initialMs: 1000, factor: 2, maxMs: 300000, jitter: 0.2}.
   */
  readonly backoff?: BackoffOptions | BackoffRule | undefined;
  /** How long a handler may take before its signal fires and the attempt counts as failed. Default 0: no limit. */
  readonly timeoutMs?: number | undefined;
  /** How long a handler whose signal has fired may take to settle before it is abandoned. Default 1,000. */
  readonly abortGraceMs?: number | undefined;
  /** How long stop() waits for handlers before it aborts them. Default 5,000. */
  readonly stopTimeoutMs?: number | undefined;
  /** How many characters of a failure are kept as the message's last error. Whole number from 100. Default 4,000. */
  readonly maxErrorLength?: number | undefined;
  /** How often to check whether another process wrote to the file. 0: never. Default 1,000. */
  readonly pollMs?: number | undefined;
  /** Whether to release at the start what dead workers of this app held. Default true. */
  readonly releaseDeadWorkers?: boolean | undefined;
  /** Default: none. The worker prints nothing itself. */
  readonly logger?: Logger | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

export type WorkerState = 'starting' | 'running' | 'paused' | 'stopping' | 'stopped';

/** The message that an event is about. */
export interface MessageRef {
  readonly seq: number;
  readonly groupId: string;
  readonly attempt: number;
}

/** What a worker emits. Events about a settled message come after the commit. */
export interface WorkerEvents {
  state: { readonly state: WorkerState };
  /** The start found dead workers of this app. Their messages are claimable again. */
  'dead-workers-released': { readonly workerIds: readonly string[]; readonly messages: number };
  started: MessageRef;
  progress: MessageRef & { readonly fraction: number; readonly note: string | null };
  completed: MessageRef & { readonly tookMs: number };
  /** The attempt failed. The message is retried at `retryAt`. */
  failed: MessageRef & { readonly error: unknown; readonly retryAt: number };
  parked: MessageRef & { readonly reason: string | null; readonly until: number };
  buried: MessageRef & { readonly error: unknown };
  /** Released without counting the attempt: the worker stopped, paused, was configured, had claimed too much, or runs a suspect alone. */
  released: MessageRef;
  /** The lease is lost: another worker may have the message. The handler's result is discarded. */
  'lease-lost': MessageRef & { readonly error: Error };
  /** The handler did not settle within `abortGraceMs` of its signal. It may still run, and the worker no longer waits for it. */
  abandoned: MessageRef;
  /** An abandoned handler settled after all. Its result is discarded. */
  'settled-late': MessageRef & { readonly failed: boolean };
  /** The computer slept, or the wall clock was set forward: leases are renewed before anything is claimed. */
  'clock-jumped': { readonly gapMs: number };
  /**
   * The transport failed for this message alone, to settle it or to renew its lease. It is tried again while the lease lasts,
   * first at `retryAt` (null: the worker stops without another try), and all other messages go on. Told once for each delivery.
   */
  'message-error': MessageRef & { readonly error: unknown; readonly retryAt: number | null };
  /**
   * The transport failed, or a transaction of the app has kept the worker from it for 5 s (BUSY; told once for each). The worker
   * tries again at `retryAt`; null: it has stopped, or stops without another try.
   */
  'transport-error': { readonly error: unknown; readonly retryAt: number | null };
}

export interface RunningMessage extends MessageRef {
  readonly since: number;
  readonly progress: number | null;
  readonly note: string | null;
  /** True when its signal has fired. */
  readonly aborted: boolean;
}

/** How many messages ended in each way; `failed` counts attempts. */
export interface Counts {
  readonly completed: number;
  readonly failed: number;
  readonly parked: number;
  readonly buried: number;
  readonly leaseLost: number;
}

/** Plain data: it can cross threads and IPC. */
export interface WorkerSnapshot {
  readonly workerId: string;
  readonly state: WorkerState;
  /** The reasons of its pauses; empty when it is not paused. */
  readonly pausedFor: readonly string[];
  readonly startedAt: number;
  readonly concurrency: number;
  readonly minPriority: number;
  /** Null: every group. */
  readonly routingKeys: readonly string[] | null;
  readonly running: readonly RunningMessage[];
  /** Claimed and not started. */
  readonly waiting: number;
  /** Since when it waits for the end of a transaction that the app has open on its connection; null when it does not. */
  readonly waitsForTransactionSince: number | null;
  readonly totals: Counts;
  readonly lastMinute: Counts;
  /** The last five minutes in steps of `stepMs`, oldest first, empty ones included. `at` is the start of a step. */
  readonly history: {
    readonly stepMs: number;
    readonly steps: readonly (Counts & { readonly at: number })[];
  };
}

export interface StopOptions {
  /** How long to wait for handlers. Default: the worker's stopTimeoutMs. */
  readonly stopTimeoutMs?: number | undefined;
  /** How long aborted handlers then may take to settle. Default: the worker's abortGraceMs. */
  readonly abortGraceMs?: number | undefined;
}

export interface StopResult {
  /** Messages released, because their handler did not finish or had not started. */
  readonly released: number;
  /** Handlers that ignored their signal and may still run. */
  readonly abandoned: number;
}

export interface Worker {
  /** `app:pid:start:random`, as `holders()` and the inspector show it. */
  readonly id: string;
  readonly state: WorkerState;
  /** Handlers at once. After lowering it, running handlers finish. */
  concurrency: number;
  /** The priority floor of the next claims. */
  minPriority: number;
  /** The routing keys of the next claims; undefined: every group. */
  routingKeys: readonly string[] | undefined;
  /** Changes several settings at once. Raises BadArgument and changes nothing when one of them is wrong. */
  configure(settings: WorkerSettings): void;
  /** Claims nothing until resume() was called for every reason. Running handlers go on. */
  pause(reason?: string): void;
  /** Ends the pause with this reason. Without one it ends the pause that gave no reason. */
  resume(reason?: string): void;
  /** Renews all leases, then looks for work. Call it after the computer slept. */
  wake(): void;
  /** Resolves when next nothing runs and nothing can be claimed (parked messages aside), or when the worker has stopped. */
  idle(): Promise<void>;
  /**
   * Claims nothing more, waits `stopTimeoutMs` for handlers, aborts the rest, and releases what is left without counting
   * the attempt. Can be called at any time; a further call can only shorten the wait. Never rejects. With both times 0
   * everything is released when the call returns; an asynchronous transport blocks for that, 2 s at most.
   */
  stop(options?: StopOptions): Promise<StopResult>;
  snapshot(): WorkerSnapshot;
  on<Name extends keyof WorkerEvents>(name: Name, listener: (detail: WorkerEvents[Name]) => void): void;
  off<Name extends keyof WorkerEvents>(name: Name, listener: (detail: WorkerEvents[Name]) => void): void;
}
