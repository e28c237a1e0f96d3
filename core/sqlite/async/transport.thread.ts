/**
 * The thread of AsyncSqliteTransport: runs the calls of a transport, all that that have arrived in one transaction.
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
import { Engine } from '../engine.ts';
import type { Joining } from '../transaction.ts';
import { makeTransportCalls } from '../transport-calls.ts';
import { readSettings } from '../transport-options.ts';
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
  const settings = readSettings({ ...options, clock: clock ? sharedClock(clock) : systemClock });
  const engine = new Engine(settings, textCodec.decode);
  const transportCalls = makeTransportCalls(engine);
  let events: protocol.ToldEvent[] = [];

  const run = (verb: ThreadVerb, args: unknown[]) =>
    (transportCalls[verb] as (...args: unknown[]) => unknown)(...args);

  /** Raises Spoiled where bare calls must be run again, and whatever made SQLite roll everything back by itself. */
  const answerIn = (joining: Joining, calls: readonly Call[]): protocol.Answers =>
    engine.batch(joining, () =>
      answerEach(calls, run, (error) => {
        if (!engine.inTransaction) throw error;
        const harmless = error instanceof LeaseholdError && BEFORE_ANY_WRITE.includes(error.code);
        if (joining === 'bare' && !harmless) throw new Spoiled();
        return error;
      }),
    );

  function answerTogether(calls: readonly Call[]): protocol.Answers {
    try {
      return answerIn('bare', calls);
    } catch (error) {
      if (!(error instanceof Spoiled)) return answerAll(calls, error);
    }
    try {
      return answerIn('savepoint', calls);
    } catch (error) {
      return answerAll(calls, error);
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
    engine.emitter.on(name, (detail) => events.push({ name, detail }));
  }

  function close(): void {
    engine.close();
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
