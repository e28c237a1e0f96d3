/**
 * The worker's life: starting, running, paused, stopping, stopped. What it does in between is the loop's.
 *
 * stopping: nothing is claimed; what waits is given back; after the grace the signals fire; after the second grace what
 * still runs is given up and given back. It ends when nothing is held any more.
 */
import type { Transport } from '../contract/transport.ts';
import type { Dispatch } from './contract/dispatch.ts';
import {
  type Configuration,
  checkReason,
  checkSettingNames,
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
import { Loop, type LoopOwner } from './loop.ts';
import { releaseDeadWorkers } from './recovery/release-dead-workers.ts';
import { makeWorkerId } from './recovery/worker-id.ts';
import { Reporter } from './reporting/reporter.ts';

const PAUSED = 'paused';

export class QueueWorker<Event> implements Worker, LoopOwner {
  readonly id: string;
  readonly #transport: Transport<Event>;
  readonly #config: Configuration;
  readonly #reporter: Reporter;
  readonly #loop: Loop<Event>;
  readonly #startedAt: number;
  readonly #pausedFor = new Set<string>();
  readonly #stopped = Promise.withResolvers<StopResult>();
  readonly #result = { released: 0, abandoned: 0 };
  #state: WorkerState = 'starting';
  #idle: PromiseWithResolvers<void> | null = null;
  #abortGraceMs = 0;
  #graceEnds = Number.POSITIVE_INFINITY;
  #cancelGrace: (() => void) | null = null;
  #aborted = false;

  constructor(transport: Transport<Event>, dispatch: Dispatch<Event>, config: Configuration) {
    this.id = makeWorkerId(config.app, config.clock);
    this.#transport = transport;
    this.#config = config;
    this.#startedAt = config.clock.now();
    this.#reporter = new Reporter(config.clock, config.logger, this.id);
    this.#loop = new Loop(transport, dispatch, config, this.#reporter, this.id, this);
    this.on('released', () => this.#count('released'));
    this.on('abandoned', () => this.#count('abandoned'));
    // Later, so that the caller can listen first.
    setImmediate(() => void this.#start());
  }

  get state(): WorkerState {
    return this.#state;
  }

  get claims(): boolean {
    return this.#state === 'running';
  }

  get stopping(): boolean {
    return this.#state === 'stopping';
  }

  get hurrying(): boolean {
    return this.stopping && this.#aborted;
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
    checkSettingNames(settings);
    this.#loop.settings = readSettings(settings, this.#loop.settings);
  }

  pause(reason = PAUSED): void {
    checkReason(reason);
    this.#pausedFor.add(reason);
    if (this.#state !== 'running') return;
    this.#setState('paused');
    this.#loop.runs.giveBackWaiting();
    this.#loop.changed();
  }

  resume(reason = PAUSED): void {
    checkReason(reason);
    this.#pausedFor.delete(reason);
    if (this.#state !== 'paused' || this.#pausedFor.size > 0) return;
    this.#setState('running');
    this.#loop.lookAgain();
  }

  wake(): void {
    this.#loop.renewAll();
  }

  idle(): Promise<void> {
    if (this.#state === 'stopped') return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    this.#loop.lookAgain();
    return this.#idle.promise;
  }

  stop(options?: StopOptions): Promise<StopResult> {
    const { stopTimeoutMs, abortGraceMs } = readStopOptions(options, this.#config);
    if (this.#state === 'stopped') return this.#stopped.promise;
    const first = this.#state !== 'stopping';
    if (first) {
      this.#setState('stopping');
      this.#loop.runs.giveBackWaiting();
    }
    this.#abortGraceMs = first ? abortGraceMs : Math.min(abortGraceMs, this.#abortGraceMs);
    this.#endGraceIn(stopTimeoutMs);
    // A turn from within a handler comes later; any other one is over here.
    this.#loop.turnNow();
    return this.#stopped.promise;
  }

  snapshot(): WorkerSnapshot {
    const { runs, settings } = this.#loop;
    const now = this.#config.clock.now();
    const monotonic = this.#config.clock.monotonic();
    return {
      workerId: this.id,
      state: this.#state,
      pausedFor: [...this.#pausedFor],
      startedAt: this.#startedAt,
      concurrency: settings.concurrency,
      minPriority: settings.minPriority,
      routingKeys: settings.routingKeys ? [...settings.routingKeys] : null,
      running: [...runs.held.values(), ...runs.strays]
        .filter((run) => run.stage === 'running')
        .map((run) => run.describe(now, monotonic)),
      waiting: runs.waiting,
      ...this.#reporter.throughput.report(now),
    };
  }

  on<Name extends keyof WorkerEvents>(name: Name, listener: (detail: WorkerEvents[Name]) => void): void {
    this.#reporter.events.on(name, listener);
  }

  off<Name extends keyof WorkerEvents>(name: Name, listener: (detail: WorkerEvents[Name]) => void): void {
    this.#reporter.events.off(name, listener);
  }

  turned(resting: boolean): void {
    if (this.#state === 'stopping') {
      if (this.#loop.runs.empty) this.#end();
    } else if (resting && this.#loop.runs.empty && this.#state !== 'starting') {
      this.#idle?.resolve();
      this.#idle = null;
    }
  }

  closed(): void {
    this.#end();
  }

  async #start(): Promise<void> {
    if (this.#state !== 'starting') return;
    try {
      await this.#loop.noteVersion();
      if (this.#config.releaseDeadWorkers)
        await releaseDeadWorkers(this.#transport, this.#config.app, this.#reporter);
    } catch (error) {
      // Recovering only saves a wait; if the queue is really unusable, the first claim will tell and try again.
      this.#reporter.misbehaved('recovering at the start', error);
    }
    // It may have been stopped meanwhile.
    if (this.#state !== 'starting') return;
    this.#setState(this.#pausedFor.size > 0 ? 'paused' : 'running');
    this.#loop.lookAgain();
  }

  #count(what: 'released' | 'abandoned'): void {
    if (this.stopping) this.#result[what]++;
  }

  #setState(state: WorkerState): void {
    this.#state = state;
    this.#reporter.state(state);
  }

  #endGraceIn(stopTimeoutMs: number): void {
    const ends = this.#config.clock.monotonic() + stopTimeoutMs;
    if (ends >= this.#graceEnds && !this.#aborted) return;
    this.#graceEnds = ends;
    this.#cancelGrace?.();
    this.#cancelGrace = null;
    if (stopTimeoutMs === 0 || this.#aborted) this.#abortAll();
    else this.#cancelGrace = this.#config.clock.after(stopTimeoutMs, () => this.#abortAll());
  }

  #abortAll(): void {
    this.#aborted = true;
    const { runs } = this.#loop;
    for (const run of [...runs.held.values(), ...runs.strays]) {
      runs.abort(run, 'stop', new DOMException('The worker stops.', 'AbortError'), this.#abortGraceMs);
      if (this.#abortGraceMs === 0) runs.abandon(run);
    }
    this.#loop.turnNow();
  }

  #end(): void {
    if (this.#state === 'stopped') return;
    this.#cancelGrace?.();
    this.#loop.end();
    this.#setState('stopped');
    this.#idle?.resolve();
    this.#stopped.resolve({ ...this.#result });
  }
}
