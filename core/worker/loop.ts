/**
 * The worker's turns. One turn: look after the runs, settle what was answered, acknowledge and claim in one transaction,
 * call handlers. A turn starts from the event loop's check phase, so that whatever finished in one round of the loop
 * shares a commit, and it ends after a few milliseconds: the rest waits for the next round.
 *
 * With a synchronous transport a turn never awaits, so it has happened when the call returns. A crash between a
 * handler's end and its turn leaves the message leased: it is handed out again.
 */
import { Closed } from '../contract/errors.ts';
import type { Awaitable, ClaimOptions, Transport } from '../contract/transport.ts';
import { isPromise } from '../contract/when-done.ts';
import { Exchange } from './claiming/ack-and-claim.ts';
import { Doze } from './claiming/idle-timer.ts';
import { listen, type NewsReader } from './claiming/transport-events.ts';
import { Retry } from './claiming/transport-retry.ts';
import type { Dispatch } from './contract/dispatch.ts';
import type { Configuration, Settings } from './contract/worker-options.ts';
import type { Run } from './executions/execution.ts';
import { Runs, type RunsHost } from './executions/executions.ts';
import { Watch } from './executions/lease-renewer.ts';
import { Settler } from './executions/settle.ts';
import type { Reporter } from './reporting/reporter.ts';

/** Together with the commit that a turn makes, this keeps the event loop's delay under 8 ms. */
const SLICE_MS = 3;
/** How soon a renewal that failed is tried again while the worker hurries to its end. */
const HURRIED_RENEWAL_MS = 100;
/** The wall clock gained this much on the monotonic one: the computer slept, or the clock was set. */
const GAP_MS = 1000;

/** What the loop asks of the worker around it. */
export interface LoopOwner {
  /** False while paused, stopping or not started: nothing is claimed. */
  readonly claims: boolean;
  /** Stopping, and out of grace: nothing waits for another try. */
  readonly hurrying: boolean;
  /** A turn is over; `resting`: nothing is left to do until something happens. */
  turned(resting: boolean): void;
  /** The transport is closed: there will be no further turn. */
  closed(): void;
}

export class Loop<Event> implements RunsHost<Event>, NewsReader {
  readonly config: Configuration;
  readonly reporter: Reporter;
  readonly runs: Runs<Event>;
  readonly workerId: string;
  readonly #transport: Transport<Event>;
  readonly #owner: LoopOwner;
  readonly #watch: Watch<Event>;
  readonly #doze: Doze;
  readonly #settler: Settler<Event>;
  readonly #exchange: Exchange<Event>;
  readonly #retry: Retry;
  readonly #deafen: () => void;
  #settings: Settings;
  #claimOptions: ClaimOptions;
  /** Something may be claimable. */
  #look = false;
  #scheduled = false;
  #turning = false;
  #renewAll = false;
  #offset: number;
  #version: number | null = null;
  /** The earliest lock end that was heard of since the transport was asked for it. */
  #heard = Number.POSITIVE_INFINITY;
  #ended = false;

  constructor(
    transport: Transport<Event>,
    dispatch: Dispatch<Event>,
    config: Configuration,
    reporter: Reporter,
    workerId: string,
    owner: LoopOwner,
  ) {
    this.config = config;
    this.reporter = reporter;
    this.workerId = workerId;
    this.#transport = transport;
    this.#owner = owner;
    this.#settings = config;
    this.#claimOptions = claimOptionsOf(config);
    this.runs = new Runs(dispatch, this);
    this.#watch = new Watch(transport, config, () => this.changed());
    this.#doze = new Doze(
      config.clock,
      config.pollMs,
      () => this.lookAgain(),
      () => void this.#poll(),
    );
    this.#settler = new Settler(transport, this.runs, config, reporter);
    this.#exchange = new Exchange(transport, workerId, this.runs, config, reporter);
    this.#retry = new Retry(config.clock, () => this.changed());
    this.#offset = config.clock.now() - config.clock.monotonic();
    this.#deafen = listen(transport, this);
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** What waits was claimed under the old settings and need not fit the new ones. */
  set settings(settings: Settings) {
    this.#settings = settings;
    this.#claimOptions = claimOptionsOf(settings);
    this.runs.concurrency = settings.concurrency;
    this.runs.giveBackWaiting();
    this.lookAgain();
  }

  changed(): void {
    if (this.#scheduled || this.#ended) return;
    this.#scheduled = true;
    setImmediate(this.#onTurn);
  }

  lookAgain(): void {
    this.#look = true;
    this.changed();
  }

  renewAll(): void {
    this.#renewAll = true;
    this.lookAgain();
  }

  expect(at: number): void {
    this.#watch.expect(at);
  }

  progressed(run: Run<Event>): void {
    this.reporter.progressed(run);
  }

  async extend(run: Run<Event>, forMs: number): Promise<void> {
    while (run.extending !== null) await run.extending.catch(() => {});
    if (run.stage === 'running' && run.abortedFor !== 'lost') await this.#watch.extend(this.runs, run, forMs);
    if (run.abortedFor === 'lost' && run.reason) throw run.reason;
  }

  /** Notes the file's version before the first claim: what another process writes from now on is seen by comparing. */
  async noteVersion(): Promise<void> {
    if (this.config.pollMs > 0) this.#version = await this.#transport.dataVersion();
  }

  /** Makes a turn at once. With a synchronous transport it is over on return, unless it was called from within one. */
  turnNow(): void {
    if (this.#turning) this.changed();
    else void this.#turn();
  }

  /** No turn, timer or listener is left. */
  end(): void {
    this.#ended = true;
    this.#watch.disarm();
    this.#doze.off();
    this.#retry.end();
    this.#deafen();
  }

  readonly #onTurn = (): void => {
    this.#scheduled = false;
    // The turn at hand looks at everything again before it rests.
    if (!this.#turning && !this.#ended) void this.#turn();
  };

  async #turn(): Promise<void> {
    this.#turning = true;
    try {
      const monotonic = this.config.clock.monotonic();
      const { hurrying } = this.#owner;
      let awaited = false;
      this.#noticeSleep(monotonic);
      this.runs.sliceEnd = monotonic + SLICE_MS;
      if (!this.#retry.waiting || hurrying) {
        // Before any claim, and until it has succeeded: a claim could take what a handler here is still working on.
        if (this.#renewAll || this.#watch.isDue(monotonic)) {
          const tended = this.#tend();
          if (isPromise(tended)) {
            awaited = true;
            await tended;
          }
        }
        if (this.runs.others.length > 0) {
          const settled = this.#settler.settle(hurrying ? Number.POSITIVE_INFINITY : this.runs.sliceEnd);
          awaited ||= isPromise(settled);
          const freed = isPromise(settled) ? await settled : settled;
          this.#look ||= freed;
        }
        const exchanged = this.#ackAndClaim();
        if (isPromise(exchanged)) {
          awaited = true;
          await exchanged;
        }
        this.#retry.succeeded();
      }
      // The event loop had its rounds while the transport was at work: handlers are called in a slice of their own.
      if (awaited) this.runs.sliceEnd = this.config.clock.monotonic() + SLICE_MS;
      this.#startWaiting();
      if (!this.#busy && !this.#retry.waiting) {
        const resting = this.#rest();
        if (isPromise(resting)) await resting;
      }
    } catch (error) {
      this.#trouble(error);
    }
    this.#turning = false;
    if (this.#ended) return;
    if (this.#busy) this.changed();
    this.#owner.turned(!this.#scheduled && !(this.#look && this.#owner.claims));
  }

  #tend(): Awaitable<void> {
    const all = this.#renewAll;
    this.#renewAll = false;
    const again = (error: unknown) => {
      this.#renewAll ||= all;
      throw error;
    };
    try {
      const tended = this.#watch.tend(this.runs, all);
      return isPromise(tended) ? tended.catch(again) : tended;
    } catch (error) {
      return again(error);
    }
  }

  #ackAndClaim(): Awaitable<void> {
    const { claims } = this.#owner;
    const options = this.#claimOptions;
    const { runs } = this;
    const look = this.#look;
    // Before the call: news that comes while an asynchronous transport is at work must not be forgotten after it.
    this.#look = false;
    const finish = (more: boolean) => {
      this.#look ||= more;
      // Paused, stopped or changed while the claim was under way.
      if (!this.#owner.claims || options !== this.#claimOptions) runs.giveBackWaiting();
    };
    const exchanged = this.#exchange.run(claims ? options : null, look);
    return isPromise(exchanged) ? exchanged.then(finish) : finish(exchanged);
  }

  #startWaiting(): void {
    this.runs.start();
    if (this.runs.waiting > 0) this.#watch.rearm(this.runs);
  }

  /** There is something to do that waits for nothing. */
  get #busy(): boolean {
    const { runs } = this;
    if (this.#retry.waiting && !this.#owner.hurrying) return false;
    // It fired while a transport was at work, and its turn was not taken.
    if (this.#watch.fired) return true;
    if (runs.waiting > 0 && runs.running < runs.concurrency) return true;
    if (runs.acks.some((run) => run.extending === null) || runs.others.some((run) => run.extending === null))
      return true;
    return this.#look && this.#canClaim;
  }

  get #canClaim(): boolean {
    return this.#owner.claims && this.runs.held.size < this.runs.capacity;
  }

  #rest(): Awaitable<void> {
    if (this.runs.empty) this.#watch.disarm();
    if (!this.#canClaim) return this.#doze.off();
    this.#heard = Number.POSITIVE_INFINITY;
    const sleep = (expiry: number | null) => {
      const until = Math.min(expiry ?? Number.POSITIVE_INFINITY, this.#heard);
      if (!this.#ended && this.#canClaim) this.#doze.until(until === Number.POSITIVE_INFINITY ? null : until);
    };
    const expiry = this.#transport.nextExpiry(this.#claimOptions);
    return isPromise(expiry) ? expiry.then(sleep) : sleep(expiry);
  }

  #noticeSleep(monotonic: number): void {
    const offset = this.config.clock.now() - monotonic;
    const gapMs = offset - this.#offset;
    this.#offset = offset;
    if (gapMs < GAP_MS) return;
    this.reporter.clockJumped(gapMs);
    this.#renewAll = true;
    this.#look = true;
  }

  async #poll(): Promise<void> {
    try {
      const version = await this.#transport.dataVersion();
      // Kept from one look to the next, so that a write between a claim and a look is never taken for an old one.
      if (version !== this.#version) this.lookAgain();
      this.#version = version;
    } catch (error) {
      this.#trouble(error);
    }
  }

  #trouble(error: unknown): void {
    if (this.#ended) return;
    if (error instanceof Closed) {
      this.closed(error);
      return;
    }
    if (this.#owner.hurrying) {
      // Nobody waits for another try; what could not be given back lapses.
      this.#watch.rearm(this.runs, this.config.clock.monotonic() + HURRIED_RENEWAL_MS);
      this.reporter.transportError(error, null);
      this.runs.dropAnswered();
      return;
    }
    const delayMs = this.#retry.failed();
    this.#look = true;
    this.#watch.rearm(this.runs, this.config.clock.monotonic() + delayMs);
    this.reporter.transportError(error, delayMs);
  }

  isOwn(groupId: string, seq: number): boolean {
    return this.runs.held.get(groupId)?.lease.seq === seq;
  }

  freed(): void {
    if (this.#look) return;
    this.#look = true;
    if (this.#canClaim) this.changed();
  }

  locked(until: number): void {
    this.#heard = Math.min(this.#heard, until);
    this.#doze.hear(until);
  }

  closed(error: Error | null): void {
    if (this.#ended) return;
    const reason = error ?? new Closed();
    this.reporter.transportError(reason, null);
    this.runs.dropAll(reason);
    this.end();
    this.#owner.closed();
  }
}

function claimOptionsOf({ minPriority, routingKeys }: Settings): ClaimOptions {
  return { minPriority, routingKeys };
}
