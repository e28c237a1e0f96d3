/** Reports what the worker does: each happening once, as an event, in the counts, and to the logger. */
import type { Clock } from '../../contract/clock.ts';
import { Emitter } from '../../contract/emitter.ts';
import { membersOf } from '../../validate/checks.ts';
import type { Logger, MessageRef, WorkerEvents, WorkerState } from '../contract/worker-types.ts';
import { Throughput } from './throughput.ts';

type Level = keyof Logger;

export const WORKER_EVENTS = membersOf<keyof WorkerEvents>({
  state: true,
  'dead-workers-released': true,
  started: true,
  progress: true,
  completed: true,
  failed: true,
  parked: true,
  buried: true,
  released: true,
  'lease-lost': true,
  abandoned: true,
  'settled-late': true,
  'clock-jumped': true,
  'message-error': true,
  'transport-error': true,
});

/** What a report needs of an execution. `ref` makes an object, so it is read only when something is reported. */
export interface ReportedExecution {
  readonly ref: MessageRef;
  readonly tookMs: number;
  readonly progress: number | null;
  readonly note: string | null;
}

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
    this.#log('info', { workerIds, messages }, 'messages of dead workers released');
  }

  startFailed(error: unknown): void {
    this.#log('error', { err: error }, 'the queue could not be used at the start; the worker tries to claim');
  }

  releaseFailed(error: unknown): void {
    this.#log('error', { err: error }, 'messages could not be released at once');
  }

  started(execution: ReportedExecution): void {
    if (this.events.has('started')) this.events.emit('started', execution.ref);
  }

  progressed(execution: ReportedExecution): void {
    const { progress, note } = execution;
    if (this.events.has('progress'))
      this.events.emit('progress', { ...execution.ref, fraction: progress ?? 0, note });
  }

  completed(execution: ReportedExecution): void {
    const { tookMs } = execution;
    this.throughput.count('completed', this.#clock.now());
    if (this.events.has('completed')) this.events.emit('completed', { ...execution.ref, tookMs });
    if (this.#logger) this.#log('debug', { ...execution.ref, tookMs }, 'message completed');
  }

  failed({ ref }: ReportedExecution, error: unknown, delayMs: number): void {
    const now = this.#clock.now();
    this.throughput.count('failed', now);
    this.events.emit('failed', { ...ref, error, retryAt: now + delayMs });
    this.#log('warn', { ...ref, retryMs: delayMs, err: error }, 'message failed, to be retried');
  }

  parked({ ref }: ReportedExecution, delayMs: number, reason: string | null): void {
    const now = this.#clock.now();
    this.throughput.count('parked', now);
    this.events.emit('parked', { ...ref, reason, until: now + delayMs });
    this.#log('debug', { ...ref, delayMs, reason }, 'message parked');
  }

  buried({ ref }: ReportedExecution, error: unknown): void {
    this.throughput.count('buried', this.#clock.now());
    this.events.emit('buried', { ...ref, error });
    this.#log('error', { ...ref, err: error }, 'message buried');
  }

  released({ ref }: ReportedExecution): void {
    this.events.emit('released', ref);
    this.#log('debug', ref, 'message released');
  }

  leaseLost({ ref }: ReportedExecution, error: Error): void {
    this.throughput.count('leaseLost', this.#clock.now());
    this.events.emit('lease-lost', { ...ref, error });
    this.#log('warn', { ...ref, err: error }, 'lease lost, the result is discarded');
  }

  abandoned({ ref }: ReportedExecution, reason: Error): void {
    this.events.emit('abandoned', ref);
    this.#log('warn', { ...ref, err: reason }, 'handler abandoned: it ignored its signal');
  }

  settledLate({ ref }: ReportedExecution, failed: boolean): void {
    this.events.emit('settled-late', { ...ref, failed });
    this.#log('warn', { ...ref, failed }, 'an abandoned handler settled, its result is discarded');
  }

  clockJumped(gapMs: number): void {
    this.events.emit('clock-jumped', { gapMs });
    this.#log('info', { gapMs }, 'the computer slept or its clock was set forward: leases are renewed first');
  }

  /** `retryMs`: null when it is not tried again. */
  messageError({ ref }: ReportedExecution, error: unknown, retryMs: number | null): void {
    const retryAt = retryMs === null ? null : this.#clock.now() + retryMs;
    this.events.emit('message-error', { ...ref, error, retryAt });
    this.#log(
      'error',
      { ...ref, err: error, retryMs },
      'a message cannot be settled or renewed; all others go on',
    );
  }

  /** `retryMs`: null when the worker does not try again. `isFirst`: it worked the last time that it was used. */
  transportError(error: unknown, retryMs: number | null, isFirst = true): void {
    const retryAt = retryMs === null ? null : this.#clock.now() + retryMs;
    this.events.emit('transport-error', { error, retryAt });
    const then = retryMs === null ? 'the worker stops' : 'the worker tries again';
    // A trouble that lasts for a night is not a line a second.
    const level = isFirst || retryMs === null ? 'error' : 'debug';
    this.#log(level, { err: error, retryMs }, `the queue could not be used; ${then}`);
  }

  transportRecovered(): void {
    this.#log('info', {}, 'the queue can be used again');
  }

  /** A function of the caller threw where the worker can go on without its answer. */
  callbackThrew(what: string, error: unknown): void {
    this.#log('error', { err: error }, `${what} threw`);
  }

  #log(level: Level, facts: object, message: string): void {
    if (!this.#logger) return;
    try {
      // Called as a method: pino needs its `this`.
      this.#logger[level]({ workerId: this.#workerId, ...facts }, message);
    } catch (error) {
      // A logger that throws must not fail the message it reports on. The error still surfaces, like a listener's.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
