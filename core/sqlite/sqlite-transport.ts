/** SqliteTransport: the queue over one SQLite file, every verb synchronous and one transaction. */
import type { Database } from 'better-sqlite3';
import { Emitter } from '../contract/emitter.ts';
import { LeaseholdError, type LeaseLost, TransportClosed } from '../contract/errors.ts';
import type * as contract from '../contract/transport.ts';
import { type EventCodec, eventCodec } from '../validate/event-codec.ts';
import * as check from '../validate/transport-arguments.ts';
import { makeVerbs, type Verbs } from './all-verbs.ts';
import { ClockSteps } from './clock-steps.ts';
import { makeReady, openFile } from './file/open-file.ts';
import { repair } from './file/repair.ts';
import { toLeaseholdError } from './file/sqlite-errors.ts';
import { PostCommitEvents } from './post-commit-events.ts';
import { makeTransaction, type Transactions } from './transaction.ts';
import { readSettings, type Settings, type SqliteTransportOptions } from './transport-options.ts';
import { IssuedLocks } from './verbs/issued-locks.ts';
import { leaseLost, type Queue } from './verbs/verb-context.ts';

type Lease<Event> = contract.Lease<Event>;

/**
 * The durable queue of the specification over a file (`{path}`) or an open better-sqlite3 connection (`{database}`).
 *
 * Each verb is one transaction (BEGIN IMMEDIATE), or a SAVEPOINT inside one that the caller has open on the given
 * connection. Besides the contract's errors, each may raise BUSY (another writer past busyTimeoutMs), READ_ONLY,
 * DISK_FULL or CORRUPT; the queue is then as it was before the verb.
 */
export class SqliteTransport<Event = unknown> implements contract.Transport<Event> {
  readonly #db: Database;
  readonly #settings: Settings<Event>;
  readonly #codec: EventCodec;
  readonly #queue: Queue;
  readonly #verbs: Verbs;
  readonly #transaction: Transactions;
  readonly #emitter = new Emitter<contract.TransportEvents>();
  readonly #outbox: PostCommitEvents;
  readonly #steps: ClockSteps;
  /** The wall clock stepped back since the locks last followed it. */
  #steppedBack = false;
  #closed = false;

  /**
   * Opens the file, or joins the connection; see SqliteTransportOptions for what is set, created and refused.
   * The further parameters are for the far side of a thread, where events were encoded before and the thread opens
   * transactions of its own.
   */
  constructor(options: SqliteTransportOptions<Event>, codec?: EventCodec, transaction?: Transactions) {
    const settings = readSettings(options);
    this.#settings = settings;
    this.#codec = codec ?? eventCodec(settings.maxEventBytes, settings.schema);
    this.#db =
      settings.database ??
      openFile(settings.path, { ...settings, mustExist: settings.readonly || !settings.createSchema });
    try {
      makeReady(this.#db, settings.names, settings);
      if (!settings.readonly) repair(this.#db, settings.names);
      this.#steps = new ClockSteps(settings.clock);
      this.#outbox = new PostCommitEvents(this.#db, this.#emitter, (ms, run) =>
        settings.clock.after(ms, run),
      );
      this.#transaction = transaction ?? makeTransaction(this.#db);
      this.#queue = {
        db: this.#db,
        names: settings.names,
        fairness: settings.fairness,
        own: new IssuedLocks(),
        time: { now: 0, monotonic: 0 },
        decode: this.#codec.decode,
        afterCommit: this.#outbox.afterCommit,
        tell: this.#outbox.tell,
      };
      this.#verbs = makeVerbs(this.#queue);
    } catch (error) {
      if (!settings.database) this.#db.close();
      throw toLeaseholdError(error, this.#db.name);
    }
  }

  publish(groupId: string, event: Event, options: contract.PublishOptions = {}): number {
    check.checkPublish(groupId, options);
    return this.publishMany([{ groupId, event, ...options }])[0] as number;
  }

  publishMany(messages: readonly contract.NewMessage<Event>[]): number[] {
    check.checkNewMessages(messages);
    const publications = messages.map((message) => {
      const { groupId, priority = 0, routingKey = null } = message;
      return { groupId, eventJson: this.#codec.encode(message.event), priority, routingKey };
    });
    return this.#write(() => publications.map((publication) => this.#verbs.publish(publication)));
  }

  claim(workerId: string, visibilityMs: number, options: contract.ClaimOptions = {}): Lease<Event> | null {
    return this.claimMany(workerId, visibilityMs, 1, options)[0] ?? null;
  }

  claimMany(
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimOptions = {},
  ): Lease<Event>[] {
    check.checkClaim(workerId, visibilityMs, options);
    check.checkLimit(limit, 1);
    return this.#write(() => this.#claim(workerId, visibilityMs, limit, options));
  }

  ack(lease: Lease<Event>): void {
    check.checkLease(lease);
    this.#settle(lease, () => this.#verbs.ack(lease));
  }

  nack(lease: Lease<Event>, delayMs = 0, options: contract.NackOptions = {}): void {
    check.checkLease(lease);
    check.checkNack(delayMs, options);
    this.#settle(lease, () => this.#verbs.nack(lease, delayMs, options));
  }

  extend(lease: Lease<Event>, visibilityMs: number): Lease<Event> {
    check.checkLease(lease);
    check.checkVisibility(visibilityMs);
    return this.#settle(lease, () => this.#verbs.extend(lease, visibilityMs)) as Lease<Event>;
  }

  bury(lease: Lease<Event>, options: contract.BuryOptions = {}): void {
    check.checkLease(lease);
    check.checkBury(options);
    this.#settle(lease, () => this.#verbs.bury.held(lease, options));
  }

  ackAndClaim(
    lease: Lease<Event>,
    visibilityMs: number,
    options: contract.ClaimOptions = {},
  ): Lease<Event> | null {
    check.checkLease(lease);
    check.checkClaim(lease.workerId, visibilityMs, options);
    return this.#write(() => {
      if (!this.#verbs.ack(lease)) throw leaseLost(lease);
      return this.#claim(lease.workerId, visibilityMs, 1, options)[0] ?? null;
    });
  }

  ackAndClaimMany(
    leases: readonly Lease<Event>[],
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimOptions = {},
  ): contract.AckedAndClaimed<Event> {
    check.checkLeases(leases);
    check.checkClaim(workerId, visibilityMs, options);
    check.checkLimit(limit, 0);
    return this.#write(() => ({
      lost: leases.filter((lease) => !this.#verbs.ack(lease)),
      claimed: limit === 0 ? [] : this.#claim(workerId, visibilityMs, limit, options),
    }));
  }

  deadLetters(options: { afterSeq?: number; limit?: number } = {}): contract.DeadLetter[] {
    const { afterSeq = 0, limit = 100 } = check.checkDeadLetters(options);
    return this.#read(() => this.#verbs.deadLetters.list(afterSeq, limit));
  }

  republish(deadSeq: number): number {
    check.checkSeq(deadSeq);
    return this.#write(() => {
      const dead = this.#verbs.deadLetters.take(deadSeq);
      if (!dead)
        throw new LeaseholdError(
          'NOT_FOUND',
          `No dead letter has seq ${deadSeq}: it may have been re-published already.`,
        );
      return this.#verbs.publish(dead, deadSeq);
    });
  }

  nextExpiry(options: contract.ClaimOptions = {}): number | null {
    check.checkClaimOptions(options);
    return this.#read(() => this.#verbs.nextExpiry(options));
  }

  holders(): contract.Holder[] {
    return this.#read(() => this.#verbs.holders.list());
  }

  release(workerIds: readonly string[]): number {
    check.checkWorkerIds(workerIds);
    return this.#write(() => this.#verbs.holders.release(workerIds));
  }

  dataVersion(): number {
    return this.#read(() => Number(this.#db.pragma('data_version', { simple: true })));
  }

  on<Name extends contract.TransportEventName>(name: Name, listener: contract.TransportListener<Name>): void {
    this.#emitter.on(name, listener);
  }

  off<Name extends contract.TransportEventName>(
    name: Name,
    listener: contract.TransportListener<Name>,
  ): void {
    this.#emitter.off(name, listener);
  }

  /**
   * Shortens this transport's locks when the wall clock has stepped back. Every changing verb does so first; inside the
   * caller's transaction it waits until that is over, since a rollback there would undo it unseen.
   */
  followClock(): void {
    this.#steppedBack ||= this.#steps.back() > 0;
    if (!this.#steppedBack || this.#db.inTransaction) return;
    this.#transaction(() => {
      this.#readTime();
      this.#verbs.followClock();
    });
    this.#steppedBack = false;
  }

  /**
   * For whoever ends a transaction that verbs have joined: their events are told at once after a commit, and dropped after a
   * rollback. Without this they are told as soon as the connection is seen out of the transaction, however it ended.
   */
  transactionEnded(committed: boolean): void {
    if (committed) this.#outbox.committed();
    else this.#outbox.forget(0);
  }

  /** Closes the connection that it opened; one that was given stays open for its owner. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#outbox.flush();
    if (!this.#settings.database) this.#db.close();
    this.#emitter.emit('closed', { error: null });
  }

  #claim(
    workerId: string,
    visibilityMs: number,
    limit: number,
    options: contract.ClaimOptions,
  ): Lease<Event>[] {
    return this.#verbs.claim(workerId, visibilityMs, limit, options) as Lease<Event>[];
  }

  /** A settling verb answers with something false when the lease is no longer held. */
  #settle<T>(lease: Lease<Event>, settle: () => T | false | null): T {
    return this.#write(() => {
      const done = settle();
      if (done === false || done === null) throw leaseLost(lease) satisfies LeaseLost;
      return done;
    });
  }

  #write<T>(work: () => T): T {
    this.#refuseClosed();
    if (this.#settings.readonly)
      throw new LeaseholdError(
        'READ_ONLY',
        `${this.#db.name}: was opened with readonly: open it without to change it.`,
      );
    const mark = this.#outbox.mark();
    try {
      this.followClock();
      const result = this.#transaction(() => {
        // Under the write lock: a time read before waiting for it could lie before another writer's commit.
        this.#readTime();
        return work();
      });
      if (this.#db.inTransaction) this.#outbox.flush();
      else this.#outbox.committed();
      return result;
    } catch (error) {
      this.#outbox.forget(mark);
      throw toLeaseholdError(error, this.#db.name);
    }
  }

  #readTime(): void {
    const { clock } = this.#settings;
    this.#queue.time = { now: clock.now(), monotonic: clock.monotonic() };
  }

  #read<T>(look: () => T): T {
    this.#refuseClosed();
    try {
      return look();
    } catch (error) {
      throw toLeaseholdError(error, this.#db.name);
    }
  }

  #refuseClosed(): void {
    if (this.#closed || !this.#db.open) throw new TransportClosed();
  }
}
