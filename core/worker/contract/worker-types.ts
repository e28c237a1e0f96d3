/** The worker as its callers see it. Types only; every duration is in ms, every point in time in epoch ms. */

import type { Clock } from '../../contract/clock.ts';
import type { Awaitable, ClaimOptions, Lease } from '../../contract/transport.ts';
import type { BackoffOptions, BackoffRule } from './backoff.ts';

/** What a handler is given to work on: the lease without what settles it. */
export type Message<E = unknown> = Pick<
  Lease<E>,
  'seq' | 'groupId' | 'event' | 'attempt' | 'publishedAt' | 'lastError'
>;

/** What a handler may ask and tell while it runs. Each part can be destructured. */
export interface HandlerContext {
  /**
   * Fires when the result will not count as done any more: the lease was lost (reason LeaseLost), the time is over
   * (reason named TimeoutError), or the worker stops (reason named AbortError).
   */
  readonly signal: AbortSignal;
  /** 1 on the first try. */
  readonly attempt: number;
  /** True when a failure now would bury the message. */
  readonly lastAttempt: boolean;
  /** How far it is, 0 to 1 (values outside are brought to the nearer end), and a short note for whoever looks on. */
  progress(fraction: number, note?: string): void;
  /**
   * Holds the message for `forMs` from now (default: the worker's visibility): for the stretch in which a handler is
   * going to block the thread, since leases cannot be renewed then. Rejects with LeaseLost.
   */
  extend(forMs?: number): Promise<void>;
}

/** Returns or resolves: done. Throws or rejects: failed, tried again later. Park, returned or thrown: later, uncounted. */
export type Handler<E = unknown> = (message: Message<E>, context: HandlerContext) => Awaitable<unknown>;

/** The kinds that a union of events has in `Field`; `string` where the type does not say. */
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

/** A handler for each kind: all of them where the event is a discriminated union. */
export type HandlerMap<E, Field extends string> =
  string extends KindOf<E, Field>
    ? // biome-ignore lint/suspicious/noExplicitAny: without a union the event's type is the handler's own word
      { readonly [kind: string]: Handler<any> }
    : { readonly [Kind in KindOf<E, Field>]: Handler<OfKind<E, Field, Kind>> };

/** Several handlers, chosen by a field of the event. A kind that none serves is buried with an error that says so. */
export interface Handlers<E = unknown, Field extends string = 'kind'> {
  readonly handlers: HandlerMap<E, Field>;
  /** The field that names the kind; default 'kind'. */
  readonly kindField?: Field;
}

/**
 * Where the worker tells what it does. pino, electron-log and console fit as they are: each call passes the facts as an
 * object (errors under `err`), then a sentence.
 */
export interface Logger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What can change while a worker runs. */
export interface WorkerSettings extends ClaimOptions {
  /** How many handlers run at once, each for another group. Whole number 1-1,000; default 4. */
  readonly concurrency?: number | undefined;
}

export interface WorkerOptions extends WorkerSettings {
  /** The app that this worker belongs to: `releaseDeadWorkers` releases what its dead workers held. No ':'; default 'leasehold'. */
  readonly app?: string | undefined;
  /** How long a lease lasts; renewed at half of it while the handler runs. At least 100; default 30,000. */
  readonly visibilityMs?: number | undefined;
  /** Failures after which a message is buried. Whole number from 1, or Infinity; default 5. */
  readonly maxAttempts?: number | undefined;
  /** How long a failed message waits, and its group with it. Default {initialMs: 1000, factor: 2, maxMs: 300000, jitter: 0.2}. */
  readonly backoff?: BackoffOptions | BackoffRule | undefined;
  /** How long a handler may take before its signal fires and the attempt counts as failed. 0, the default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** How long a handler whose signal fired still has to settle before it is given up. Default 1,000. */
  readonly abortGraceMs?: number | undefined;
  /** How long stop() lets handlers finish before it aborts them. Default 5,000. */
  readonly stopTimeoutMs?: number | undefined;
  /** At most so many characters of a failure are kept as the message's last error. At least 100; default 4,000. */
  readonly maxErrorLength?: number | undefined;
  /** How often to look whether another process wrote to the file. 0: never; default 1,000. */
  readonly pollMs?: number | undefined;
  /** Give back at the start what this app's dead workers held. Default true. */
  readonly releaseDeadWorkers?: boolean | undefined;
  /** Default: none; the worker prints nothing itself. */
  readonly logger?: Logger | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

export type WorkerState = 'starting' | 'running' | 'paused' | 'stopping' | 'stopped';

/** Which message an event is about. */
export interface MessageRef {
  readonly seq: number;
  readonly groupId: string;
  readonly attempt: number;
}

/** What a worker tells. Those about a settled message come after the commit that settled it. */
export interface WorkerEvents {
  state: { readonly state: WorkerState };
  /** Dead workers of this app were found at the start; their messages are claimable again. */
  'dead-workers-released': { readonly workerIds: readonly string[]; readonly messages: number };
  started: MessageRef;
  progress: MessageRef & { readonly fraction: number; readonly note: string | null };
  completed: MessageRef & { readonly tookMs: number };
  /** Failed, and due again at `retryAt`. */
  failed: MessageRef & { readonly error: unknown; readonly retryAt: number };
  parked: MessageRef & { readonly reason: string | null; readonly until: number };
  buried: MessageRef & { readonly error: unknown };
  /** Given back uncounted: the worker stopped, paused, or changed what it serves. */
  released: MessageRef;
  /** The lease is gone: somebody else has the message now. What the handler still answers is dropped. */
  'lease-lost': MessageRef & { readonly error: Error };
  /** Its signal fired and it did not settle in time; it may still be running, but nobody waits for it. */
  abandoned: MessageRef;
  /** An abandoned handler settled after all; its answer is dropped. */
  'settled-late': MessageRef & { readonly failed: boolean };
  /** The computer slept, or the wall clock was set forward: running leases are renewed before anything is claimed. */
  'clock-jumped': { readonly gapMs: number };
  /** The transport failed; the worker tries again at `retryAt`, or has stopped where that is null. */
  'transport-error': { readonly error: unknown; readonly retryAt: number | null };
}

export interface RunningMessage extends MessageRef {
  readonly since: number;
  readonly progress: number | null;
  readonly note: string | null;
  /** True once its signal has fired. */
  readonly aborted: boolean;
}

export interface Counts {
  readonly completed: number;
  readonly failed: number;
  readonly parked: number;
  readonly buried: number;
  readonly leaseLost: number;
}

/** Plain data: it may cross threads and IPC. */
export interface WorkerSnapshot {
  readonly workerId: string;
  readonly state: WorkerState;
  /** Why it is paused; empty when it is not. */
  readonly pausedFor: readonly string[];
  readonly startedAt: number;
  readonly concurrency: number;
  readonly minPriority: number;
  /** Null: every group. */
  readonly routingKeys: readonly string[] | null;
  readonly running: readonly RunningMessage[];
  /** Claimed and about to start. */
  readonly waiting: number;
  readonly totals: Counts;
  readonly lastMinute: Counts;
  /** The last five minutes in steps of `stepMs`, oldest first; `at` is where a step begins. Steps without events are there. */
  readonly history: {
    readonly stepMs: number;
    readonly steps: readonly (Counts & { readonly at: number })[];
  };
}

export interface StopOptions {
  /** How long handlers may still finish. Default: the worker's stopTimeoutMs. */
  readonly stopTimeoutMs?: number | undefined;
  /** How long aborted handlers then have to settle. Default: the worker's abortGraceMs. */
  readonly abortGraceMs?: number | undefined;
}

export interface StopResult {
  /** Messages given back because their handler did not finish, or had not started. */
  readonly released: number;
  /** Handlers that ignored their signal and may still be running. */
  readonly abandoned: number;
}

export interface Worker {
  /** `app:pid:start:random`; what `holders()` and the inspector show. */
  readonly id: string;
  readonly state: WorkerState;
  /** Handlers at once. Lowering it lets the running ones finish. */
  concurrency: number;
  /** The priority floor of the next claims. */
  minPriority: number;
  /** The keys of the next claims; undefined: every group. */
  routingKeys: readonly string[] | undefined;
  /** Changes several settings at once; raises BadArgument and changes none when one is wrong. */
  configure(settings: WorkerSettings): void;
  /** Claims nothing until every reason given was taken back; running handlers go on. */
  pause(reason?: string): void;
  /** Takes one reason back; without a reason the one that pause() without a reason gave. */
  resume(reason?: string): void;
  /** Renews running leases and looks for work now: for after the computer slept. */
  wake(): void;
  /** Resolves the next time nothing runs and nothing can be claimed (parked messages aside), or the worker has stopped. */
  idle(): Promise<void>;
  /**
   * Claims no more, lets handlers finish for `stopTimeoutMs`, aborts the others, and gives back uncounted what is left. Never
   * rejects. Safe at any time; a further call can only shorten the wait. With a synchronous transport and both
   * times 0 everything is given back when the call returns.
   */
  stop(options?: StopOptions): Promise<StopResult>;
  snapshot(): WorkerSnapshot;
  on<Name extends keyof WorkerEvents>(name: Name, listener: (detail: WorkerEvents[Name]) => void): void;
  off<Name extends keyof WorkerEvents>(name: Name, listener: (detail: WorkerEvents[Name]) => void): void;
}
