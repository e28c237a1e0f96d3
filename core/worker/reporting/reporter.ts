/** What the worker tells: each happening once, as an event, in the counts, and to the logger. */
import type { Clock } from '../../contract/clock.ts';
import { Emitter } from '../../contract/emitter.ts';
import type { Logger, WorkerEvents, WorkerState } from '../contract/worker-types.ts';
import type { Run } from '../executions/execution.ts';
import { Throughput } from './throughput.ts';

type Level = keyof Logger;
type RunFacts = Pick<Run<unknown>, 'ref' | 'tookMs' | 'progress' | 'note' | 'reason'>;

export class Reporter {
  readonly events = new Emitter<WorkerEvents>();
  readonly throughput = new Throughput();
  readonly #clock: Clock;
  readonly #logger: Logger | null;
  readonly #workerId: string;

  constructor(clock: Clock, logger: Logger | null, workerId: string) {
    this.#clock = clock;
    this.#logger = logger;
    this.#workerId = workerId;
  }

  state(state: WorkerState): void {
    this.events.emit('state', { state });
    this.#log('debug', {}, `worker ${state}`);
  }

  deadWorkersReleased(workerIds: readonly string[], messages: number): void {
    this.events.emit('dead-workers-released', { workerIds, messages });
    this.#log('info', { workerIds, messages }, 'gave back what dead workers held');
  }

  started(run: RunFacts): void {
    if (this.events.has('started')) this.events.emit('started', run.ref);
  }

  progressed(run: RunFacts): void {
    if (this.events.has('progress'))
      this.events.emit('progress', { ...run.ref, fraction: run.progress ?? 0, note: run.note });
  }

  completed(run: RunFacts): void {
    this.throughput.count('completed', this.#clock.now());
    if (this.events.has('completed')) this.events.emit('completed', { ...run.ref, tookMs: run.tookMs });
    if (this.#logger) this.#log('debug', { ...run.ref, tookMs: run.tookMs }, 'message done');
  }

  failed(run: RunFacts, error: unknown, delayMs: number): void {
    const now = this.#clock.now();
    this.throughput.count('failed', now);
    this.events.emit('failed', { ...run.ref, error, retryAt: now + delayMs });
    this.#log('warn', { ...run.ref, retryMs: delayMs, err: error }, 'message failed, to be tried again');
  }

  parked(run: RunFacts, delayMs: number, reason: string | null): void {
    const now = this.#clock.now();
    this.throughput.count('parked', now);
    this.events.emit('parked', { ...run.ref, reason, until: now + delayMs });
    this.#log('debug', { ...run.ref, delayMs, reason }, 'message parked');
  }

  buried(run: RunFacts, error: unknown): void {
    this.throughput.count('buried', this.#clock.now());
    this.events.emit('buried', { ...run.ref, error });
    this.#log('error', { ...run.ref, err: error }, 'message buried');
  }

  released(run: RunFacts): void {
    this.events.emit('released', run.ref);
    this.#log('debug', run.ref, 'message given back');
  }

  leaseLost(run: RunFacts, error: Error): void {
    this.throughput.count('leaseLost', this.#clock.now());
    this.events.emit('lease-lost', { ...run.ref, error });
    this.#log('warn', { ...run.ref, err: error }, 'lease lost, the result is dropped');
  }

  abandoned(run: RunFacts): void {
    this.events.emit('abandoned', run.ref);
    this.#log('warn', { ...run.ref, err: run.reason }, 'handler ignored its signal and was given up');
  }

  settledLate(run: RunFacts, failed: boolean): void {
    this.events.emit('settled-late', { ...run.ref, failed });
    this.#log('warn', { ...run.ref, failed }, 'a given-up handler settled; its result is dropped');
  }

  clockJumped(gapMs: number): void {
    this.events.emit('clock-jumped', { gapMs });
    this.#log('info', { gapMs }, 'the computer slept or its clock was set: leases are renewed first');
  }

  transportError(error: unknown, retryMs: number | null): void {
    const retryAt = retryMs === null ? null : this.#clock.now() + retryMs;
    this.events.emit('transport-error', { error, retryAt });
    const then = retryMs === null ? 'the worker has stopped' : 'the worker tries again';
    this.#log('error', { err: error, retryMs }, `the queue could not be used; ${then}`);
  }

  /** What a caller's own function threw where the worker can go on without it. */
  misbehaved(what: string, error: unknown): void {
    this.#log('error', { err: error }, `${what} threw`);
  }

  #log(level: Level, facts: object, message: string): void {
    if (!this.#logger) return;
    try {
      // As a method: pino needs its `this`.
      this.#logger[level]({ workerId: this.#workerId, ...facts }, message);
    } catch (error) {
      // A logger that throws must not fail the message it was told of; the error still surfaces, like a listener's.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
