/** Counts the attempt of a held message in the file, or takes it back. */
import { codeOf } from '../../contract/errors.ts';
import type { Awaitable } from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';
import type { Execution } from './execution.ts';
import { concernsOneMessage } from './message-errors.ts';
import type { Shared } from './shared.ts';

/** Calls `start` when the attempt is counted. Otherwise the message is lost, or set aside. Raises the transport's errors. */
export function countThenStart<E>(
  shared: Shared<E>,
  execution: Execution<E>,
  start: () => void,
): Awaitable<void> {
  const { executions } = shared;
  return countAttempt(shared, execution, true, start, (error) => {
    executions.release(execution);
    executions.setAside(execution, error, true);
  });
}

/** `fail`: the call failed for this message alone. */
export function countAttempt<E>(
  { transport, executions }: Shared<E>,
  execution: Execution<E>,
  counted: boolean,
  ok: () => void,
  fail: (error: unknown) => void,
): Awaitable<void> {
  execution.beginCall();
  return whenDone(
    () => transport.countAttempt(execution.lease, counted),
    () => {
      executions.endCall(execution);
      ok();
    },
    (error) => {
      executions.endCall(execution);
      if (codeOf(error) === 'LEASE_LOST') executions.lose(execution, error as Error);
      else if (concernsOneMessage(error)) fail(error);
      else throw error;
    },
  );
}
