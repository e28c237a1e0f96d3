/**
 * A transport between a worker and its queue that reports each call, and that can answer late, fail, or hold its answers
 * back. The worker asks for `nextExpiry` exactly when it goes to rest with a free slot: see `untilAtRest`.
 */
import { LeaseholdError } from '../../../contract/errors.ts';
import type { Lease, Transport } from '../../../contract/transport.ts';
import { waitFor } from './signals.ts';

/** When verbs answer: before they return, or with a promise that settles in a later round of the event loop. */
export type TransportKind = 'synchronous' | 'asynchronous';

export type Verb = Exclude<keyof Transport, 'on' | 'off' | 'close' | 'releaseNow' | 'inCallersTransaction'>;

export interface Call {
  readonly verb: Verb;
  readonly args: readonly unknown[];
}

/** A call is made, then committed in the file, then answered. */
type Stage = 'call' | 'commit' | 'answer';

interface Waiter {
  readonly stage: Stage;
  readonly verb: Verb;
  left: number;
  resolve(): void;
}

/** Every verb that writes and that a worker uses. */
export const WRITING_VERBS: readonly Verb[] = [
  'claimMany',
  'ackAndClaimMany',
  'nack',
  'bury',
  'extend',
  'countAttempt',
];

export class TransportSpy<Event> {
  readonly transport: Transport<Event>;
  /** Every call so far, in order. A test may empty it. */
  readonly calls: Call[] = [];
  /** Runs before each call is passed on. */
  beforeCall: (verb: Verb) => void = () => {};
  readonly #kind: TransportKind;
  readonly #waiters = new Set<Waiter>();
  readonly #failing = new Map<Verb, Error>();
  readonly #failingGroups = new Map<string, Error>();
  /** Calls that are not passed on yet, in order. */
  readonly #unpassed = new Set<() => void>();
  readonly #held = new Map<Verb, Promise<void>>();

  constructor(target: Transport<Event>, kind: TransportKind) {
    this.#kind = kind;
    this.transport = new Proxy(target, {
      get: (_target, name) => {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (name === 'on' || name === 'off' || name === 'close') return method.bind(target);
        if (name === 'releaseNow')
          return (workerId: string) => {
            this.#passAll();
            return method.call(target, workerId);
          };
        return (...args: unknown[]) => this.#call(name as Verb, args, () => method.apply(target, args));
      },
    });
  }

  /** The names of the calls so far. */
  get verbs(): Verb[] {
    return this.calls.map(({ verb }) => verb);
  }

  /** Resolves with the next call of this verb; an asynchronous transport has done nothing yet. */
  untilCalled(verb: Verb): Promise<void> {
    return this.#wait({ stage: 'call', verb, left: 1 });
  }

  /** Resolves when the next call of this verb has been done in the file; its answer is still pending. */
  untilCommitted(verb: Verb): Promise<void> {
    return this.#wait({ stage: 'commit', verb, left: 1 });
  }

  /** Resolves when this verb has answered `count` more times and the worker has processed the answers. */
  untilAnswered(verb: Verb, count = 1): Promise<void> {
    return this.#wait({ stage: 'answer', verb, left: count });
  }

  /** Resolves the next time a worker with a free slot has nothing left to do until something happens. */
  untilAtRest(): Promise<void> {
    return this.untilAnswered('nextExpiry');
  }

  /** From now on these verbs fail, until `recover`. */
  fail(verbs: readonly Verb[], error: Error = new LeaseholdError('BUSY', 'Another writer holds the file.')) {
    for (const verb of verbs) this.#failing.set(verb, error);
  }

  /** From now on every call with a lease of this group fails, until `recover`. */
  failGroup(groupId: string, error: Error): void {
    this.#failingGroups.set(groupId, error);
  }

  recover(): void {
    this.#failing.clear();
    this.#failingGroups.clear();
  }

  /** From now on the answers of these verbs are held back after the commit, until the returned function is called. */
  holdAnswers(verbs: readonly Verb[]): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const verb of verbs) this.#held.set(verb, promise);
    return () => {
      for (const verb of verbs) this.#held.delete(verb);
      resolve();
    };
  }

  #call(verb: Verb, args: readonly unknown[], pass: () => unknown): unknown {
    const call = { verb, args };
    this.calls.push(call);
    this.#signal('call', verb);
    if (this.#kind === 'synchronous') return this.#answerNow(call, pass);
    return this.#answerLater(call, pass);
  }

  #answerNow(call: Call, pass: () => unknown): unknown {
    const { verb } = call;
    try {
      return this.#pass(call, pass);
    } finally {
      // Whoever waits continues in a microtask, after the caller has used the answer.
      this.#signal('answer', verb);
    }
  }

  async #answerLater(call: Call, pass: () => unknown): Promise<unknown> {
    const { verb } = call;
    try {
      return await this.#passLater(() => this.#pass(call, pass));
    } finally {
      const held = this.#held.get(verb);
      if (held !== undefined) {
        await held;
        await latency();
      }
      // The caller reacts to the answer in microtasks of this round, and whoever waits continues after it.
      void latency().then(() => this.#signal('answer', verb));
    }
  }

  /** Passes a call on in a later round of the event loop, or before that when a synchronous call must come after it. */
  #passLater(pass: () => unknown): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const run = () => {
      if (!this.#unpassed.delete(run)) return;
      try {
        resolve(pass());
      } catch (error) {
        reject(error);
      }
    };
    this.#unpassed.add(run);
    setImmediate(run);
    return promise;
  }

  #passAll(): void {
    for (const run of [...this.#unpassed]) run();
  }

  #pass({ verb, args }: Call, pass: () => unknown): unknown {
    this.beforeCall(verb);
    const error = this.#failing.get(verb) ?? this.#errorOf(args[0]);
    if (error) throw error;
    const answer = pass();
    this.#signal('commit', verb);
    return answer;
  }

  #errorOf(leases: unknown): Error | undefined {
    const groups = [leases].flat().map((lease) => (lease as Partial<Lease> | undefined)?.groupId ?? '');
    const failing = groups.find((group) => this.#failingGroups.has(group));
    return failing === undefined ? undefined : this.#failingGroups.get(failing);
  }

  #wait(waiter: Omit<Waiter, 'resolve'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add({ ...waiter, resolve });
    return waitFor(`${waiter.left} × ${waiter.stage} of the transport's ${waiter.verb}`, promise);
  }

  #signal(stage: Waiter['stage'], verb: Verb): void {
    for (const waiter of this.#waiters) {
      if (waiter.stage !== stage || waiter.verb !== verb || --waiter.left > 0) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }
}

/** An answer of an asynchronous transport arrives in a later round of the event loop, as one from a thread does. */
function latency(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
