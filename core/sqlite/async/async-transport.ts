/** AsyncSqliteTransport: checks arguments and encodes events; its thread does the rest. */
import { Emitter } from '../../contract/emitter.ts';
import { BadArgument } from '../../contract/errors.ts';
import type { Compacted, Purged, Retention } from '../../contract/retention.ts';
import type * as contract from '../../contract/transport.ts';
import { RpcClient } from '../../rpc/client.ts';
import { startThread, threadFileOf } from '../../rpc/thread-file.ts';
import { type FieldChecks, readFields, unchecked } from '../../validate/checks.ts';
import { type EventCodec, eventCodec } from '../../validate/event-codec.ts';
import { readPurgeLimit, readRetention } from '../../validate/retention-arguments.ts';
import * as check from '../../validate/transport-arguments.ts';
import { backup } from '../backup/backup.ts';
import type { BackupOrder } from '../backup/carry-out.ts';
import { absolutePath } from '../file/absolute-path.ts';
import { fromStartError, startFor } from '../file/system-errors.ts';
import { type TransportCalls, toPublication } from '../transport-calls.ts';
import {
  checkPath,
  checkTarget,
  readSettings,
  type SqliteTransportOptions,
  TRANSPORT_OPTIONS,
} from '../transport-options.ts';
import { originalsOf, withoutEvent } from './crossing-leases.ts';
import { ReceivedLeases } from './received-leases.ts';
import type { ThreadMethod, ThreadOptions } from './transport-protocol.ts';

type Lease<E> = contract.Lease<E>;

export type AsyncSqliteTransportOptions<E = unknown> = Omit<
  SqliteTransportOptions<E> & { path: string },
  'database' | 'clock'
> & {
  /**
   * The built `transport.thread` file, as a path or file URL, for an app whose bundler moves it. Default: the file beside
   * this module.
   */
  readonly threadFile?: string | URL;
};

/** How long a process that ends may block. */
const RELEASE_NOW_MS = 2000;

const { database: _database, clock: _clock, ...ON_A_THREAD } = TRANSPORT_OPTIONS;

const OPTIONS: FieldChecks<AsyncSqliteTransportOptions> = {
  ...ON_A_THREAD,
  // threadFileOf checks it.
  threadFile: unchecked,
};

/**
 * The queue of SqliteTransport on a worker thread, so that the calling thread never waits for the disk.
 *
 * Calls take effect in the order in which they were made. Calls that arrive while a transaction commits share the next one;
 * a promise resolves after its commit, and a call that fails rejects alone. The schema runs on the calling thread, so a
 * claimed event that does not fit is buried in a transaction of its own, which waits for locks anew.
 *
 * When the file cannot be opened, every call rejects with the reason, such as CANNOT_OPEN. When the thread ends by itself,
 * calls in progress reject with THREAD_FAILED (they may or may not have been committed), and later calls with CLOSED. Both
 * emit `closed` with the error. An idle transport does not keep the process alive.
 */
export class AsyncSqliteTransport<E = unknown> implements contract.Transport<E> {
  readonly isReadonly: boolean;
  readonly #codec: EventCodec;
  readonly #source: Pick<BackupOrder, 'source' | 'fileMode'>;
  readonly #emitter = new Emitter<contract.TransportEvents>();
  readonly #thread: RpcClient<ThreadMethod>;
  readonly #received: ReceivedLeases<E>;
  /** Every event that was ever listened to: the thread sends these. */
  readonly #subscribed = new Set<contract.TransportEventName>();

  /**
   * Starts the thread, and returns before the file is open. Raises BAD_ARGUMENT, and CANNOT_OPEN when the system can start
   * no more threads.
   */
  constructor(options: AsyncSqliteTransportOptions<E>) {
    const { threadFile, schema, ...rest } = readFields<AsyncSqliteTransportOptions<E>>(
      'options of AsyncSqliteTransport',
      options,
      OPTIONS,
    );
    checkPath(rest.path);
    const { maxEventBytes, fileMode, readonly } = readSettings(
      schema === undefined ? rest : { ...rest, schema },
    );
    this.isReadonly = readonly;
    this.#codec = eventCodec(maxEventBytes, schema);
    this.#received = new ReceivedLeases(this.#codec.decode, (lease, options) =>
      this.#call('bury', withoutEvent(lease), options),
    );
    const path = absolutePath(rest.path);
    this.#source = { source: path, fileMode };
    const workerData: ThreadOptions = { ...rest, path };
    const file = threadFileOf(threadFile, import.meta.url, 'transport.thread');
    const worker = startFor(path, () => startThread(file, { workerData }));
    this.#thread = new RpcClient(worker, {
      owner: 'transport',
      startError: (why) => fromStartError(why, path),
      onEvent: ({ name, detail }) => this.#emitter.emit(name as contract.TransportEventName, detail as never),
      onEnd: (error) => this.#emitter.emit('closed', { error }),
    });
  }

  async publish(groupId: string, event: E, options: contract.PublishOptions = {}): Promise<number> {
    const given = check.readPublish(groupId, options);
    return this.#call('publish', toPublication(this.#codec, groupId, event, given));
  }

  async publishMany(messages: readonly contract.NewMessage<E>[]): Promise<number[]> {
    const publications = check
      .readNewMessages(messages)
      .map((message) => toPublication(this.#codec, message.groupId, message.event, message));
    return this.#call('publishMany', publications);
  }

  async claim(
    workerId: string,
    visibilityMs: number,
    options: contract.ClaimOptions = {},
  ): Promise<Lease<E> | null> {
    return (await this.claimMany(workerId, visibilityMs, 1, options))[0] ?? null;
  }

  async claimMany(
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimManyOptions = {},
  ): Promise<Lease<E>[]> {
    const given = check.readClaimMany(workerId, visibilityMs, options);
    check.checkLimit(limit, 1);
    return this.#received.decoded(await this.#call('claimMany', workerId, visibilityMs, limit, given), () =>
      this.claimMany(workerId, visibilityMs, limit, given),
    );
  }

  async ack(lease: Lease<E>): Promise<void> {
    return this.#call('ack', withoutEvent(check.readLease(lease)));
  }

  async nack(lease: Lease<E>, delayMs = 0, options: contract.NackOptions = {}): Promise<void> {
    const given = check.readLease(lease);
    return this.#call('nack', withoutEvent(given), delayMs, check.readNack(delayMs, options));
  }

  async extend(lease: Lease<E>, visibilityMs: number): Promise<Lease<E>> {
    const given = check.readLease(lease);
    check.checkVisibility(visibilityMs);
    const extended = await this.#call('extend', withoutEvent(given), visibilityMs);
    return { ...extended, event: given.event };
  }

  async countAttempt(lease: Lease<E>, counted: boolean): Promise<void> {
    const given = check.readLease(lease);
    check.checkCounted(counted);
    return this.#call('countAttempt', withoutEvent(given), counted);
  }

  async bury(lease: Lease<E>, options: contract.BuryOptions = {}): Promise<void> {
    return this.#call('bury', withoutEvent(check.readLease(lease)), check.readBury(options));
  }

  async ackAndClaim(
    lease: Lease<E>,
    visibilityMs: number,
    options: contract.ClaimOptions = {},
  ): Promise<Lease<E> | null> {
    const given = check.readLease(lease);
    const wanted = check.readClaimMany(given.workerId, visibilityMs, options);
    const claimed = await this.#call('ackAndClaim', withoutEvent(given), visibilityMs, wanted);
    if (!claimed) return null;
    const again = () => this.claimMany(given.workerId, visibilityMs, 1, wanted);
    return (await this.#received.decodedAfterAck([claimed], again))[0] ?? null;
  }

  async ackAndClaimMany(
    leases: readonly Lease<E>[],
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimManyOptions = {},
  ): Promise<contract.AckedAndClaimed<E>> {
    const own = check.readLeases(leases);
    const given = own.map((lease) => withoutEvent(check.readLease(lease)));
    const wanted = check.readClaimMany(workerId, visibilityMs, options);
    check.checkLimit(limit, 0);
    const { claimed, lost } = await this.#call(
      'ackAndClaimMany',
      given,
      workerId,
      visibilityMs,
      limit,
      wanted,
    );
    const sent = originalsOf(lost, given);
    return {
      claimed: await this.#received.decodedAfterAck(claimed, () =>
        this.claimMany(workerId, visibilityMs, limit, wanted),
      ),
      lost: own.filter((_, place) => sent.includes(given[place] as Lease<null>)),
    };
  }

  async deadLetters(options: { afterId?: number; limit?: number } = {}): Promise<contract.DeadLetter[]> {
    return this.#call('deadLetters', check.readDeadLetters(options));
  }

  async republish(deadId: number): Promise<number> {
    check.checkSeq('id', deadId);
    return this.#call('republish', deadId);
  }

  async nextExpiry(options: contract.ClaimOptions = {}): Promise<number | null> {
    return this.#call('nextExpiry', check.readClaimOptions(options));
  }

  async holders(page: contract.GroupPage = {}): Promise<contract.HoldersPage> {
    return this.#call('holders', check.readGroupPage(page));
  }

  async release(workerIds: readonly string[], page: contract.GroupPage = {}): Promise<contract.ReleasedPage> {
    return this.#call('release', check.readWorkerIds(workerIds), check.readGroupPage(page));
  }

  /**
   * Removes dead letters and rows of the journal that exceed these limits, the oldest first, at most `limit` of each (1 to
   * 10,000; default 1,000) in one short transaction. Call it again while the result says `hasMore`. The option `retention`
   * does this by itself.
   */
  async purge(retention: Retention, options: { limit?: number } = {}): Promise<Purged> {
    return this.#call('purge', readRetention('retention', retention), readPurgeLimit(options));
  }

  /**
   * Returns the file's unused pages to the disk, and the file's size in bytes before and after. A queue that was large once
   * keeps its size without this. It holds the write lock for as long as it takes to write what remains (about a second for
   * 100 MB), and needs twice that space meanwhile; other writers wait for up to their busyTimeoutMs. Call it when the app is
   * idle. Raises BUSY in a transaction, and READ_ONLY with the option `readonly`.
   */
  async compact(): Promise<Compacted> {
    return this.#call('compact');
  }

  /**
   * Writes a copy of the queue to a new file, while workers go on. Resolves when it is on the disk. The copy has everything that
   * was committed when it began. It is a complete queue, without unused pages, readable by the user of the process only
   * (`fileMode`). What was leased is leased in the copy too, until the lease lapses. Rejects with BAD_ARGUMENT when the path
   * exists, and with DISK_FULL, CANNOT_OPEN, READ_ONLY, CORRUPT or STORAGE; there is no file then.
   */
  async backup(path: string): Promise<void> {
    checkTarget(path);
    const { source } = this.#source;
    if (source === ':memory:')
      throw new BadArgument(
        "The thread's queue in memory cannot be copied. Give the transport the path of a file.",
      );
    const target = absolutePath(path);
    // The thread has opened the file when it answers; a closed transport rejects.
    await this.#call('dataVersion');
    return backup({ ...this.#source, target });
  }

  /**
   * Blocks until the thread has committed all calls made before and then freed what this worker holds, for at most 2 s.
   * Raises BUSY after that.
   */
  releaseNow(workerId: string): number {
    check.checkWorkerId(workerId);
    return this.#thread.callNow('releaseNow', [workerId], RELEASE_NOW_MS);
  }

  async dataVersion(): Promise<number> {
    return this.#call('dataVersion');
  }

  on<Name extends contract.TransportEventName>(name: Name, listener: contract.TransportListener<Name>): void {
    check.checkTransportListener(name, listener);
    if (name !== 'closed' && !this.#subscribed.has(name)) {
      this.#subscribed.add(name);
      this.#thread.subscribe(name);
    }
    this.#emitter.on(name, listener);
  }

  off<Name extends contract.TransportEventName>(
    name: Name,
    listener: contract.TransportListener<Name>,
  ): void {
    check.checkTransportListener(name, listener);
    this.#emitter.off(name, listener);
  }

  /** Idempotent. Resolves when the calls made before are answered, the file is closed and the thread has ended. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #call<Method extends ThreadMethod>(
    method: Method,
    ...args: Parameters<TransportCalls[Method]>
  ): Promise<ReturnType<TransportCalls[Method]>> {
    return this.#thread.call(method, args);
  }
}
