/** Host: where the service of an RpcClient runs. */
import type { TransferListItem } from 'node:worker_threads';

/** A thread (a Worker is one as it is) or a child process (ChildHost). */
export interface Host {
  postMessage(message: unknown, transferred?: readonly TransferListItem[]): void;
  // biome-ignore lint/suspicious/noExplicitAny: messages of every type, as in the events of a Worker
  on(event: 'message', listener: (message: any) => void): unknown;
  on(event: 'messageerror', listener: (error: Error) => void): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: a thread can throw any value
  on(event: 'error', listener: (error: any) => void): unknown;
  /** The exit code of a thread, or why a process ended. */
  once(event: 'exit', listener: (how: number | string) => void): unknown;
  /** The client has open calls: the host keeps this process alive. */
  ref(): void;
  unref(): void;
  /** Ends it, whatever it does. A thread inside SQLite does not end before SQLite returns. */
  terminate(): unknown;
}
