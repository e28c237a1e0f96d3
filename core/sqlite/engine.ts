/**
 * The engine of a queue's file, used by SqliteTransport, by the thread of AsyncSqliteTransport and by the admin's thread. It
 * owns the connection, the verbs, their transactions, the adjustment of locks to clock steps, and the events after a commit.
 *
 * The engine checks no arguments. Events are JSON text; `decode` turns the text into what a claim returns.
 */
import type { Database } from 'better-sqlite3';
import type { Clock } from '../contract/clock.ts';
import { Emitter } from '../contract/emitter.ts';
import { Closed, LeaseholdError } from '../contract/errors.ts';
import type { TransportEventName, TransportEvents } from '../contract/transport.ts';
import type { EventCodec } from '../validate/event-codec.ts';
import { makeVerbs, type Verbs } from './all-verbs.ts';
import { AppChanges } from './app-changes.ts';
import { backup } from './backup/backup.ts';
import { writeCopy } from './backup/write-copy.ts';
import { Checkpoints } from './checkpoints/checkpoints.ts';
import { truncateLog } from './checkpoints/log.ts';
import { type EventWitness, makeEventWitness } from './event-witness.ts';
import { absolutePath } from './file/absolute-path.ts';
import { FileGuard } from './file/file-guard.ts';
import { explainFull } from './file/full-sequence.ts';
import type { Names } from './file/names.ts';
import { openFile } from './file/open-file.ts';
import { OpeningDeadline } from './file/opening-deadline.ts';
import { type OpenSettings, prepareConnection } from './file/prepare-connection.ts';
import { Repair } from './file/repair.ts';
import { makeSchemaGuard } from './file/schema-guard.ts';
import { toLeaseholdError } from './file/sqlite-errors.ts';
import { LockWait } from './lock-wait.ts';
import { type Mark, PostCommitEvents } from './post-commit-events.ts';
import { isMissingPart, withSecondTry } from './second-try.ts';
import { Siblings } from './siblings.ts';
import { type Joining, makeTransaction, type Transaction } from './transaction.ts';
import { TransactionTime } from './transaction-time.ts';
import { IssuedLocks } from './verbs/issued-locks.ts';
import type { Fairness, VerbContext } from './verbs/verb-context.ts';

export interface EngineSettings extends OpenSettings {
  readonly path: string;
  readonly fileMode: number;
  /** The caller's connection, to be used instead of opening `path`. */
  readonly database: Database | undefined;
  readonly names: Names;
  readonly fairness: Fairness;
  readonly clock: Clock;
  /** Whether to repair what a crash of another program left (see repair.ts). */
  readonly repair: boolean;
}

/** Raised by the work of a batch: a write failed that must be rolled back alone. */
export class NeedsSavepoints extends Error {}

export class Engine {
  readonly context: VerbContext;
  readonly verbs: Verbs;
  readonly emitter = new Emitter<TransportEvents>();
  /** Undefined on an app's connection, where SQLite waits as the app's settings say. */
  readonly lockWait: LockWait | undefined;
  /** Undefined where the connection is not the app's. */
  readonly appChanges: AppChanges | undefined;
  readonly #db: Database;
  readonly #settings: EngineSettings;
  readonly #transaction: Transaction;
  readonly #postCommit: PostCommitEvents;
  readonly #time: TransactionTime;
  readonly #repair: Repair | undefined;
  /** Undefined for a database without a file. */
  readonly #file: FileGuard | undefined;
  /** Undefined where the log is the app's affair, or there is none. */
  readonly #checkpoints: Checkpoints | undefined;
  /** Undefined for a database without a file. */
  readonly #siblings: Siblings | undefined;
  /** How a write joins the open batch; undefined outside of a batch, where it may join a caller's transaction. */
  #batchJoining: Joining | undefined;
  /** Made for the first call in a caller's transaction. */
  #witness: EventWitness | undefined;
  #closed = false;

  constructor(settings: EngineSettings, decode: EventCodec['decode']) {
    this.#settings = settings;
    const { clock, names, readonly, createSchema } = settings;
    const deadline = new OpeningDeadline(clock, settings.busyTimeoutMs);
    this.#db =
      settings.database ?? openFile(settings.path, { ...settings, mustExist: readonly || !createSchema });
    try {
      prepareConnection(this.#db, names, settings, deadline);
      this.#file = FileGuard.of(this.#db, settings.database ? undefined : settings.path);
      deadline.limitNext(this.#db);
      if (settings.repair) {
        this.#repair = new Repair(this.#db, names, clock, (restored) =>
          this.emitter.emit('published', restored),
        );
        this.#repair.start();
      }
      if (this.#file)
        this.#siblings = new Siblings(`${this.#file.identity} ${names.prefix}`, () =>
          this.emitter.emit('changed', {}),
        );
      this.#postCommit = new PostCommitEvents(
        this.#db,
        this.emitter,
        (ms, run) => clock.after(ms, run),
        () => this.#siblings?.tell(),
      );
      this.#db.pragma(`busy_timeout = ${settings.busyTimeoutMs}`);
      if (settings.database) this.appChanges = new AppChanges(this.#db);
      else this.lockWait = new LockWait(this.#db, settings.busyTimeoutMs);
      this.context = {
        db: this.#db,
        names,
        fairness: settings.fairness,
        issuedLocks: new IssuedLocks(),
        time: { now: 0, monotonic: 0 },
        decode,
        checkSchema: makeSchemaGuard(this.#db, names, createSchema && !readonly),
        afterCommit: this.#postCommit.afterCommit,
        emitAfterCommit: this.#postCommit.emitAfterCommit,
      };
      this.verbs = makeVerbs(this.context);
      this.#time = new TransactionTime(clock, this.context, this.verbs.shortenLocks);
      const transaction = makeTransaction(this.#db, this.lockWait);
      this.#transaction = withSecondTry(
        this.appChanges?.without(transaction) ?? transaction,
        this.#postCommit,
        {
          makeRoom: () => this.#checkpoints?.makeRoom() ?? truncateLog(this.#db),
          checkSchema: this.context.checkSchema,
        },
      );
      if (!settings.database && !readonly && this.#file)
        this.#checkpoints = new Checkpoints(this.#db, this.#file.identity, settings.durability);
    } catch (error) {
      this.#repair?.stop();
      if (!settings.database) this.#db.close();
      throw toLeaseholdError(error, this.#db.name);
    }
  }

  get isReadonly(): boolean {
    return this.#settings.readonly || this.#db.readonly;
  }

  /**
   * Between calls: whether a caller's transaction is open. False within a batch: SQLite itself rolled back, as it does on a
   * full disk or an I/O error.
   */
  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /**
   * Runs `work` in a transaction (BEGIN IMMEDIATE), or as part of the one that is open; completely or not at all. Raises
   * READ_ONLY when the engine is readonly, CLOSED after close, and errors of SQLite as LeaseholdErrors.
   */
  write<T>(work: () => T): T {
    this.#checkOpen();
    this.checkWritable();
    if (this.#batchJoining) return this.#writeInBatch(work, this.#batchJoining);
    const isOwn = !this.#db.inTransaction;
    // Events of a caller's transaction that has ended: this call may write what they are looked up by.
    if (isOwn) this.#postCommit.flush();
    const mark = this.#postCommit.mark();
    this.lockWait?.startCall();
    const run = () => {
      this.#time.read();
      if (isOwn) this.#time.follow();
      const done = work();
      // Before the COMMIT: what is acknowledged must be in the file that the path leads to.
      this.#lookAtFile(this.context.time.monotonic);
      return done;
    };
    try {
      const result = isOwn ? this.#transaction.own(run) : this.#transaction.joined(run);
      if (isOwn) this.#committed();
      else this.#leaveToCaller(mark);
      return result;
    } catch (error) {
      this.#postCommit.forget(mark);
      // A call that is refused, as for a lost lease, has undone it: the locks of others must not wait for a call that succeeds.
      if (isOwn && this.#time.isBehind && isRefusal(error)) this.#followClockAlone();
      throw this.#failed(error);
    }
  }

  /** The batch has read the time, and commits. */
  #writeInBatch<T>(work: () => T, joining: Joining): T {
    const mark = this.#postCommit.mark();
    try {
      return joining === 'bare' ? work() : this.#transaction.joined(work);
    } catch (error) {
      this.#postCommit.forget(mark);
      throw this.#failed(error);
    }
  }

  /** Runs `work` without a transaction. Raises CLOSED after close, and errors of SQLite as LeaseholdErrors. */
  read<T>(work: () => T): T {
    this.#checkOpen();
    this.lockWait?.startCall();
    const look = () => {
      this.#lookAtFile();
      return work();
    };
    const read = () => (this.lockWait && !this.#db.inTransaction ? this.lockWait.until(look) : look());
    try {
      try {
        return read();
      } catch (error) {
        if (!isMissingPart(error)) throw error;
        this.#restoreSchema();
        return read();
      }
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /**
   * Runs `work` in one transaction that each `write` within it joins without a savepoint. When it raises NeedsSavepoints,
   * everything is rolled back, and `work` runs again with savepoints. When it or the COMMIT raises another error, everything
   * is rolled back and no event is emitted. An error that is not SQLite's is raised as it is.
   */
  batch<T>(work: (joining: Joining) => T): T {
    this.#checkOpen();
    this.lockWait?.startCall();
    try {
      try {
        return this.#runBatch('bare', work);
      } catch (error) {
        if (!(error instanceof NeedsSavepoints)) throw error;
        return this.#runBatch('savepoint', work);
      }
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #runBatch<T>(joining: Joining, work: (joining: Joining) => T): T {
    this.#batchJoining = joining;
    try {
      const result = this.#transaction.own(() => {
        this.#time.read();
        this.#time.follow();
        const done = work(joining);
        this.#lookAtFile(this.context.time.monotonic);
        return done;
      });
      this.#committed();
      return result;
    } catch (error) {
      this.#postCommit.forgetAll();
      throw error;
    } finally {
      this.#batchJoining = undefined;
    }
  }

  /**
   * Writes a copy of the file, with what is committed; see backup.ts. A database in memory is copied at once, on this thread.
   */
  async backup(target: string): Promise<void> {
    this.checkFile();
    const { fileMode } = this.#settings;
    if (!this.#file) return writeCopy(this.#db, absolutePath(target), fileMode);
    const [main] = this.#db.pragma('database_list') as { file: string }[];
    return backup({ source: main?.file ?? '', identity: this.#file.identity, target, fileMode });
  }

  /** Adds a listener to `emitter`. */
  on<Name extends TransportEventName>(name: Name, listener: (detail: TransportEvents[Name]) => void): void {
    this.emitter.on(name, listener);
    if (name === 'changed' && !this.#closed) this.#siblings?.listen();
  }

  /** Raises READ_ONLY when the engine is readonly. The connection may be able to write all the same. */
  checkWritable(): void {
    if (this.#settings.readonly)
      throw new LeaseholdError(
        'READ_ONLY',
        `${this.#db.name} was opened with readonly. Open it without readonly to change it.`,
      );
  }

  /** Raises FILE_REPLACED, and has then ended, when the path no longer leads to the open file. Looks once a second. */
  checkFile(): void {
    this.#checkOpen();
    try {
      this.#lookAtFile();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Closes the connection if the engine opened it. Idempotent. */
  close(): void {
    this.#end(null);
  }

  #end(error: Error | null): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#repair?.stop();
    this.#postCommit.flush();
    this.#checkpoints?.close();
    this.#siblings?.close();
    if (!this.#settings.database) {
      this.#file?.leave();
      this.#db.close();
    }
    this.emitter.emit('closed', { error });
  }

  /** Raises FILE_REPLACED when the path no longer leads to the open file. */
  #lookAtFile(now = this.#settings.clock.monotonic()): void {
    this.#file?.check(now);
  }

  /** Returns what to raise for `error`. Without its file the engine ends. */
  #failed(error: unknown): unknown {
    // Asked only here: the getter costs 0.25 µs, and only the app's own connection can be closed by others.
    if (!this.#closed && !this.#db.open) return new Closed();
    const translated = explainFull(toLeaseholdError(error, this.#db.name), this.#db, this.#settings.names);
    const failure = this.#file?.failureBehind(translated);
    if (failure) this.#end(failure);
    return failure ?? translated;
  }

  #followClockAlone(): void {
    this.#transaction.own(() => {
      this.#time.read();
      this.#time.follow();
    });
    this.#committed();
  }

  /** For a read. Raises NOT_A_QUEUE where it may not restore what is missing. */
  #restoreSchema(): void {
    const { checkSchema } = this.context;
    if (this.isReadonly) checkSchema();
    else this.write(checkSchema);
  }

  #leaveToCaller(mark: Mark): void {
    this.#witness ??= makeEventWitness(this.context);
    this.#postCommit.leaveToCaller(mark, this.#witness);
  }

  #committed(): void {
    this.#checkpoints?.committed();
    this.#postCommit.committed();
  }

  #checkOpen(): void {
    const cause = this.#file?.failure;
    if (cause) throw new Closed(`This transport is closed: ${cause.message}`, { cause });
    if (this.#closed) throw new Closed();
  }
}

/** Raised by a verb before its first write. */
const isRefusal = (error: unknown): boolean =>
  error instanceof LeaseholdError && (error.code === 'LEASE_LOST' || error.code === 'NOT_FOUND');
