/**
 * The stages of a claimed message, from its claim until its outcome is committed.
 *
 * | stage    | until                                                         | then                                   |
 * | -------- | ------------------------------------------------------------- | -------------------------------------- |
 * | waiting  | its handler is called                                         | running                                |
 * |          | it is released: the worker pauses, or it has waited too long  | settling                               |
 * | running  | the handler ends                                              | settling                               |
 * |          | its time is over, or the worker stops                         | aborted: the signal has fired          |
 * | aborted  | the handler ends or is given up                               | settling                               |
 * | settling | the outcome is committed                                      | over                                   |
 * |          | its commit failed for this message alone                      | aside                                  |
 * | aside    | a growing wait is over; its lease is not renewed meanwhile    | settling                               |
 * | lost     | the handler ends or is given up                               | over                                   |
 * | any      | the lease is lost                                             | lost while its handler runs, else over |
 *
 * A message that must not run (unknown kind, too many attempts) begins with settling. Only Executions changes the stage, since
 * it keeps lists by stage.
 */
import type { Handler } from '../contract/worker-types.ts';

/** What is to be done with the message. */
export type Outcome =
  | { readonly action: 'ack' }
  | { readonly action: 'retry'; readonly error: unknown; readonly delayMs: number }
  | { readonly action: 'park'; readonly delayMs: number; readonly reason: string | null }
  /** `ran`: false when its handler was not called. */
  | { readonly action: 'bury'; readonly error: unknown; readonly ran?: false }
  | { readonly action: 'release' };

export const RELEASE: Outcome = { action: 'release' };

/** Why a signal fired while the lease was still held. */
export type AbortCause = 'timeout' | 'stop';

/** Every time is monotonic ms: the wall clock may step while a handler runs. */
export type Stage<E> =
  /** Claimed ahead, its handler not called yet. */
  | { readonly name: 'waiting'; readonly handler: Handler<E>; readonly releaseAt: number }
  | { readonly name: 'running'; readonly startedAt: number; readonly timeoutAt: number }
  /** The signal has fired, and the handler has until `giveUpAt` to settle. */
  | {
      readonly name: 'aborted';
      readonly startedAt: number;
      readonly giveUpAt: number;
      readonly cause: AbortCause;
      readonly reason: Error;
    }
  /** The lease is lost, and the handler has until `giveUpAt` to settle. */
  | { readonly name: 'lost'; readonly startedAt: number; readonly giveUpAt: number; readonly reason: Error }
  /** The outcome is known and not committed yet. */
  | { readonly name: 'settling'; readonly outcome: Outcome }
  /** The outcome could not be committed, through a fault of this message alone. */
  | { readonly name: 'aside'; readonly outcome: Outcome; readonly retryAt: number }
  /** `lost`: the reason when it ended without a lease. */
  | { readonly name: 'over'; readonly lost: Error | null };

/** A lease on both clocks of the worker. */
export interface Term {
  /** When it was asked for: before the call, so that the lease ends no earlier in the file than here. Monotonic ms. */
  readonly monotonic: number;
  /** The same moment, epoch ms. The monotonic clock may stand still while the computer sleeps. */
  readonly now: number;
  readonly forMs: number;
}
