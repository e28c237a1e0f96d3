/** Calls the handlers of held messages in the free slots, for a few ms at a time. */
import { LeaseholdError } from '../../contract/errors.ts';
import type { Lease } from '../../contract/transport.ts';
import type { Dispatch } from '../contract/dispatch.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Handler } from '../contract/worker-types.ts';
import { callHandler, type HandlerResult } from './call-handler.ts';
import { decideOutcome } from './decide-outcome.ts';
import type { Execution } from './execution.ts';
import { type ContextHost, ExecutionContext } from './handler-context.ts';
import type { LeaseRenewer } from './lease-renewer.ts';
import { Prefetch } from './prefetch.ts';
import { probationMs } from './probation.ts';
import type { Shared } from './shared.ts';
import type { Outcome, Term } from './stages.ts';

/** How long a turn may take. With the commit that it makes, this keeps the event loop's delay under 8 ms. */
const SLICE_MS = 3;

export class HandlerRunner<E> implements ContextHost<E> {
  readonly config: Configuration;
  readonly #dispatch: Dispatch<E>;
  readonly #shared: Shared<E>;
  readonly #leases: LeaseRenewer<E>;
  readonly #prefetch = new Prefetch();
  /** Handlers at once. */
  concurrency: number;
  /** A slot is kept for the message whose attempt is being counted. */
  keepsSlot = false;
  #starting = false;
  /** Monotonic ms. */
  #sliceEnd = 0;

  constructor(shared: Shared<E>, dispatch: Dispatch<E>, leases: LeaseRenewer<E>) {
    this.config = shared.config;
    this.concurrency = shared.config.concurrency;
    this.#dispatch = dispatch;
    this.#shared = shared;
    this.#leases = leases;
  }

  /** How many more messages to claim; below 0 after the concurrency was lowered. */
  get room(): number {
    return this.#prefetch.capacity(this.concurrency) - this.#shared.held.count;
  }

  /** A message waits whose handler may be called, and a slot is free. */
  get canStart(): boolean {
    return this.#next(this.config.clock.monotonic())?.isLastAttempt === false;
  }

  /** The same, when its attempt must be counted first. */
  get nextLastAttempt(): Execution<E> | null {
    const next = this.#next(this.config.clock.monotonic());
    return next?.isLastAttempt && !this.#shared.callersTransaction.isOpen ? next : null;
  }

  /** How many of the messages that are claimed next are started at once. */
  get freeSlots(): number {
    const { running, waitingCount } = this.#shared.held;
    return Math.max(0, this.concurrency - running - waitingCount);
  }

  /**
   * A slot is free, and the lease of a message that waits for it has lapsed. It must be extended first: others may have
   * handled later messages of its group since.
   */
  get needsRenewal(): boolean {
    return this.hasSlot && this.#shared.held.hasLapsedWaiting(this.config.clock.monotonic());
  }

  get hasSlot(): boolean {
    return this.#shared.held.running + (this.keepsSlot ? 1 : 0) < this.concurrency;
  }

  /** A turn begins, or continues after the event loop ran. */
  beginSlice(monotonic = this.config.clock.monotonic()): void {
    this.#sliceEnd = monotonic + SLICE_MS;
  }

  sliceIsOver(): boolean {
    return this.config.clock.monotonic() >= this.#sliceEnd;
  }

  /** Handlers have become slower: less is claimed ahead for a while. */
  noteLateStart(): void {
    this.#prefetch.noteLateStart();
  }

  /** Takes in what was claimed for this term. */
  take(lease: Lease<E>, term: Term): void {
    this.#shared.executions.take(lease, term, this.#handlerOrOutcome(lease));
  }

  /** Calls handlers while there are free slots and the slice lasts. The next turn continues. */
  startWaiting(): void {
    // A handler that returns at once comes back here. The loop below then goes on with the next message.
    if (this.#starting) return;
    this.#starting = true;
    try {
      for (;;) {
        const monotonic = this.config.clock.monotonic();
        if (monotonic >= this.#sliceEnd) break;
        const next = this.#next(monotonic);
        // A last attempt needs the transport: the next turn starts it. What waits behind it keeps its place.
        if (!next || next.isLastAttempt) break;
        this.#start(next, monotonic);
      }
    } finally {
      this.#starting = false;
    }
    this.#shared.executions.watchWaiting();
  }

  /** No other handler runs, or the suspect has waited long enough for those that do. */
  canStartSuspect(execution: Execution<E>): boolean {
    const { clock } = this.config;
    const { stage } = execution;
    const monotonic = clock.monotonic();
    return (
      stage.name === 'waiting' &&
      execution.calling === null &&
      this.hasSlot &&
      (this.#shared.held.running === 0 || monotonic >= stage.releaseAt) &&
      !execution.hasLapsed(monotonic, clock.now())
    );
  }

  /** Its attempt is counted. It may have been released, and its lease may have lapsed, while that was on its way. */
  startSuspect(execution: Execution<E>): void {
    if (this.canStartSuspect(execution)) this.#start(execution, this.config.clock.monotonic());
  }

  /** The same, of a message on its last attempt. */
  startLastAttempt(execution: Execution<E>): void {
    const { clock } = this.config;
    const monotonic = clock.monotonic();
    if (this.hasSlot && !execution.hasLapsed(monotonic, clock.now())) this.#start(execution, monotonic);
  }

  reportProgress(execution: Execution<E>, fraction: number, note: string | undefined): void {
    if (execution.setProgress(fraction, note)) this.#shared.reporter.progressed(execution);
  }

  async extend(execution: Execution<E>, forMs: number): Promise<void> {
    // No await without a transaction: the extend of a handler that then ends at once must come before its settle.
    if (this.#shared.callersTransaction.isOpen) await this.#awaitTransaction(execution);
    while (execution.calling !== null) await execution.calling;
    if (execution.handlerRuns && execution.hasLease) await this.#leases.extend(execution, forMs);
    const { lostBy } = execution;
    if (lostBy) throw lostBy;
  }

  /** A handler that waits for this inside of its own transaction would otherwise wait forever. */
  async #awaitTransaction(execution: Execution<E>): Promise<void> {
    const { callersTransaction } = this.#shared;
    const { lapsesAt, lease } = execution;
    // The lease is lost when the transport was closed meanwhile: extend() raises that.
    if ((await callersTransaction.untilEnded(lapsesAt)) || execution.lostBy) return;
    throw new LeaseholdError(
      'BUSY',
      `The lease of message ${lease.seq} has lapsed, and a transaction of the app is still open on the worker's connection. End the transaction before extend().`,
    );
  }

  /** The message that is started next, in a free slot. */
  #next(monotonic: number): Execution<E> | undefined {
    const { held } = this.#shared;
    return this.hasSlot && !held.holdsSuspect ? held.nextToStart(monotonic) : undefined;
  }

  /** The handler, or the outcome of a message that must not run. */
  #handlerOrOutcome(lease: Lease<E>): Handler<E> | Outcome {
    const handler = this.#dispatch(lease.event);
    if (typeof handler !== 'function') return { action: 'bury', error: handler, ran: false };
    return lease.attempt > this.config.maxAttempts && lease.crashes > 0
      ? { action: 'bury', error: startedTooOften(lease, this.config.maxAttempts), ran: false }
      : handler;
  }

  #start(execution: Execution<E>, monotonic: number): void {
    const { timeoutMs } = this.config;
    const timeoutAt = timeoutMs > 0 ? monotonic + timeoutMs : Number.POSITIVE_INFINITY;
    if (execution.stage.name !== 'waiting') return;
    const { handler } = execution.stage;
    this.#shared.executions.start(execution, monotonic, timeoutAt, probationMs(execution.lease.crashes));
    this.#shared.reporter.started(execution);
    if (this.#wasStopped(execution)) return;
    callHandler(handler, execution.lease, new ExecutionContext(execution, this), (result) =>
      this.#ended(execution, monotonic, result),
    );
  }

  /** A listener of its start has stopped the worker or closed the transport: the message may be another worker's already. */
  #wasStopped(execution: Execution<E>): boolean {
    if (execution.stage.name === 'running') return false;
    const { executions, reporter } = this.#shared;
    if (execution.handlerRuns)
      executions.endHandler(execution, decideOutcome(execution, null, this.config, reporter), 0);
    return true;
  }

  #ended(execution: Execution<E>, startedAt: number, result: HandlerResult): void {
    const { executions, reporter } = this.#shared;
    if (!execution.handlerRuns) {
      reporter.settledLate(execution, result.kind === 'threw');
      return;
    }
    const tookMs = this.config.clock.monotonic() - startedAt;
    this.#prefetch.noteDuration(tookMs);
    const outcome = decideOutcome(execution, result, this.config, reporter);
    executions.endHandler(execution, outcome, tookMs);
    this.startWaiting();
  }
}

function startedTooOften({ attempt }: Lease<unknown>, maxAttempts: number): LeaseholdError {
  return new LeaseholdError(
    'NO_OUTCOME',
    `Started ${attempt - 1} times (maxAttempts ${maxAttempts}), and the last start ended without an outcome: its process ended while it ran, or its lease lapsed. Look for what ends the process, then re-publish the message.`,
  );
}
