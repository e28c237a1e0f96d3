/**
 * What the worker does in a turn: renew leases, settle outcomes, ack and claim in one transaction, call handlers. When
 * nothing is left to do it rests. turn-scheduler.ts decides when a turn takes place.
 *
 * A turn ends after a few ms, and what is left waits for the next one. With a synchronous transport a turn never awaits, so
 * it is over when the call returns. After the transport failed, turns still call handlers but do not use the transport until
 * its retry is due. A crash between a handler's end and its turn leaves the message leased: it is delivered again.
 */
import type { Clock } from '../contract/clock.ts';
import { Closed, codeOf } from '../contract/errors.ts';
import type { Awaitable, Transport } from '../contract/transport.ts';
import { inOrder, whenDone } from '../contract/when-done.ts';
import { AckAndClaim } from './claiming/ack-and-claim.ts';
import { Rest } from './claiming/rest.ts';
import { TransportRetry } from './claiming/transport-retry.ts';
import { ClockJumps } from './clock-jumps.ts';
import type { Dispatch } from './contract/dispatch.ts';
import type { TurnSignal } from './contract/turn-signal.ts';
import type { Configuration, Settings } from './contract/worker-options.ts';
import { CallersTransaction } from './executions/callers-transaction.ts';
import { Executions } from './executions/executions.ts';
import { HandlerRunner } from './executions/handler-runner.ts';
import type { HeldView } from './executions/held-messages.ts';
import { LastAttempts } from './executions/last-attempts.ts';
import { LeaseRenewer } from './executions/lease-renewer.ts';
import { Settler } from './executions/settler.ts';
import type { Shared } from './executions/shared.ts';
import { Suspects } from './executions/suspects.ts';
import { TimeLimits } from './executions/time-limits.ts';
import type { Reporter } from './reporting/reporter.ts';
import { TurnScheduler } from './turn-scheduler.ts';

/** After a failure that is not retried, leases are renewed no sooner than this. */
const LAST_RENEWAL_MS = 100;

export class Loop<E> implements TurnSignal {
  readonly #shared: Shared<E>;
  readonly #executions: Executions<E>;
  readonly #clock: Clock;
  readonly #afterTurn: () => void;
  readonly #turns: TurnScheduler;
  readonly #handlers: HandlerRunner<E>;
  readonly #limits: TimeLimits<E>;
  readonly #leases: LeaseRenewer<E>;
  readonly #settler: Settler<E>;
  readonly #suspects: Suspects<E>;
  readonly #claiming: AckAndClaim<E>;
  readonly #lastAttempts: LastAttempts<E>;
  readonly #retry: TransportRetry;
  readonly #callersTransaction: CallersTransaction;
  readonly #rest: Rest<E>;
  readonly #clockJumps: ClockJumps;
  /** A listener or a handler that a step has called may have begun a transaction: the rest then waits for its end. */
  readonly #transportSteps = [
    // Comes before any claim, until it succeeds: a claim could take a message that a handler here still works on.
    () => this.#renew(),
    () => this.#settle(),
    () => this.#suspects.run(),
    () => this.#claiming.run(),
    // Comes after the acks: what has completed is settled before a handler that may end the process.
    () => this.#lastAttempts.run(),
    () => this.#retry.succeeded(),
  ].map((step) => () => (this.#callersTransaction.isOpen ? undefined : step()));

  /** `afterTurn` is called after each turn, and when the transport was closed. */
  constructor(
    transport: Transport<E>,
    dispatch: Dispatch<E>,
    config: Configuration,
    reporter: Reporter,
    workerId: string,
    afterTurn: () => void,
  ) {
    const { clock } = config;
    const executions = new Executions<E>(config, reporter, this);
    this.#callersTransaction = new CallersTransaction(transport, clock, reporter, () => this.requestTurn());
    const shared: Shared<E> = {
      transport,
      workerId,
      config,
      reporter,
      callersTransaction: this.#callersTransaction,
      held: executions.held,
      executions,
    };
    this.#shared = shared;
    this.#executions = executions;
    this.#clock = clock;
    this.#afterTurn = afterTurn;
    this.#turns = new TurnScheduler(() => this.#turn(), afterTurn);
    this.#leases = new LeaseRenewer(shared);
    this.#handlers = new HandlerRunner(shared, dispatch, this.#leases);
    this.#limits = new TimeLimits(shared, this.#handlers);
    this.#settler = new Settler(shared, this.#handlers);
    this.#suspects = new Suspects(shared, this.#handlers);
    this.#claiming = new AckAndClaim(shared, this.#handlers);
    this.#lastAttempts = new LastAttempts(shared, this.#handlers);
    this.#retry = new TransportRetry(clock, reporter, () => {
      // Before a claim, which could take what has lapsed meanwhile.
      executions.retryAside();
      this.requestTurn();
    });
    this.#clockJumps = new ClockJumps(clock);
    this.#rest = new Rest(shared, this.#claiming, {
      onWake: () => this.requestClaim(),
      onTick: () => {
        // A worker at rest looks as well: inside a transaction its connection does not see what others publish.
        if (this.#callersTransaction.isOpen || this.#clockJumps.hasJumped) this.requestTurn();
      },
      onError: (error) => this.#transportFailed(error),
      onClosed: (error) => this.#transportClosed(error ?? new Closed()),
    });
  }

  get held(): HeldView<E> {
    return this.#shared.held;
  }

  get settings(): Settings {
    return { concurrency: this.#handlers.concurrency, ...this.#claiming.options };
  }

  get hasEnded(): boolean {
    return this.#turns.hasEnded;
  }

  /** Epoch ms since when it waits for a transaction of the app; null when it does not. */
  get waitsForTransactionSince(): number | null {
    return this.#callersTransaction.openSince;
  }

  /** Nothing can be done until something happens. */
  get isResting(): boolean {
    return this.#turns.isResting && !(this.#claiming.claimable && this.#claiming.claims);
  }

  /** Waiting messages were claimed under the old settings and may not fit the new ones: they are released. */
  configure({ concurrency, minPriority, routingKeys }: Settings): void {
    this.#handlers.concurrency = concurrency;
    this.#claiming.options = { minPriority, routingKeys };
    this.#executions.releaseWaiting();
    this.requestClaim();
  }

  /** Call before the first claim. */
  prepare(): Awaitable<void> {
    return this.#rest.prepare();
  }

  startClaiming(): void {
    this.#claiming.claims = true;
    this.requestClaim();
  }

  /** Releases the messages that wait. Running handlers continue. */
  stopClaiming(): void {
    this.#claiming.claims = false;
    this.#executions.releaseWaiting();
    this.requestTurn();
  }

  renewAll(): void {
    this.#leases.requestAll();
    this.requestClaim();
  }

  /** For a worker that stops: aborts every running handler. From now on the transport is not retried after a failure. */
  abortAll(reason: Error, graceMs: number): void {
    this.#retry.giveUp();
    this.#executions.retryAside();
    this.#limits.abortAll(reason, graceMs);
  }

  /**
   * Gives back everything before it returns, also in the middle of a turn of an asynchronous transport: the process may end
   * right after. Outcomes are sent, and the transport blocks until they are committed and the rest is released.
   */
  giveBackNow(): void {
    if (this.#callersTransaction.isOpen) return;
    this.#executions.settleAlone();
    void whenDone(
      () => this.#settle(),
      () => this.requestTurn(),
      (error) => this.#transportFailed(error),
    );
    if (this.hasEnded || this.#callersTransaction.isOpen) return;
    try {
      this.#shared.transport.releaseNow(this.#shared.workerId);
      this.#claiming.discardClaims();
      this.#executions.forgetReleased();
    } catch (error) {
      // The next turns give back what is left, if the process lives on.
      this.#shared.reporter.releaseFailed(error);
    }
    this.requestTurn();
  }

  /** Resolves when the worker may use the transport's connection. */
  async untilUsable(): Promise<void> {
    await this.#callersTransaction.untilEnded();
  }

  requestTurn(): void {
    this.#turns.request();
  }

  requestClaim(): void {
    this.#claiming.claimable = true;
    this.requestTurn();
  }

  /** Takes a turn at once. With a synchronous transport it is over on return, unless it was called from within a turn. */
  runNow(): void {
    this.#turns.runNow();
  }

  /** No turn, timer or subscription is left. */
  end(): void {
    this.#claiming.claims = false;
    this.#turns.end();
    this.#executions.timer.clear();
    this.#rest.end();
    this.#retry.stop();
    this.#callersTransaction.stop();
  }

  /** Returns whether work is left. */
  #turn(): Awaitable<boolean> {
    const monotonic = this.#clock.monotonic();
    this.#noticeClockJump(monotonic);
    this.#handlers.beginSlice(monotonic);
    return whenDone(
      () => this.#handleMessages(),
      () => this.#isBusy,
      (error) => {
        this.#transportFailed(error);
        this.#handlers.startWaiting();
        return this.#isBusy;
      },
    );
  }

  #handleMessages(): Awaitable<void> {
    return whenDone(
      () => (this.#mustWait ? this.#enforceTimeouts() : inOrder(this.#transportSteps)),
      (_, waited) => {
        // The turn has waited for the transport, so its slice is over: handlers get a new one.
        if (waited) this.#handlers.beginSlice();
        this.#handlers.startWaiting();
        if (this.#isBusy || this.#mustWait) return;
        if (this.held.isEmpty) this.#executions.timer.clear();
        return this.#rest.begin();
      },
    );
  }

  #renew(): Awaitable<void> {
    if (this.#handlers.needsRenewal) this.#leases.requestAll();
    if (!this.#leases.isDue(this.#clock.monotonic())) return;
    this.#limits.expire();
    return this.#leases.renew();
  }

  /** Time limits hold while the transport cannot be used. */
  #enforceTimeouts(): void {
    if (!this.#executions.timer.isDue(this.#clock.monotonic())) return;
    this.#limits.expire();
    this.#leases.postpone();
  }

  #settle(): Awaitable<void> {
    return whenDone(
      () => this.#settler.settle(this.#retry.isGivenUp),
      (freed) => {
        this.#claiming.claimable ||= freed;
      },
    );
  }

  /** The transport cannot be used for now. */
  get #mustWait(): boolean {
    return this.#retry.isWaiting || this.#callersTransaction.isOpen;
  }

  /** There is something to do that waits for nothing. */
  get #isBusy(): boolean {
    if (this.#handlers.canStart) return true;
    if (this.#mustWait) return false;
    return (
      this.#executions.timer.fired ||
      this.#handlers.needsRenewal ||
      this.#suspects.isDue ||
      this.#lastAttempts.isDue ||
      this.held.canSettle ||
      (this.#claiming.claimable && this.#claiming.canClaim)
    );
  }

  #noticeClockJump(monotonic: number): void {
    const gapMs = this.#clockJumps.gap(monotonic);
    if (gapMs === 0) return;
    this.#shared.reporter.clockJumped(gapMs);
    this.#leases.requestAll();
    this.#claiming.claimable = true;
  }

  #transportFailed(error: unknown): void {
    if (this.hasEnded) return;
    if (codeOf(error) === 'CLOSED') {
      this.#transportClosed(error as Error);
      return;
    }
    this.#claiming.claimable = true;
    if (this.#retry.failed(error)) {
      this.#leases.postpone();
      return;
    }
    // Nothing settles these messages any more: their leases lapse.
    this.#executions.dropPending();
    this.#executions.resetTimer(this.#clock.monotonic() + LAST_RENEWAL_MS);
  }

  #transportClosed(error: Error): void {
    if (this.hasEnded) return;
    this.#shared.reporter.transportError(error, null);
    this.#executions.dropAll(error);
    this.end();
    this.#afterTurn();
  }
}
