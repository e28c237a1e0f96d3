/** SqliteTransport: checks arguments and encodes events; transport-calls.ts and the engine do the rest. */
import type { Compacted, Purged, Retention } from '../contract/retention.ts';
import type * as contract from '../contract/transport.ts';
import { type EventCodec, eventCodec } from '../validate/event-codec.ts';
import { readPurgeLimit, readRetention } from '../validate/retention-arguments.ts';
import * as check from '../validate/transport-arguments.ts';
import { applyRetention } from './apply-retention.ts';
import { Engine } from './engine.ts';
import { makeTransportCalls, type TransportCalls, toPublication } from './transport-calls.ts';
import { checkTarget, readSettings, type SqliteTransportOptions } from './transport-options.ts';

type Lease<E> = contract.Lease<E>;

/**
 * The specification's durable queue in a SQLite file (`{path}`) or on an open better-sqlite3 connection (`{database}`).
 *
 * Each call is synchronous and one transaction (BEGIN IMMEDIATE), or a SAVEPOINT inside a transaction that the caller has
 * open on the given connection. Besides the contract's errors, a call can raise BUSY (another writer held the lock for
 * longer than busyTimeoutMs), READ_ONLY, DISK_FULL, CORRUPT, STORAGE, or FILE_REPLACED (the file is not at its path any more; the
 * transport has closed itself). It has then changed nothing, but see STORAGE. (Specification: all of it but the async twin.)
 */
export class SqliteTransport<E = unknown> implements contract.Transport<E> {
  readonly #codec: EventCodec;
  readonly #engine: Engine;
  readonly #calls: TransportCalls;

  /** Raises BAD_ARGUMENT, CANNOT_OPEN, NOT_A_QUEUE, NEWER_FILE, READ_ONLY, or FILE_REPLACED. */
  constructor(options: SqliteTransportOptions<E>) {
    const settings = readSettings(options);
    this.#codec = eventCodec(settings.maxEventBytes, settings.schema);
    this.#engine = new Engine(settings, this.#codec.decode);
    this.#calls = makeTransportCalls(this.#engine);
    applyRetention(this.#engine, settings);
  }

  get isReadonly(): boolean {
    return this.#engine.isReadonly;
  }

  publish(groupId: string, event: E, options: contract.PublishOptions = {}): number {
    const given = check.readPublish(groupId, options);
    return this.#calls.publish(toPublication(this.#codec, groupId, event, given));
  }

  publishMany(messages: readonly contract.NewMessage<E>[]): number[] {
    const publications = check
      .readNewMessages(messages)
      .map((message) => toPublication(this.#codec, message.groupId, message.event, message));
    return this.#calls.publishMany(publications);
  }

  claim(workerId: string, visibilityMs: number, options: contract.ClaimOptions = {}): Lease<E> | null {
    return this.claimMany(workerId, visibilityMs, 1, options)[0] ?? null;
  }

  claimMany(
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimManyOptions = {},
  ): Lease<E>[] {
    const given = check.readClaimMany(workerId, visibilityMs, options);
    check.checkLimit(limit, 1);
    return this.#calls.claimMany(workerId, visibilityMs, limit, given) as Lease<E>[];
  }

  ack(lease: Lease<E>): void {
    this.#calls.ack(check.readLease(lease));
  }

  nack(lease: Lease<E>, delayMs = 0, options: contract.NackOptions = {}): void {
    this.#calls.nack(check.readLease(lease), delayMs, check.readNack(delayMs, options));
  }

  extend(lease: Lease<E>, visibilityMs: number): Lease<E> {
    const given = check.readLease(lease);
    check.checkVisibility(visibilityMs);
    return this.#calls.extend(given, visibilityMs) as Lease<E>;
  }

  countAttempt(lease: Lease<E>, counted: boolean): void {
    const given = check.readLease(lease);
    check.checkCounted(counted);
    this.#calls.countAttempt(given, counted);
  }

  bury(lease: Lease<E>, options: contract.BuryOptions = {}): void {
    this.#calls.bury(check.readLease(lease), check.readBury(options));
  }

  ackAndClaim(lease: Lease<E>, visibilityMs: number, options: contract.ClaimOptions = {}): Lease<E> | null {
    const given = check.readLease(lease);
    const wanted = check.readClaimMany(given.workerId, visibilityMs, options);
    return this.#calls.ackAndClaim(given, visibilityMs, wanted) as Lease<E> | null;
  }

  ackAndClaimMany(
    leases: readonly Lease<E>[],
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimManyOptions = {},
  ): contract.AckedAndClaimed<E> {
    const own = check.readLeases(leases);
    const given = own.map(check.readLease);
    const wanted = check.readClaimMany(workerId, visibilityMs, options);
    check.checkLimit(limit, 0);
    const { claimed, lost } = this.#calls.ackAndClaimMany(given, workerId, visibilityMs, limit, wanted);
    const isLost = (_lease: Lease<E>, place: number) => lost.includes(given[place] as Lease<E>);
    return { claimed: claimed as Lease<E>[], lost: lost.length === 0 ? [] : own.filter(isLost) };
  }

  deadLetters(options: { afterId?: number; limit?: number } = {}): contract.DeadLetter[] {
    return this.#calls.deadLetters(check.readDeadLetters(options));
  }

  republish(deadId: number): number {
    check.checkSeq('id', deadId);
    return this.#calls.republish(deadId);
  }

  nextExpiry(options: contract.ClaimOptions = {}): number | null {
    return this.#calls.nextExpiry(check.readClaimOptions(options));
  }

  holders(page: contract.GroupPage = {}): contract.HoldersPage {
    return this.#calls.holders(check.readGroupPage(page));
  }

  release(workerIds: readonly string[], page: contract.GroupPage = {}): contract.ReleasedPage {
    return this.#calls.release(check.readWorkerIds(workerIds), check.readGroupPage(page));
  }

  releaseNow(workerId: string): number {
    check.checkWorkerId(workerId);
    return this.#calls.releaseNow(workerId);
  }

  get inCallersTransaction(): boolean {
    return this.#engine.inTransaction;
  }

  /**
   * Removes dead letters and rows of the journal that exceed these limits, the oldest first, at most `limit` of each (1 to
   * 10,000; default 1,000) in one short transaction. Call it again while the result says `hasMore`. The option `retention`
   * does this by itself.
   */
  purge(retention: Retention, options: { limit?: number } = {}): Purged {
    return this.#calls.purge(readRetention('retention', retention), readPurgeLimit(options));
  }

  /**
   * Returns the file's unused pages to the disk, and the file's size in bytes before and after. A queue that was large once
   * keeps its size without this. It holds the write lock for as long as it takes to write what remains (about a second for
   * 100 MB), and needs twice that space meanwhile; other writers wait for up to their busyTimeoutMs. Call it when the app is
   * idle. Raises BUSY in a transaction, and READ_ONLY with the option `readonly`.
   */
  compact(): Compacted {
    return this.#calls.compact();
  }

  /**
   * Writes a copy of the queue to a new file, while workers go on. Resolves when it is on the disk. The copy has everything that
   * was committed when it began. It is a complete queue, without unused pages, readable by the user of the process only
   * (`fileMode`). What was leased is leased in the copy too, until the lease lapses. Rejects with BAD_ARGUMENT when the path
   * exists, and with DISK_FULL, CANNOT_OPEN, READ_ONLY, CORRUPT or STORAGE; there is no file then.
   */
  async backup(path: string): Promise<void> {
    checkTarget(path);
    return this.#engine.backup(path);
  }

  dataVersion(): number {
    return this.#calls.dataVersion();
  }

  on<Name extends contract.TransportEventName>(name: Name, listener: contract.TransportListener<Name>): void {
    check.checkTransportListener(name, listener);
    this.#engine.on(name, listener);
  }

  off<Name extends contract.TransportEventName>(
    name: Name,
    listener: contract.TransportListener<Name>,
  ): void {
    check.checkTransportListener(name, listener);
    this.#engine.emitter.off(name, listener);
  }

  /** Idempotent. Closes the file; a connection that was passed as `database` stays open. */
  close(): void {
    this.#engine.close();
  }
}
