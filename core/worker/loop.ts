/**
 * What the worker does in a turn: renew leases, settle outcomes, ack and claim in one transaction, call handlers. When
 * nothing is left to do it rests. turn-scheduler.ts decides when a turn takes place.
 *
 * A turn ends after a few ms, and what is left waits for the next one. With a synchronous transport a turn never awaits, so
 * it is over when the call returns. After the transport failed, turns still call handlers but do not use the transport until
 * its retry is due. A crash between a handler's end and its turn leaves the message leased: it is delivered again.
 */
import { Closed } from '../contract/errors.ts';
import type { Awaitable, ClaimOptions, Transport } from '../contract/transport.ts';
import { inOrder, whenDone } from '../contract/when-done.ts';
import { AckAndClaim } from './claiming/ack-and-claim.ts';
import { Rest } from './claiming/rest.ts';
import { subscribe } from './claiming/transport-events.ts';
import { TransportRetry } from './claiming/transport-retry.ts';
import { ClockJumps } from './clock-jumps.ts';
import type { Dispatch } from './contract/dispatch.ts';
import type { TurnSignal } from './contract/turn-signal.ts';
import type { Configuration, Settings } from './contract/worker-options.ts';
import { Executions } from './executions/executions.ts';
import { HandlerRunner } from './executions/handler-runner.ts';
import { LeaseRenewer } from './executions/lease-renewer.ts';
import { Settler } from './executions/settler.ts';
import type { Reporter } from './reporting/reporter.ts';
import { TurnScheduler } from './turn-scheduler.ts';

/** After a renewal failed while the worker hurries to its end, how soon the next one is due. */
const HURRIED_RENEWAL_MS = 100;

/** Which leases to renew before the next claim: none, those that are due, or all. */
type Renewal = 'none' | 'due' | 'all';

export class Loop<E> implements TurnSignal {
  readonly executions: Executions<E>;
  readonly #config: Configuration;
  readonly #reporter: Reporter;
  readonly #afterTurn: () => void;
  readonly #turns: TurnScheduler;
  readonly #handlers: HandlerRunner<E>;
  readonly #leases: LeaseRenewer<E>;
  readonly #settler: Settler<E>;
  readonly #ackAndClaim: AckAndClaim<E>;
  readonly #retry: TransportRetry;
  readonly #rest: Rest;
  readonly #clockJumps: ClockJumps;
  readonly #unsubscribe: () => void;
  readonly #transportSteps = [
    // Comes before any claim, until it succeeds: a claim could take a message that a handler here still works on.
    () => this.#renew(),
    () => this.#settleOutcomes(),
    () => this.#claim(),
    () => this.#retry.succeeded(),
  ];
  #settings: Settings;
  #claimOptions: ClaimOptions;
  /** False while the worker starts, is paused or stops. */
  #claims = false;
  /** The worker stops and its handlers were aborted: nothing waits for a retry. */
  #hurries = false;
  /** A group may be claimable. */
  #claimable = false;
  #renewal: Renewal = 'none';

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
    this.#config = config;
    this.#reporter = reporter;
    this.#afterTurn = afterTurn;
    this.#turns = new TurnScheduler(() => this.#turn(), afterTurn);
    this.#settings = config;
    this.#claimOptions = claimOptionsOf(config);
    this.executions = new Executions(config, reporter, this);
    this.#leases = new LeaseRenewer(transport, this.executions, config);
    this.#handlers = new HandlerRunner(dispatch, this.executions, this.#leases, config, reporter, this);
    this.#settler = new Settler(transport, this.executions, this.#handlers, config, reporter);
    this.#ackAndClaim = new AckAndClaim(transport, workerId, this.executions, this.#handlers, config);
    this.#retry = new TransportRetry(clock, () => this.requestTurn());
    this.#rest = new Rest(
      transport,
      clock,
      config.pollMs,
      () => this.requestClaim(),
      (error) => this.#transportFailed(error),
    );
    this.#clockJumps = new ClockJumps(clock);
    this.#unsubscribe = subscribe(transport, workerId, {
      isOwn: (groupId, seq) => this.executions.holds(groupId, seq),
      onClaimable: () => this.#noteClaimable(),
      onLocked: (until) => this.#rest.reportLock(until),
      onClosed: (error) => this.#transportClosed(error ?? new Closed()),
    });
  }

  get settings(): Settings {
    return this.#settings;
  }

  get hasEnded(): boolean {
    return this.#turns.hasEnded;
  }

  /** Nothing can be done until something happens. */
  get isResting(): boolean {
    return this.#turns.isResting && !(this.#claimable && this.#claims);
  }

  /** Waiting messages were claimed under the old settings and may not fit the new ones: they are given back. */
  configure(settings: Settings): void {
    this.#settings = settings;
    this.#claimOptions = claimOptionsOf(settings);
    this.#handlers.concurrency = settings.concurrency;
    this.executions.releaseWaiting();
    this.requestClaim();
  }

  /** Call before the first claim. */
  prepare(): Awaitable<void> {
    return this.#rest.prepare();
  }

  startClaiming(): void {
    this.#claims = true;
    this.requestClaim();
  }

  /** What waits is given back; what runs goes on. */
  stopClaiming(): void {
    this.#claims = false;
    this.executions.releaseWaiting();
    this.requestTurn();
  }

  renewAll(): void {
    this.#renewal = 'all';
    this.requestClaim();
  }

  /** For a worker that stops: aborts every handler that runs, and from now on waits for no retry of the transport. */
  abortAll(reason: Error, graceMs: number): void {
    this.#hurries = true;
    this.#handlers.abortAll(reason, graceMs);
  }

  requestTurn(): void {
    this.#turns.request();
  }

  requestClaim(): void {
    this.#claimable = true;
    this.requestTurn();
  }

  /** Takes a turn at once. With a synchronous transport it is over on return, unless it was called from within a turn. */
  runNow(): void {
    this.#turns.runNow();
  }

  /** No turn, timer or subscription is left. */
  end(): void {
    this.#claims = false;
    this.#turns.end();
    this.executions.timer.clear();
    this.#rest.end();
    this.#retry.stop();
    this.#unsubscribe();
  }

  /** Returns whether work is left. */
  #turn(): Awaitable<boolean> {
    this.#noticeClockJump();
    this.#handlers.beginSlice();
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
      () => this.#useTransport(),
      (_, waited) => {
        // The turn has waited for the transport, so its slice is over: handlers get a new one.
        if (waited) this.#handlers.beginSlice();
        this.#handlers.startWaiting();
        if (!this.#isBusy && !this.#retry.isWaiting) return this.#beginRest();
      },
    );
  }

  #useTransport(): Awaitable<void> {
    if (this.#retry.isWaiting && !this.#hurries) return;
    return inOrder(this.#transportSteps);
  }

  #renew(): Awaitable<void> {
    if (this.#renewal === 'none' && !this.executions.timer.isDue(this.#config.clock.monotonic())) return;
    const all = this.#renewal === 'all';
    this.#renewal = 'none';
    this.executions.timer.clear();
    this.#handlers.expire();
    return whenDone(
      () => this.#leases.renew(all),
      () => this.#resetTimer(0),
      (error) => {
        if (this.#renewal === 'none') this.#renewal = all ? 'all' : 'due';
        throw error;
      },
    );
  }

  #settleOutcomes(): Awaitable<void> {
    return whenDone(
      () => this.#settler.settle(this.#hurries),
      (freed) => {
        this.#claimable ||= freed;
      },
    );
  }

  #claim(): Awaitable<void> {
    const options = this.#claimOptions;
    const claimable = this.#claimable;
    // Reset before the call: an event that arrives while the call is pending must still count after it.
    this.#claimable = false;
    return whenDone(
      () => this.#ackAndClaim.run(this.#claims ? options : null, claimable),
      (more) => {
        this.#claimable ||= more;
        // Paused, stopped or configured while the claim was under way.
        if (!this.#claims || options !== this.#claimOptions) this.executions.releaseWaiting();
      },
    );
  }

  /** There is something to do that waits for nothing. */
  get #isBusy(): boolean {
    if (this.#retry.isWaiting && !this.#hurries) return false;
    if (this.executions.timer.fired || this.executions.canSettle || this.#handlers.canStart) return true;
    return this.#claimable && this.#canClaim;
  }

  get #canClaim(): boolean {
    return this.#claims && this.#handlers.room > 0;
  }

  #beginRest(): Awaitable<void> {
    if (this.executions.isEmpty) this.executions.timer.clear();
    if (this.#canClaim) return this.#rest.begin(this.#claimOptions, () => this.#canClaim);
    this.#rest.end();
  }

  #noticeClockJump(): void {
    const gapMs = this.#clockJumps.gap();
    if (gapMs === 0) return;
    this.#reporter.clockJumped(gapMs);
    this.#renewal = 'all';
    this.#claimable = true;
  }

  #noteClaimable(): void {
    if (this.#claimable) return;
    this.#claimable = true;
    if (this.#canClaim) this.requestTurn();
  }

  #transportFailed(error: unknown): void {
    if (this.hasEnded) return;
    if (error instanceof Closed) {
      this.#transportClosed(error);
      return;
    }
    if (this.#hurries) {
      // Nobody waits for a retry. The leases of what could not be given back lapse.
      this.#renewal = 'none';
      this.#resetTimer(HURRIED_RENEWAL_MS);
      this.#reporter.transportError(error, null);
      this.executions.dropPending();
      return;
    }
    const delayMs = this.#retry.failed();
    this.#claimable = true;
    this.#resetTimer(delayMs);
    this.#reporter.transportError(error, delayMs);
  }

  #resetTimer(notInMs: number): void {
    this.executions.timer.reset(this.executions.all(), this.#config.clock.monotonic() + notInMs);
  }

  #transportClosed(error: Error): void {
    if (this.hasEnded) return;
    this.#reporter.transportError(error, null);
    this.executions.dropAll(error);
    this.end();
    this.#afterTurn();
  }
}

function claimOptionsOf({ minPriority, routingKeys }: Settings): ClaimOptions {
  return { minPriority, routingKeys };
}
