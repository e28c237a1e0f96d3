/**
 * The thread of AsyncSqliteTransport: runs the synchronous transport, all calls that have arrived in one transaction.
 *
 * Group commit: what arrives while one transaction commits goes into the next one together. Answers leave only after the
 * COMMIT, with the events that it made true; if the COMMIT fails, every call of it fails.
 *
 * A call that fails must be rolled back alone, for which each would run in a SAVEPOINT; that costs a third of a publish.
 * Nearly every error of a verb comes before its first write (a bad argument, a lost lease), so the calls run bare at first.
 * Should one fail after a write, everything is rolled back and run again, this time each in a SAVEPOINT.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../contract/clock.ts';
import { LeaseholdError, toErrorData } from '../../contract/errors.ts';
import type { TransportEventName } from '../../contract/transport.ts';
import type * as protocol from '../../rpc/protocol.ts';
import { answerAll, answerEach } from '../../rpc/server.ts';
import { textCodec } from '../../validate/event-codec.ts';
import { DEFAULT_BUSY_TIMEOUT_MS, openFile } from '../file/open-file.ts';
import { toLeaseholdError } from '../file/sqlite-errors.ts';
import { SqliteTransport } from '../sqlite-transport.ts';
import { type Joining, makeTransaction } from '../transaction.ts';
import { sharedClock } from './shared-clock.ts';
import type { ThreadStart, ThreadVerb } from './transport-protocol.ts';

type Call = protocol.ThreadCall<ThreadVerb>;
type ToThread = protocol.ToThread<ThreadVerb>;

/** Keeps one commit, and so the wait for its answers, to some tens of milliseconds. */
const MOST_CALLS_A_COMMIT = 1000;

const LOOKS: readonly ThreadVerb[] = ['deadLetters', 'nextExpiry', 'holders', 'dataVersion'];

/** The errors that a verb raises before its first write. */
const BEFORE_ANY_WRITE: readonly string[] = ['BAD_ARGUMENT', 'LEASE_LOST', 'NOT_FOUND'];

/** A call failed in a way that may have left something half done. */
class Spoiled extends Error {}

function serve(port: MessagePort, { options, clock }: ThreadStart): void {
  const { path, ...rest } = options;
  const { readonly = false, createSchema = true, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = rest;
  const db = openFile(path, { readonly, mustExist: readonly || !createSchema, busyTimeoutMs });
  const transaction = makeTransaction(db);
  const transport = new SqliteTransport(
    { ...rest, database: db, clock: clock ? sharedClock(clock) : systemClock },
    textCodec,
    transaction,
  );
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  let events: protocol.ToldEvent[] = [];

  const run = (verb: ThreadVerb, args: unknown[]) =>
    (transport[verb] as (...args: unknown[]) => unknown).apply(transport, args);

  /** Raises Spoiled where bare calls must be run again, and whatever made SQLite roll everything back by itself. */
  function answerIn(joining: Joining, calls: readonly Call[]): protocol.Answers {
    transport.followClock();
    transaction.joining = joining;
    try {
      begin.run();
      const answers = answerEach(calls, run, (error) => {
        if (!db.inTransaction) throw error;
        const harmless = error instanceof LeaseholdError && BEFORE_ANY_WRITE.includes(error.code);
        if (joining === 'bare' && !harmless) throw new Spoiled();
        return error;
      });
      commit.run();
      transport.transactionEnded(true);
      return answers;
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      transport.transactionEnded(false);
      throw error;
    } finally {
      transaction.joining = 'savepoint';
    }
  }

  function answerTogether(calls: readonly Call[]): protocol.Answers {
    try {
      return answerIn('bare', calls);
    } catch (error) {
      if (!(error instanceof Spoiled)) return answerAll(calls, toLeaseholdError(error, path));
    }
    try {
      return answerIn('savepoint', calls);
    } catch (error) {
      return answerAll(calls, toLeaseholdError(error, path));
    }
  }

  function answer(calls: readonly Call[]): void {
    // Looks need no transaction, nor the write lock that another may hold.
    const together = calls.length > 1 && calls.some(([verb]) => !LOOKS.includes(verb));
    const answers = together ? answerTogether(calls) : answerEach(calls, run);
    port.postMessage({ answers, events } satisfies protocol.FromThread);
    events = [];
  }

  /** Takes what has arrived, so many calls to a commit; a close comes after the calls that were made before it. */
  function take(first: ToThread): void {
    let calls: Call[] = [];
    let closing = false;
    for (let message: ToThread | undefined = first; message; message = receiveMessageOnPort(port)?.message) {
      if ('calls' in message) calls = calls.concat(message.calls);
      else if ('listen' in message) listen(message.listen as TransportEventName);
      else closing = true;
      if (calls.length >= MOST_CALLS_A_COMMIT) break;
    }
    for (let done = 0; done < calls.length; done += MOST_CALLS_A_COMMIT)
      answer(calls.slice(done, done + MOST_CALLS_A_COMMIT));
    if (closing) close();
  }

  function listen(name: TransportEventName): void {
    transport.on(name, (detail) => events.push({ name, detail }));
  }

  function close(): void {
    transport.close();
    db.close();
    port.close();
  }

  port.on('message', take);
}

if (parentPort) {
  try {
    serve(parentPort, workerData as ThreadStart);
  } catch (error) {
    parentPort.postMessage({ failed: toErrorData(error) } satisfies protocol.FromThread);
  }
}
