/**
 * Calls every public method with hostile arguments. Each call must work, or raise a LeaseholdError that says what to do; a call
 * that is refused for its arguments writes nothing; and everything can still be closed.
 */
import Database from 'better-sqlite3';
import type { QueueAdmin } from '../../contract/admin.ts';
import type { Lease } from '../../contract/transport.ts';
import {
  AsyncSqliteTransport,
  Bury,
  LeaseholdError,
  openAdmin,
  Park,
  runWorker,
  SqliteTransport,
  type Worker,
} from '../../index.ts';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import type { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { waitFor } from '../../worker/test/support/signals.ts';
import { HostileArguments, type Make } from './hostile-arguments.ts';

export interface HostileCallsOptions {
  readonly folder: TempFolder;
  readonly seed: number;
  readonly calls: number;
  progress?(line: string): void;
}

export interface HostileCallsResult {
  readonly found: readonly string[];
  /** How many calls ended in each way: 'worked', or the code of the error. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The methods that were called, as `admin.groups`. */
  readonly methods: readonly string[];
}

const LIFE_CYCLE_SHARE = 0.07;

/** They are refused for their arguments, so nothing may have been written. */
const REFUSALS = new Set(['BAD_ARGUMENT', 'BAD_EVENT', 'EVENT_TOO_LARGE']);

// biome-ignore lint/suspicious/noExplicitAny: the calls violate the types, as callers in JavaScript can
type Loose = any;

export async function runHostileCalls(options: HostileCallsOptions): Promise<HostileCallsResult> {
  const run = new Run(options);
  try {
    for (let call = 1; call <= options.calls; call++) {
      await run.callOne();
      if (call % 500 === 0) options.progress?.(`${call} calls`);
    }
  } finally {
    await run.end();
  }
  return run.result;
}

class Run {
  readonly #path: string;
  readonly #args: HostileArguments;
  readonly #found: string[] = [];
  readonly #outcomes: Record<string, number> = {};
  readonly #methods = new Set<string>();
  readonly #observer: Database.Database;
  readonly #leases: Lease[] = [];
  #sync: SqliteTransport;
  #async: AsyncSqliteTransport;
  #admin: QueueAdmin;
  readonly #workersQueue: SqliteTransport;
  #worker: Worker;

  constructor({ folder, seed }: HostileCallsOptions) {
    this.#path = folder.file();
    this.#args = new HostileArguments(randomFrom(seed));
    this.#sync = this.#openSync();
    this.#async = this.#openAsync();
    this.#admin = openAdmin({ path: this.#path });
    this.#workersQueue = new SqliteTransport({ path: folder.file('worker.db'), durability: 'normal' });
    this.#worker = this.#startWorker();
    this.#observer = new Database(this.#path, { readonly: true });
  }

  get result(): HostileCallsResult {
    return { found: this.#found, outcomes: this.#outcomes, methods: [...this.#methods].sort() };
  }

  async callOne(): Promise<void> {
    // Threads take long to start.
    const calls = this.#args.chance(LIFE_CYCLE_SHARE) ? this.#lifeCycle() : this.#calls();
    const name = this.#args.pick(Object.keys(calls));
    this.#methods.add(name);
    this.#sync.publish('fill', 1);
    if (this.#leases.length < 5) this.#leases.push(...this.#sync.claimMany('w', 60_000, 5));
    const before = this.#version();
    let outcome = 'worked';
    try {
      const value = await waitFor(`an answer of ${name}`, Promise.resolve(calls[name]?.()), 60_000);
      if (name.endsWith('.claimMany')) this.#leases.push(...(value as Lease[]));
    } catch (error) {
      outcome = this.#judge(name, error);
    }
    if (REFUSALS.has(outcome) && this.#version() !== before)
      this.#found.push(`${name} raised ${outcome}, and wrote`);
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
    if (this.#leases.length > 50) this.#leases.splice(0, 25);
  }

  async end(): Promise<void> {
    this.#observer.close();
    await waitFor('the worker to stop', this.#worker.stop({ stopTimeoutMs: 0 }));
    this.#workersQueue.close();
    this.#sync.close();
    await waitFor('the asynchronous transport to close', this.#async.close());
    await waitFor('the admin to close', this.#admin.close());
  }

  #version(): number {
    return this.#observer.pragma('data_version', { simple: true }) as number;
  }

  #judge(name: string, error: unknown): string {
    if (!(error instanceof LeaseholdError)) {
      this.#found.push(`${name} raised ${error instanceof Error ? error.stack : String(error)}`);
      return 'other';
    }
    const { code, message } = error;
    if (code === 'UNEXPECTED' || code === 'STORAGE' || code === 'THREAD_FAILED' || code === 'CORRUPT')
      this.#found.push(`${name} raised ${code}: ${message}`);
    // A reason and a remedy are a sentence at least.
    if (message.length < 20 || message.length > 4000)
      this.#found.push(`${name} raised ${code} with a message of ${message.length} characters`);
    return code;
  }

  /** Every public method, with arguments of which some are right. */
  #calls(): Record<string, () => unknown> {
    const calls: Record<string, () => unknown> = {};
    for (const [owner, target] of [
      ['SqliteTransport', this.#sync],
      ['AsyncSqliteTransport', this.#async],
    ] as const)
      Object.assign(calls, this.#callsOf(owner, target, this.#transportArguments()));
    Object.assign(calls, this.#callsOf('admin', this.#admin, this.#adminArguments()));
    Object.assign(calls, this.#callsOf('worker', this.#worker, this.#workerArguments()));
    return calls;
  }

  /** A method without arguments of its own in the table gets hostile ones alone; no text, which could be a path. */
  #callsOf(owner: string, target: object, known: Readonly<Record<string, () => unknown[]>>) {
    const calls: Record<string, () => unknown> = {};
    for (const method of methodsOf(target)) {
      if (method === 'close' || method === 'stop') continue;
      const makeArguments = known[method] ?? (() => [this.#notA('string'), this.#notA('string')]);
      calls[`${owner}.${method}`] = () => (target as Loose)[method](...makeArguments());
    }
    for (const [name, makeArguments] of Object.entries(known))
      if (name.endsWith('='))
        calls[`${owner}.${name}`] = () => setProperty(target, name.slice(0, -1), makeArguments()[0]);
    return calls;
  }

  readonly #priority: Make = () => this.#args.pick([0, 1, 4]);
  readonly #key: Make = () => this.#args.pick(['k', null]);
  readonly #limit: Make = () => this.#args.pick([1, 3]);
  readonly #ms: Make = () => this.#args.pick([1, 1000, 3_600_000]);
  readonly #groupId: Make = () => this.#args.pick(['g', 'h', '']);
  readonly #event: Make = () => this.#args.pick([1, 'text', { a: [1] }]);
  readonly #lease: Make = () => {
    const lease = this.#args.pick(this.#leases);
    return this.#args.chance(0.3) ? this.#args.object(makersOf(lease), 0.95) : lease;
  };

  #claimOptions(): unknown {
    return this.#args.object({
      minPriority: this.#priority,
      routingKeys: () => this.#args.list(this.#key),
      startNow: this.#limit,
      maxAttempts: this.#limit,
    });
  }

  #transportArguments(): Record<string, () => unknown[]> {
    const { or, list, object, pick } = bound(this.#args);
    const publishOptions = { priority: this.#priority, routingKey: this.#key };
    const lease = () => or(this.#lease);
    const claim = () => [or(() => 'w'), or(this.#ms)];
    return {
      publish: () => [or(this.#groupId), or(this.#event), object(publishOptions)],
      publishMany: () => [
        list(() => object({ groupId: this.#groupId, event: this.#event, ...publishOptions }, 0.9)),
      ],
      claim: () => [...claim(), this.#claimOptions()],
      claimMany: () => [...claim(), or(this.#limit), this.#claimOptions()],
      ack: () => [lease()],
      nack: () => [lease(), or(this.#ms), object({ error: () => 'error', countAttempt: () => true })],
      extend: () => [lease(), or(this.#ms)],
      countAttempt: () => [lease(), or(() => pick([true, false]))],
      bury: () => [lease(), object({ error: () => 'error', countAttempt: () => true })],
      ackAndClaim: () => [lease(), or(this.#ms), this.#claimOptions()],
      ackAndClaimMany: () => [list(this.#lease), ...claim(), or(this.#limit), this.#claimOptions()],
      deadLetters: () => [object({ afterId: this.#limit, limit: this.#limit })],
      republish: () => [or(this.#limit)],
      nextExpiry: () => [this.#claimOptions()],
      holders: () => [object({ after: this.#limit, limit: this.#limit })],
      release: () => [list(() => 'dead'), object({ after: this.#limit, limit: this.#limit })],
      releaseNow: () => [or(() => 'w')],
      purge: () => [this.#retention(), object({ limit: this.#limit })],
      // Only in the folder: a hostile text would be the path of a file somewhere else.
      backup: () => [
        this.#args.chance(0.5)
          ? this.#notA('string')
          : pick([this.#path, `${this.#path}.copy`, `${this.#path}/none`]),
      ],
      // A listener that is a function is accepted, whatever it does when it is called: it must not stay.
      on: () => [or(() => pick(['acked', 'published'])), this.#notA('function')],
      off: () => [or(() => pick(['acked', 'published'])), or(() => () => undefined)],
    };
  }

  #adminArguments(): Record<string, () => unknown[]> {
    const { or, object, pick } = bound(this.#args);
    const window = { offset: () => 0, limit: this.#limit, search: () => 'g', descending: () => true };
    const fence = () =>
      object({ seq: this.#limit, lockedBy: () => null, fence: () => 0, deadId: () => null }, 0.95);
    return {
      groups: () => [object({ ...window, sort: () => pick(['depth', 'groupId']), state: () => 'ready' })],
      messages: () => [
        object({
          ...window,
          sort: () => 'seq',
          groupId: this.#groupId,
          state: () => pick(['dead', 'ready']),
        }),
      ],
      message: () => [or(() => pick<unknown>([1, { deadId: 1 }]))],
      operate: () => [
        object(
          {
            kind: () => pick(['ack', 'nack', 'park', 'republish']),
            fence,
            delayMs: this.#ms,
            eventJson: () => '{"a":1}',
          },
          0.9,
        ),
      ],
      purge: () => [this.#retention()],
      onChange: () => [this.#notA('function')],
    };
  }

  #workerArguments(): Record<string, () => unknown[]> {
    const { or, list, object, pick } = bound(this.#args);
    const names = ['completed', 'failed', 'state', 'none'];
    return {
      configure: () => [
        object({ concurrency: this.#limit, minPriority: this.#priority, routingKeys: () => list(this.#key) }),
      ],
      pause: () => [or(() => 'reason')],
      resume: () => [or(() => 'reason')],
      idle: () => [],
      on: () => [or(() => pick(names)), this.#notA('function')],
      off: () => [or(() => pick(names)), or(() => () => undefined)],
      'concurrency=': () => [or(this.#limit)],
      'minPriority=': () => [or(this.#priority)],
      'routingKeys=': () => [list(this.#key)],
    };
  }

  /** What makes and ends the objects. */
  #lifeCycle(): Record<string, () => unknown> {
    const { or, object, pick } = bound(this.#args);
    const options = {
      durability: () => pick(['full', 'normal']),
      fairness: () => 'longest-waiting-first',
      busyTimeoutMs: this.#ms,
      createSchema: () => true,
      readonly: () => false,
      tablePrefix: () => pick(['harel_transport', 'other']),
      maxEventBytes: this.#ms,
      secureDelete: () => true,
      fileMode: () => 0o600,
      retention: () => this.#retention(),
    };
    const withPath = () => {
      const given = object(options, 0.3);
      return typeof given === 'object' && given !== null && this.#args.chance(0.7)
        ? new Proxy(given, {
            get: (target, name) => (name === 'path' ? this.#path : Reflect.get(target, name)),
            ownKeys: (target) => [...Reflect.ownKeys(target), 'path'],
          })
        : given;
    };
    return {
      'new SqliteTransport': () => new SqliteTransport(withPath() as Loose).close(),
      'new AsyncSqliteTransport': () => new AsyncSqliteTransport(withPath() as Loose).close(),
      openAdmin: () =>
        openAdmin(object({ path: () => this.#path, operator: () => 'o', ...options }, 0.5) as Loose).close(),
      runWorker: () =>
        runWorker(
          this.#workersQueue,
          or(() => object({ handlers: () => ({ a: () => 1 }), kindField: () => 'kind' }, 0.9)) as Loose,
          object({
            app: () => 'app',
            concurrency: this.#limit,
            visibilityMs: this.#ms,
            maxAttempts: this.#limit,
            backoff: () =>
              object({ initialMs: this.#ms, factor: this.#limit, maxMs: this.#ms, jitter: () => 0.5 }),
            timeoutMs: this.#ms,
            maxErrorLength: this.#ms,
            pollMs: this.#ms,
            releaseDeadWorkers: () => true,
          }) as Loose,
        ).stop({ stopTimeoutMs: 0, abortGraceMs: 0 }),
      'runWorker on no transport': () => runWorker(this.#notA('function') as Loose, () => undefined),
      'new Park': () =>
        new Park(object({ delayMs: this.#ms, until: () => new Date(0), reason: () => 'r' }) as Loose),
      'new Bury': () => new Bury(or(() => 'reason') as Loose),
      'worker.stop': async () => {
        await this.#worker.stop(object({ stopTimeoutMs: () => 0, abortGraceMs: () => 0 }, 1) as Loose);
        this.#worker = this.#startWorker();
      },
      'SqliteTransport.close': () => {
        this.#sync.close();
        this.#sync = this.#openSync();
      },
      'AsyncSqliteTransport.close': async () => {
        await this.#async.close();
        this.#async = this.#openAsync();
      },
      'admin.close': async () => {
        await this.#admin.close();
        this.#admin = openAdmin({ path: this.#path });
      },
    };
  }

  #retention(): unknown {
    const limits = () => this.#args.object({ maxAgeMs: this.#ms, maxCount: this.#limit });
    return this.#args.object({ deadLetters: limits, journal: limits });
  }

  #notA(type: 'function' | 'string'): unknown {
    for (;;) {
      const value = this.#args.value();
      if (typeof value !== type) return value;
    }
  }

  #openSync(): SqliteTransport {
    return new SqliteTransport({ path: this.#path, durability: 'normal' });
  }

  #openAsync(): AsyncSqliteTransport {
    return new AsyncSqliteTransport({ path: this.#path, durability: 'normal' });
  }

  #startWorker(): Worker {
    return runWorker(this.#workersQueue, () => undefined, { pollMs: 0 });
  }
}

function methodsOf(target: object): string[] {
  const descriptors = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(target));
  return Object.keys(descriptors).filter(
    (name) => name !== 'constructor' && typeof descriptors[name]?.value === 'function',
  );
}

function setProperty(target: Loose, name: string, value: unknown): void {
  target[name] = value;
}

/** Each field of an object, as it is. */
function makersOf(object: object): Record<string, Make> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, () => value]));
}

/** The methods, to be called without their object. */
function bound(args: HostileArguments): Pick<HostileArguments, 'or' | 'list' | 'object' | 'pick'> {
  return {
    or: (make) => args.or(make),
    list: (make, longest) => args.list(make, longest),
    object: (fields, share) => args.object(fields, share),
    pick: (items) => args.pick(items),
  };
}
