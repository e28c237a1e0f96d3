/**
 * The worker's life: starting, running, paused, stopping, stopped. The loop does the work.
 *
 * stopping: nothing is claimed, and waiting messages are released. After `stopTimeoutMs` the signals of running handlers
 * fire. After another `abortGraceMs` the handlers that still run are abandoned, and their messages are released. The worker
 * has stopped when it holds no message.
 */
import { keepProcessAlive } from '../contract/clock.ts';
import type { Transport } from '../contract/transport.ts';
import { checkListener } from '../validate/checks.ts';
import type { Dispatch } from './contract/dispatch.ts';
import {
  type Configuration,
  checkPauseReason,
  readSettings,
  readStopOptions,
} from './contract/worker-options.ts';
import type {
  StopOptions,
  StopResult,
  Worker,
  WorkerEvents,
  WorkerSettings,
  WorkerSnapshot,
  WorkerState,
} from './contract/worker-types.ts';
import { Loop } from './loop.ts';
import { releaseDeadWorkers } from './recovery/release-dead-workers.ts';
import { makeWorkerId } from './recovery/worker-id.ts';
import { Reporter, WORKER_EVENTS } from './reporting/reporter.ts';

/** The reason of a pause that gives none. */
const PAUSED = 'paused';

export class QueueWorker<E> implements Worker {
  readonly id: string;
  readonly #transport: Transport<E>;
  readonly #config: Configuration;
  readonly #reporter: Reporter;
  readonly #loop: Loop<E>;
  readonly #startedAt: number;
  readonly #pauseReasons = new Set<string>();
  readonly #stopped = Promise.withResolvers<StopResult>();
  readonly #stopResult = { released: 0, abandoned: 0 };
  #state: WorkerState = 'starting';
  #idle: PromiseWithResolvers<void> | null = null;
  #abortGraceMs = 0;
  /** Monotonic ms. */
  #abortAt = Number.POSITIVE_INFINITY;
  #cancelAbort: (() => void) | null = null;
  #letProcessEnd: (() => void) | null = null;
  #aborted = false;

  constructor(transport: Transport<E>, dispatch: Dispatch<E>, config: Configuration) {
    this.id = makeWorkerId(config.app);
    this.#transport = transport;
    this.#config = config;
    this.#startedAt = config.clock.now();
    this.#reporter = new Reporter(config.clock, config.logger, this.id);
    this.#loop = new Loop(transport, dispatch, config, this.#reporter, this.id, () => this.#afterTurn());
    this.on('released', () => this.#countWhileStopping('released'));
    this.on('abandoned', () => this.#countWhileStopping('abandoned'));
    // Later, so that the caller can subscribe first.
    setImmediate(() => void this.#start());
  }

  get state(): WorkerState {
    return this.#state;
  }

  get concurrency(): number {
    return this.#loop.settings.concurrency;
  }

  set concurrency(concurrency: number) {
    this.configure({ concurrency });
  }

  get minPriority(): number {
    return this.#loop.settings.minPriority;
  }

  set minPriority(minPriority: number) {
    this.configure({ minPriority });
  }

  get routingKeys(): readonly string[] | undefined {
    return this.#loop.settings.routingKeys;
  }

  set routingKeys(routingKeys: readonly string[] | undefined) {
    this.configure({ routingKeys });
  }

  configure(settings: WorkerSettings): void {
    this.#loop.configure(readSettings(settings, this.#loop.settings));
  }

  pause(reason = PAUSED): void {
    checkPauseReason(reason);
    this.#pauseReasons.add(reason);
    if (this.#state !== 'running') return;
    this.#loop.stopClaiming();
    this.#setState('paused');
  }

  resume(reason = PAUSED): void {
    checkPauseReason(reason);
    this.#pauseReasons.delete(reason);
    if (this.#state !== 'paused' || this.#pauseReasons.size > 0) return;
    this.#loop.startClaiming();
    this.#setState('running');
  }

  wake(): void {
    this.#loop.renewAll();
  }

  idle(): Promise<void> {
    if (this.#state === 'stopped') return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    this.#loop.requestClaim();
    return this.#idle.promise;
  }

  stop(options?: StopOptions): Promise<StopResult> {
    const { stopTimeoutMs, abortGraceMs } = readStopOptions(options, this.#config);
    if (this.#state === 'stopped') return this.#stopped.promise;
    const isFirst = this.#state !== 'stopping';
    this.#abortGraceMs = isFirst ? abortGraceMs : Math.min(abortGraceMs, this.#abortGraceMs);
    if (isFirst) {
      // A process with nothing else to do must not end before the messages are given back.
      this.#letProcessEnd = keepProcessAlive();
      this.#loop.stopClaiming();
      this.#setState('stopping');
    }
    this.#abortIn(stopTimeoutMs);
    // From within a turn this requests another one. Otherwise the turn takes place here.
    this.#loop.runNow();
    return this.#stopped.promise;
  }

  snapshot(): WorkerSnapshot {
    const { held, settings } = this.#loop;
    const now = this.#config.clock.now();
    return {
      workerId: this.id,
      state: this.#state,
      pausedFor: [...this.#pauseReasons],
      startedAt: this.#startedAt,
      concurrency: settings.concurrency,
      minPriority: settings.minPriority,
      routingKeys: settings.routingKeys ? [...settings.routingKeys] : null,
      running: held.describeRunning(now, this.#config.clock.monotonic()),
      waiting: held.waitingCount,
      waitsForTransactionSince: this.#loop.waitsForTransactionSince,
      ...this.#reporter.throughput.report(now),
    };
  }

  on<Name extends keyof WorkerEvents>(name: Name, listener: (detail: WorkerEvents[Name]) => void): void {
    checkListener('worker', WORKER_EVENTS, name, listener);
    this.#reporter.events.on(name, listener);
  }

  off<Name extends keyof WorkerEvents>(name: Name, listener: (detail: WorkerEvents[Name]) => void): void {
    checkListener('worker', WORKER_EVENTS, name, listener);
    this.#reporter.events.off(name, listener);
  }

  async #start(): Promise<void> {
    if (this.#state !== 'starting') return;
    try {
      await this.#loop.prepare();
    } catch (error) {
      // If the queue cannot be used at all, the first claim reports that and is retried.
      this.#reporter.startFailed(error);
    }
    // stop() may have been called while it waited.
    if (this.#state !== 'starting') return;
    if (this.#pauseReasons.size > 0) {
      this.#loop.requestTurn();
      this.#setState('paused');
    } else {
      this.#loop.startClaiming();
      this.#setState('running');
    }
    if (this.#config.releaseDeadWorkers) void this.#releaseDeadWorkers();
  }

  /** Beside the first claims: the walk through a large file takes a while, and releasing only saves a wait. */
  async #releaseDeadWorkers(): Promise<void> {
    const { app } = this.#config;
    const proceed = async () => {
      await this.#loop.untilUsable();
      return !this.#loop.hasEnded;
    };
    try {
      await releaseDeadWorkers(this.#transport, app, this.#reporter, proceed);
    } catch (error) {
      if (!this.#loop.hasEnded) this.#reporter.startFailed(error);
    }
  }

  #afterTurn(): void {
    if (this.#state === 'stopped') return;
    const { held, hasEnded, isResting } = this.#loop;
    if (hasEnded || (this.#state === 'stopping' && held.isEmpty)) this.#end();
    else if (isResting && held.isEmpty && this.#state !== 'starting') {
      this.#idle?.resolve();
      this.#idle = null;
    }
  }

  #countWhileStopping(name: keyof StopResult): void {
    if (this.#state === 'stopping') this.#stopResult[name]++;
  }

  /** Call it last: a listener may pause, resume or stop the worker, and what it does must stay. */
  #setState(state: WorkerState): void {
    this.#state = state;
    this.#reporter.state(state);
  }

  /** A further call can only bring the abort forward. */
  #abortIn(stopTimeoutMs: number): void {
    const abortAt = this.#config.clock.monotonic() + stopTimeoutMs;
    if (abortAt >= this.#abortAt && !this.#aborted) return;
    this.#abortAt = abortAt;
    this.#cancelAbort?.();
    this.#cancelAbort = null;
    if (stopTimeoutMs === 0 || this.#aborted) this.#abortAll();
    else this.#cancelAbort = this.#config.clock.after(stopTimeoutMs, () => this.#abortAll());
  }

  #abortAll(): void {
    this.#aborted = true;
    this.#loop.abortAll(new DOMException('The worker stops.', 'AbortError'), this.#abortGraceMs);
    this.#loop.runNow();
    if (this.#abortGraceMs === 0 && !this.#loop.hasEnded) this.#loop.giveBackNow();
  }

  #end(): void {
    this.#cancelAbort?.();
    this.#letProcessEnd?.();
    this.#loop.end();
    this.#setState('stopped');
    this.#idle?.resolve();
    this.#stopped.resolve({ ...this.#stopResult });
  }
}
