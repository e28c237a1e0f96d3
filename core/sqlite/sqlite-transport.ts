/** SqliteTransport: checks arguments and encodes events; transport-calls.ts and the engine do the rest. */
import type { Compacted, Purged, Retention } from '../contract/retention.ts';
import type * as contract from '../contract/transport.ts';
import { type EventCodec, eventCodec } from '../validate/event-codec.ts';
import { checkPurgeLimit, checkRetention } from '../validate/retention-arguments.ts';
import * as check from '../validate/transport-arguments.ts';
import { applyRetention } from './apply-retention.ts';
import { Engine } from './engine.ts';
import { makeTransportCalls, type TransportCalls, toPublication } from './transport-calls.ts';
import { readSettings, type SqliteTransportOptions } from './transport-options.ts';

type Lease<E> = contract.Lease<E>;

/**
 * The specification's durable queue in a SQLite file (`{path}`) or on an open better-sqlite3 connection (`{database}`).
 *
 * Each call is synchronous and one transaction (BEGIN IMMEDIATE), or a SAVEPOINT inside a transaction that the caller has
 * open on the given connection. Besides the contract's errors, a call can raise BUSY (another writer held the lock for
 * longer than busyTimeoutMs), READ_ONLY, DISK_FULL, CORRUPT or STORAGE; it has then changed nothing. (Specification: all of
 * it but the async twin.)
 */
export class SqliteTransport<E = unknown> implements contract.Transport<E> {
  readonly #codec: EventCodec;
  readonly #engine: Engine;
  readonly #calls: TransportCalls;

  /** Raises BAD_ARGUMENT, CANNOT_OPEN, NOT_A_QUEUE, NEWER_FILE or READ_ONLY. */
  constructor(options: SqliteTransportOptions<E>) {
    const settings = readSettings(options);
    this.#codec = eventCodec(settings.maxEventBytes, settings.schema);
    this.#engine = new Engine(settings, this.#codec.decode);
    this.#calls = makeTransportCalls(this.#engine);
    applyRetention(this.#engine, settings);
  }

  publish(groupId: string, event: E, options: contract.PublishOptions = {}): number {
    check.checkPublish(groupId, options);
    return this.#calls.publish(toPublication(this.#codec, groupId, event, options));
  }

  publishMany(messages: readonly contract.NewMessage<E>[]): number[] {
    check.checkNewMessages(messages);
    return this.#calls.publishMany(
      messages.map((message) => toPublication(this.#codec, message.groupId, message.event, message)),
    );
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
    check.checkClaimMany(workerId, visibilityMs, options);
    check.checkLimit(limit, 1);
    return this.#calls.claimMany(workerId, visibilityMs, limit, options) as Lease<E>[];
  }

  ack(lease: Lease<E>): void {
    check.checkLease(lease);
    this.#calls.ack(lease);
  }

  nack(lease: Lease<E>, delayMs = 0, options: contract.NackOptions = {}): void {
    check.checkLease(lease);
    check.checkNack(delayMs, options);
    this.#calls.nack(lease, delayMs, options);
  }

  extend(lease: Lease<E>, visibilityMs: number): Lease<E> {
    check.checkLease(lease);
    check.checkVisibility(visibilityMs);
    return this.#calls.extend(lease, visibilityMs) as Lease<E>;
  }

  countAttempt(lease: Lease<E>, counted: boolean): void {
    check.checkLease(lease);
    check.checkCounted(counted);
    this.#calls.countAttempt(lease, counted);
  }

  bury(lease: Lease<E>, options: contract.BuryOptions = {}): void {
    check.checkLease(lease);
    check.checkBury(options);
    this.#calls.bury(lease, options);
  }

  ackAndClaim(lease: Lease<E>, visibilityMs: number, options: contract.ClaimOptions = {}): Lease<E> | null {
    check.checkLease(lease);
    check.checkClaim(lease.workerId, visibilityMs, options);
    return this.#calls.ackAndClaim(lease, visibilityMs, options) as Lease<E> | null;
  }

  ackAndClaimMany(
    leases: readonly Lease<E>[],
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimManyOptions = {},
  ): contract.AckedAndClaimed<E> {
    check.checkLeases(leases);
    check.checkClaimMany(workerId, visibilityMs, options);
    check.checkLimit(limit, 0);
    const done = this.#calls.ackAndClaimMany(leases, workerId, visibilityMs, limit, options);
    return done as contract.AckedAndClaimed<E>;
  }

  deadLetters(options: { afterId?: number; limit?: number } = {}): contract.DeadLetter[] {
    check.checkDeadLetters(options);
    return this.#calls.deadLetters(options);
  }

  republish(deadId: number): number {
    check.checkSeq('id', deadId);
    return this.#calls.republish(deadId);
  }

  nextExpiry(options: contract.ClaimOptions = {}): number | null {
    check.checkClaimOptions(options);
    return this.#calls.nextExpiry(options);
  }

  holders(page: contract.GroupPage = {}): contract.HoldersPage {
    check.checkGroupPage(page);
    return this.#calls.holders(page);
  }

  release(workerIds: readonly string[], page: contract.GroupPage = {}): contract.ReleasedPage {
    check.checkWorkerIds(workerIds);
    check.checkGroupPage(page);
    return this.#calls.release(workerIds, page);
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
  purge(retention: Retention, { limit = 1000 }: { limit?: number } = {}): Purged {
    checkRetention('retention', retention);
    checkPurgeLimit(limit);
    return this.#calls.purge(retention, limit);
  }

  /**
   * Returns the file's unused pages to the disk, and the file's size in bytes before and after. A queue that was large once
   * keeps its size without this. It holds the write lock for as long as it takes to write what remains (about a second for
   * 100 MB), and needs twice that space meanwhile; other writers wait for up to their busyTimeoutMs. Call it when the app is
   * idle. Raises BUSY in a transaction.
   */
  compact(): Compacted {
    return this.#calls.compact();
  }

  dataVersion(): number {
    return this.#calls.dataVersion();
  }

  on<Name extends contract.TransportEventName>(name: Name, listener: contract.TransportListener<Name>): void {
    check.checkTransportListener(name, listener);
    this.#engine.emitter.on(name, listener);
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
