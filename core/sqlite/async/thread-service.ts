/**
 * The thread of AsyncSqliteTransport: runs the calls that have arrived, all of them in one transaction.
 *
 * Group commit: the calls that arrive while one transaction commits go into the next one together. Their answers leave only
 * after the COMMIT, with the events that it made true. If the COMMIT fails, all its calls fail; if another connection keeps
 * the lock, only those whose time is over (see LockWait), and the others are tried again.
 *
 * A call that fails must be rolled back alone. With a SAVEPOINT around each call, a publish costs 27 µs instead of 19.
 * Nearly every error of a verb precedes its first write (a bad argument, a lost lease), so the calls first run without
 * savepoints. When one fails after a write, the transaction is rolled back and all its calls run again, each in a SAVEPOINT.
 */
import { type Clock, systemClock } from '../../contract/clock.ts';
import { asLeaseholdError, LeaseholdError } from '../../contract/errors.ts';
import type { TransportEventName } from '../../contract/transport.ts';
import {
  answerEach,
  type Call,
  type Emit,
  type Fail,
  failAll,
  firstSentAt,
  type Results,
  type Service,
  sentWithFirst,
} from '../../rpc/service.ts';
import { textCodec } from '../../validate/event-codec.ts';
import { applyRetention } from '../apply-retention.ts';
import { Engine, NeedsSavepoints } from '../engine.ts';
import { makeTransportCalls } from '../transport-calls.ts';
import { readSettings } from '../transport-options.ts';
import type { ThreadMethod, ThreadOptions } from './transport-protocol.ts';

type ThreadCall = Call<ThreadMethod>;

const READ_ONLY_CALLS: readonly ThreadMethod[] = ['deadLetters', 'nextExpiry', 'holders', 'dataVersion'];

/** The errors that a verb raises before its first write. */
const BEFORE_ANY_WRITE: readonly string[] = ['BAD_ARGUMENT', 'LEASE_LOST', 'NOT_FOUND'];

export function openTransportService(
  options: ThreadOptions,
  clock: Clock,
  emit: Emit,
  fail: Fail,
): Service<ThreadMethod> {
  const settings = readSettings({ ...options, clock });
  const start = systemClock.monotonic();
  const engine = new Engine(settings, textCodec.decode);
  engine.lockWait?.hasWaitedFrom(start);
  applyRetention(engine, settings);
  engine.emitter.on('closed', ({ error }) => error && fail(error));
  const transportCalls = makeTransportCalls(engine);

  const run = (method: ThreadMethod, args: unknown) =>
    (transportCalls[method] as (...args: unknown[]) => unknown)(...(args as unknown[]));

  /** A failed BEGIN or COMMIT, or a full disk, fails all calls. */
  function answerInOneCommit(calls: readonly ThreadCall[]): Results {
    try {
      return engine.batch((joining) =>
        answerEach(calls, run, (error) => {
          if (!engine.inTransaction) throw error;
          const hasNotWritten = error instanceof LeaseholdError && BEFORE_ANY_WRITE.includes(error.code);
          if (joining === 'bare' && !hasNotWritten) throw new NeedsSavepoints();
        }),
      );
    } catch (error) {
      return failAll(isBusy(error) ? timeIsOver(calls) : calls, error);
    }
  }

  function timeIsOver(calls: readonly ThreadCall[]): readonly ThreadCall[] {
    const later = calls.findIndex(([, , sentAt]) => !engine.lockWait?.isOver(sentAt));
    // 0: nobody's time is over, so this BUSY does not come from another connection's lock.
    return later > 0 ? calls.slice(0, later) : calls;
  }

  return {
    answer(calls) {
      engine.lockWait?.callsMadeAt(firstSentAt(calls));
      // Reads need neither a transaction nor the write lock, which another connection may hold. Compact can have none.
      const isBatch =
        calls.length > 1 &&
        calls.some(([method]) => !READ_ONLY_CALLS.includes(method)) &&
        !calls.some(([method]) => method === 'compact');
      const { values, errors } = isBatch ? answerInOneCommit(calls) : answerEach(sentWithFirst(calls), run);
      return { values, errors: errors.map(([place, error]) => [place, asLeaseholdError(error)]) };
    },
    subscribe(event) {
      const name = event as TransportEventName;
      engine.on(name, (detail) => emit({ name, detail }));
    },
    close: () => engine.close(),
  };
}

const isBusy = (error: unknown): boolean => error instanceof LeaseholdError && error.code === 'BUSY';
