/**
 * Keeps the worker out of a transaction that the app has open on the connection of their transport: with a rollback, claims
 * and settles would be taken back while handlers run. SQLite does not tell when a transaction ends, so this looks often. A
 * transaction that the app forgot to end stops the worker for ever: this tells about each that lasts long.
 */
import type { Clock } from '../../contract/clock.ts';
import { LeaseholdError } from '../../contract/errors.ts';
import type { Transport } from '../../contract/transport.ts';
import type { Reporter } from '../reporting/reporter.ts';

const LOOK_AGAIN_MS = 5;
/** As long as a call waits for another connection by default (busyTimeoutMs). */
const TELL_AFTER_MS = 5_000;

interface OpenTransaction {
  /** Epoch ms of the first look that found it. */
  readonly since: number;
  /** Monotonic ms. */
  readonly tellAt: number;
  isTold: boolean;
}

export class CallersTransaction {
  readonly #transport: Pick<Transport, 'inCallersTransaction'>;
  readonly #clock: Clock;
  readonly #reporter: Pick<Reporter, 'transportError' | 'transportRecovered'>;
  readonly #onEnd: () => void;
  #open: OpenTransaction | null = null;
  #nextLook: PromiseWithResolvers<void> | null = null;
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(
    transport: Pick<Transport, 'inCallersTransaction'>,
    clock: Clock,
    reporter: Pick<Reporter, 'transportError' | 'transportRecovered'>,
    onEnd: () => void,
  ) {
    this.#transport = transport;
    this.#clock = clock;
    this.#reporter = reporter;
    this.#onEnd = onEnd;
  }

  /** The transport must not be used now. `onEnd` is called when it can be. */
  get isOpen(): boolean {
    if (this.#transport.inCallersTransaction === true) {
      this.#watch();
      return true;
    }
    if (this.#open) this.#ended(this.#open);
    return false;
  }

  /** Epoch ms since when the worker waits; null when it does not. */
  get openSince(): number | null {
    return this.#open?.since ?? null;
  }

  /**
   * Resolves with true when no transaction of the app is open. Resolves with false when one is still open at this monotonic
   * time, or when the worker ends.
   */
  async untilEnded(deadline = Number.POSITIVE_INFINITY): Promise<boolean> {
    while (this.isOpen) {
      if (this.#isStopped || this.#clock.monotonic() >= deadline) return false;
      this.#nextLook ??= Promise.withResolvers();
      await this.#nextLook.promise;
    }
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = null;
    this.#open = null;
    this.#resolveLook();
  }

  #watch(): void {
    if (this.#isStopped) return;
    this.#open ??= {
      since: this.#clock.now(),
      tellAt: this.#clock.monotonic() + TELL_AFTER_MS,
      isTold: false,
    };
    this.#cancel ??= this.#clock.after(LOOK_AGAIN_MS, () => this.#lookAgain());
  }

  #lookAgain(): void {
    this.#cancel = null;
    if (!this.isOpen) this.#onEnd();
    else if (this.#open) this.#tellIfLong(this.#open);
    this.#resolveLook();
  }

  /** Called by the timer only. A listener may end the transaction or the worker, and must not do so in the middle of a turn. */
  #tellIfLong(open: OpenTransaction): void {
    if (open.isTold || this.#clock.monotonic() < open.tellAt) return;
    open.isTold = true;
    this.#reporter.transportError(openForLong(open.since), LOOK_AGAIN_MS);
  }

  #ended({ isTold }: OpenTransaction): void {
    this.#open = null;
    if (isTold) this.#reporter.transportRecovered();
  }

  #resolveLook(): void {
    this.#nextLook?.resolve();
    this.#nextLook = null;
  }
}

function openForLong(since: number): LeaseholdError {
  return new LeaseholdError(
    'BUSY',
    `A transaction that the app began on the worker's connection has been open since ${new Date(since).toISOString()}. Until it ends the worker claims, settles and renews nothing. COMMIT or ROLLBACK it, in a finally block, or use better-sqlite3's db.transaction(), which always ends it.`,
  );
}
