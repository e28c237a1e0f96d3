/**
 * The thread of AsyncSqliteTransport: runs the synchronous transport, all calls that have arrived in one transaction.
 *
 * Group commit: what arrives while one transaction commits goes into the next one together. Each call runs in its own
 * SAVEPOINT, which the transport makes when it finds a transaction open; one that fails is rolled back alone. Answers
 * leave only after the COMMIT, with the events that it made true; if the COMMIT fails, every call of it fails.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { toErrorData } from '../errors.ts';
import { textCodec } from '../event-codec.ts';
import { sharedClock } from '../shared-clock.ts';
import type * as protocol from '../thread/protocol.ts';
import type { TransportEventName } from '../transport.ts';
import { inWords } from './failure.ts';
import { openFile } from './open.ts';
import type { ThreadStart, ThreadVerb } from './thread-protocol.ts';
import { SqliteTransport } from './transport.ts';

type Call = protocol.ThreadCall<ThreadVerb>;
type ToThread = protocol.ToThread<ThreadVerb>;

/** Keeps one commit, and so the wait for its answers, to some tens of milliseconds. */
const MOST_CALLS_A_COMMIT = 1000;

function serve(port: MessagePort, { options, clock }: ThreadStart): void {
  const { path, ...rest } = options;
  const db = openFile(path, { readonly: options.readonly ?? false });
  const transport = new SqliteTransport(
    { ...rest, database: db, clock: clock ? sharedClock(clock) : systemClock },
    textCodec,
  );
  let events: protocol.ToldEvent[] = [];
  const post = (message: protocol.FromThread) => port.postMessage(message);

  function answer({ id, verb, args }: Call): protocol.ThreadAnswer {
    try {
      const run = transport[verb] as (...args: unknown[]) => unknown;
      return { id, value: run.apply(transport, [...args]) };
    } catch (error) {
      return { id, error: toErrorData(error) };
    }
  }

  /** Some errors (a full disk, I/O) make SQLite roll back everything: then nothing of this commit has happened. */
  function answerTogether(calls: readonly Call[]): protocol.ThreadAnswer[] {
    try {
      db.exec('BEGIN IMMEDIATE');
      const answers: protocol.ThreadAnswer[] = [];
      for (const call of calls) {
        const answered = answer(call);
        answers.push(answered);
        if (!db.inTransaction)
          throw 'error' in answered ? answered.error : new Error('The transaction was lost.');
      }
      db.exec('COMMIT');
      return answers;
    } catch (failure) {
      if (db.inTransaction) db.exec('ROLLBACK');
      events = [];
      const error = isErrorData(failure) ? failure : toErrorData(inWords(failure, path));
      return calls.map(({ id }) => ({ id, error }));
    }
  }

  function run(calls: readonly Call[]): void {
    const answers = calls.length > 1 && !options.readonly ? answerTogether(calls) : calls.map(answer);
    // The transport lets go of its events in a microtask of its own after a transaction that it did not end itself.
    queueMicrotask(() => {
      post({ answers, events });
      events = [];
    });
  }

  /** Takes what has arrived, up to the limit of a commit; a close comes after the calls that were made before it. */
  function take(first: ToThread): void {
    let calls: Call[] = [];
    let closing = false;
    for (let message: ToThread | undefined = first; message; message = receiveMessageOnPort(port)?.message) {
      if ('calls' in message) calls = calls.concat(message.calls);
      else if ('listen' in message) listen(message.listen as TransportEventName);
      else closing = true;
      if (calls.length >= MOST_CALLS_A_COMMIT) break;
    }
    if (calls.length > 0) run(calls);
    if (closing) close();
  }

  function listen(name: TransportEventName): void {
    transport.on(name, (detail) => events.push({ name, detail }));
  }

  function close(): void {
    // After the microtask that posts the last answers.
    setImmediate(() => {
      transport.close();
      db.close();
      port.close();
    });
  }

  port.on('message', take);
}

function isErrorData(value: unknown): value is ReturnType<typeof toErrorData> {
  return typeof value === 'object' && value !== null && !(value instanceof Error) && 'code' in value;
}

if (parentPort) {
  try {
    serve(parentPort, workerData as ThreadStart);
  } catch (error) {
    parentPort.postMessage({ failed: toErrorData(error) } satisfies protocol.FromThread);
  }
}
