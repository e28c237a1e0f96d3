/**
 * When to use a transport again that failed: after 0.1 s, then twice as long each time.
 *
 * One trouble has one wait, however many calls it fails: a failure that comes while the transport is not used for now (an
 * answer still on its way, a look for others' writes) changes nothing. The wait ends at 1 s, so that the worker is back within
 * a second of the trouble's end. A failed try costs one call, and no more than that a second.
 */
import type { Clock } from '../../contract/clock.ts';
import { codeOf, type ErrorCode } from '../../contract/errors.ts';
import type { Reporter } from '../reporting/reporter.ts';

const FIRST_MS = 100;
const MAX_MS = 1000;
/** For a trouble that ends only when a person does something about the file. */
const MAX_LASTING_MS = 30_000;

const LASTING: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode | undefined>([
  'READ_ONLY',
  'CORRUPT',
  'NOT_A_QUEUE',
  'NEWER_FILE',
]);

export class TransportRetry {
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  readonly #onRetry: () => void;
  /** Since the transport last worked. */
  #failures = 0;
  #isGivenUp = false;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, reporter: Reporter, onRetry: () => void) {
    this.#clock = clock;
    this.#reporter = reporter;
    this.#onRetry = onRetry;
  }

  /** The transport is not used for now. */
  get isWaiting(): boolean {
    return this.#cancel !== null;
  }

  /** The worker is about to end: a failure is not followed by a retry. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this.stop();
  }

  /** Reports the failure and waits. Returns false when it is not followed by a retry. */
  failed(error: unknown): boolean {
    if (this.isWaiting) return true;
    const delayMs = this.#isGivenUp ? null : this.#nextDelay(error);
    this.#reporter.transportError(error, delayMs, this.#failures++ === 0);
    if (delayMs === null) return false;
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#cancel = null;
      this.#onRetry();
    });
    return true;
  }

  succeeded(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#reporter.transportRecovered();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #nextDelay(error: unknown): number {
    const longest = LASTING.has(codeOf(error)) ? MAX_LASTING_MS : MAX_MS;
    return Math.min(longest, FIRST_MS * 2 ** this.#failures);
  }
}
