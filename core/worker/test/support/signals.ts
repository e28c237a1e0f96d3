/**
 * Named signals. A test waits for something that the worker does, never for time or for event-loop rounds. A signal that
 * does not come within ten seconds of real time fails the test with the name of what it waited for.
 */
import type { Worker, WorkerEvents } from '../../index.ts';

const PATIENCE_MS = 10_000;

/** Waits for a promise; `what` names it in the error: "Timed out after 10000 ms: waited for …". */
export async function waitFor<T>(what: string, promise: Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  // Made here, so that its stack shows the line of the test.
  const overdue = new Error(`Timed out after ${patienceMs} ms: waited for ${what}.`);
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(overdue), patienceMs);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with the next worker event of this name (that matches). */
export function nextEvent<Name extends keyof WorkerEvents>(
  worker: Worker,
  name: Name,
  matches: (detail: WorkerEvents[Name]) => boolean = () => true,
): Promise<WorkerEvents[Name]> {
  const { promise, resolve } = Promise.withResolvers<WorkerEvents[Name]>();
  const listener = (detail: WorkerEvents[Name]) => {
    if (!matches(detail)) return;
    worker.off(name, listener);
    resolve(detail);
  };
  worker.on(name, listener);
  return waitFor(`the worker's event '${name}'`, promise);
}

/** Resolves when the worker has emitted this event `count` more times. */
export function untilEvents(worker: Worker, name: keyof WorkerEvents, count: number): Promise<unknown> {
  let left = count;
  return nextEvent(worker, name, () => --left === 0);
}

/** Resolves when nothing runs and nothing can be claimed. It makes the worker look for work once more. */
export function untilIdle(worker: Worker): Promise<void> {
  return waitFor('the worker to be idle', worker.idle());
}

/** Collects every event of these names from now on, each as its name and its group. */
export function recordEvents(worker: Worker, ...names: (keyof WorkerEvents)[]): string[] {
  const recorded: string[] = [];
  for (const name of names)
    worker.on(name, (detail) => recorded.push('groupId' in detail ? `${name} ${detail.groupId}` : name));
  return recorded;
}
