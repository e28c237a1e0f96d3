/** AsyncSqliteTransport: the same verbs with promises, on a thread of its own, with group commit. */
import { Worker } from 'node:worker_threads';
import { Emitter } from '../../contract/emitter.ts';
import type * as contract from '../../contract/transport.ts';
import { RpcClient } from '../../rpc/client.ts';
import { threadFileOf } from '../../rpc/thread-file.ts';
import { checkKnown, checkPlainObject } from '../../validate/checks.ts';
import { type EventCodec, eventCodec } from '../../validate/event-codec.ts';
import * as check from '../../validate/transport-arguments.ts';
import { checkPath, KNOWN_OPTIONS, readSettings, type SqliteTransportOptions } from '../transport-options.ts';
import type { ThreadStart, ThreadVerb } from './transport-protocol.ts';

type Lease<Event> = contract.Lease<Event>;

export type AsyncSqliteTransportOptions<Event = unknown> = Omit<
  SqliteTransportOptions<Event> & { path: string },
  'database' | 'clock'
> & {
  /**
   * Where the thread's file is, for an app whose bundler moved it: a path or file URL of the built `transport.thread`.
   * Default: beside this module.
   */
  readonly threadFile?: string | URL;
};

const NOT_ON_A_THREAD = ['database', 'clock'];

/**
 * The queue of SqliteTransport without a moment's wait on this thread: the disk is a worker thread's business.
 *
 * Calls that arrive while one transaction commits go into the next one together; one that fails rejects alone, and a
 * promise resolves only after its commit. Operations take effect in the order in which they were called. If the thread ends
 * unbidden, what was in flight rejects with THREAD_FAILED (it may or may not have been committed), `closed` is emitted
 * with the error, and every later call rejects with CLOSED. Schemas are checked on this thread: an event that does not
 * fit is buried by a second transaction right after the claim.
 */
export class AsyncSqliteTransport<Event = unknown> implements contract.Transport<Event> {
  readonly #codec: EventCodec;
  readonly #emitter = new Emitter<contract.TransportEvents>();
  readonly #thread: RpcClient<ThreadVerb>;
  /** The events that the thread tells of: those that anybody ever listened to. */
  readonly #told = new Set<contract.TransportEventName>();

  /** Starts the thread and returns at once. When the file cannot be opened, every call rejects with the reason. */
  constructor(options: AsyncSqliteTransportOptions<Event>) {
    checkPlainObject('options of AsyncSqliteTransport', options);
    const known = KNOWN_OPTIONS.filter((name) => !NOT_ON_A_THREAD.includes(name));
    checkKnown('options of AsyncSqliteTransport', options, [...known, 'threadFile']);
    const { threadFile, schema, ...rest } = options;
    checkPath(rest.path);
    const { maxEventBytes } = readSettings(schema ? { ...rest, schema } : rest);
    this.#codec = eventCodec(maxEventBytes, schema);
    const workerData: ThreadStart = rest;
    const worker = new Worker(threadFileOf(threadFile, import.meta.url, 'transport.thread'), { workerData });
    this.#thread = new RpcClient(worker, {
      owner: 'transport',
      onEvent: ({ name, detail }) => this.#emitter.emit(name as contract.TransportEventName, detail as never),
      onEnd: (error) => this.#emitter.emit('closed', { error }),
    });
  }

  async publish(groupId: string, event: Event, options: contract.PublishOptions = {}): Promise<number> {
    check.checkPublish(groupId, options);
    return this.#call('publish', groupId, this.#codec.encode(event), options);
  }

  async publishMany(messages: readonly contract.NewMessage<Event>[]): Promise<number[]> {
    check.checkNewMessages(messages);
    const encoded = messages.map((message) => ({ ...message, event: this.#codec.encode(message.event) }));
    return this.#call('publishMany', encoded);
  }

  async claim(
    workerId: string,
    visibilityMs: number,
    options: contract.ClaimOptions = {},
  ): Promise<Lease<Event> | null> {
    return (await this.claimMany(workerId, visibilityMs, 1, options))[0] ?? null;
  }

  async claimMany(
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimOptions = {},
  ): Promise<Lease<Event>[]> {
    check.checkClaim(workerId, visibilityMs, options);
    check.checkLimit(limit, 1);
    return this.#decoded(
      await this.#call<Lease<string>[]>('claimMany', workerId, visibilityMs, limit, options),
      () => this.claimMany(workerId, visibilityMs, limit, options),
    );
  }

  async ack(lease: Lease<Event>): Promise<void> {
    check.checkLease(lease);
    return this.#call('ack', bare(lease));
  }

  async nack(lease: Lease<Event>, delayMs = 0, options: contract.NackOptions = {}): Promise<void> {
    check.checkLease(lease);
    check.checkNack(delayMs, options);
    return this.#call('nack', bare(lease), delayMs, options);
  }

  async extend(lease: Lease<Event>, visibilityMs: number): Promise<Lease<Event>> {
    check.checkLease(lease);
    check.checkVisibility(visibilityMs);
    const extended = await this.#call<Lease<null>>('extend', bare(lease), visibilityMs);
    return { ...extended, event: lease.event };
  }

  async bury(lease: Lease<Event>, options: contract.BuryOptions = {}): Promise<void> {
    check.checkLease(lease);
    check.checkBury(options);
    return this.#call('bury', bare(lease), options);
  }

  async ackAndClaim(
    lease: Lease<Event>,
    visibilityMs: number,
    options: contract.ClaimOptions = {},
  ): Promise<Lease<Event> | null> {
    check.checkLease(lease);
    check.checkClaim(lease.workerId, visibilityMs, options);
    const claimed = await this.#call<Lease<string> | null>('ackAndClaim', bare(lease), visibilityMs, options);
    if (!claimed) return null;
    const again = () => this.claimMany(lease.workerId, visibilityMs, 1, options);
    return (await this.#decoded([claimed], again))[0] ?? null;
  }

  async ackAndClaimMany(
    leases: readonly Lease<Event>[],
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimOptions = {},
  ): Promise<contract.AckedAndClaimed<Event>> {
    check.checkLeases(leases);
    check.checkClaim(workerId, visibilityMs, options);
    check.checkLimit(limit, 0);
    const { claimed, lost } = await this.#call<contract.AckedAndClaimed<string>>(
      'ackAndClaimMany',
      leases.map(bare),
      workerId,
      visibilityMs,
      limit,
      options,
    );
    return {
      claimed: await this.#decoded(claimed, () => this.claimMany(workerId, visibilityMs, limit, options)),
      lost: originalsOf(lost, leases),
    };
  }

  async deadLetters(options: { afterSeq?: number; limit?: number } = {}): Promise<contract.DeadLetter[]> {
    check.checkDeadLetters(options);
    return this.#call('deadLetters', options);
  }

  async republish(deadSeq: number): Promise<number> {
    check.checkSeq(deadSeq);
    return this.#call('republish', deadSeq);
  }

  async nextExpiry(options: contract.ClaimOptions = {}): Promise<number | null> {
    check.checkClaimOptions(options);
    return this.#call('nextExpiry', options);
  }

  async holders(): Promise<contract.Holder[]> {
    return this.#call('holders');
  }

  async release(workerIds: readonly string[]): Promise<number> {
    check.checkWorkerIds(workerIds);
    return this.#call('release', workerIds);
  }

  async dataVersion(): Promise<number> {
    return this.#call('dataVersion');
  }

  on<Name extends contract.TransportEventName>(name: Name, listener: contract.TransportListener<Name>): void {
    if (name !== 'closed' && !this.#told.has(name)) {
      this.#told.add(name);
      this.#thread.subscribe(name);
    }
    this.#emitter.on(name, listener);
  }

  off<Name extends contract.TransportEventName>(
    name: Name,
    listener: contract.TransportListener<Name>,
  ): void {
    this.#emitter.off(name, listener);
  }

  /** Idempotent; resolves once everything accepted before is done and the thread has ended. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #call<T>(verb: ThreadVerb, ...args: readonly unknown[]): Promise<T> {
    return this.#thread.call(verb, args);
  }

  /** Claims `again` where nothing but events that do not fit the schema came back: something may still be waiting. */
  async #decoded(leases: Lease<string>[], again: () => Promise<Lease<Event>[]>): Promise<Lease<Event>[]> {
    const sound: Lease<Event>[] = [];
    const misfits: Promise<void>[] = [];
    for (const lease of leases) {
      const decoded = this.#codec.decode(lease.event);
      if ('event' in decoded) sound.push({ ...lease, event: decoded.event as Event });
      else misfits.push(this.#call('bury', bare(lease), { error: decoded.reason }));
    }
    const [failed] = (await Promise.allSettled(misfits)).filter(({ status }) => status === 'rejected');
    if (sound.length > 0 || leases.length === 0) return sound;
    // Without that, a misfit that cannot be buried would be claimed over and over.
    if (failed?.status === 'rejected') throw failed.reason;
    return again();
  }
}

/** What of a lease must cross to settle it: not its event, nor what its holder may have hung on it. */
function bare({
  seq,
  groupId,
  workerId,
  expiresAt,
  attempt,
  delivery,
  publishedAt,
  lastError,
}: Lease<unknown>): Lease<null> {
  return { seq, groupId, event: null, workerId, expiresAt, attempt, delivery, publishedAt, lastError };
}

/** The leases that these copies are of. Of one that was given twice the later was lost, so the search begins at the end. */
function originalsOf<Event>(
  copies: readonly Lease<unknown>[],
  leases: readonly Lease<Event>[],
): Lease<Event>[] {
  const left = [...copies];
  const found = leases.toReversed().filter((lease) => {
    const place = left.findIndex(
      (copy) =>
        copy.seq === lease.seq && copy.delivery === lease.delivery && copy.expiresAt === lease.expiresAt,
    );
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
  return found.reverse();
}
