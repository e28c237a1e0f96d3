/** The port of a service to its client: of a thread, of a child process of Node, or of a utility process of Electron. */
import { parentPort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads';
import { BadArgument } from '../contract/errors.ts';
import { END, PING, PONG, STARTED } from './child-signals.ts';

export interface ParentPort {
  onMessage(listener: (message: unknown) => void): void;
  /** The next message if it has arrived. Undefined in a process, where each one is an event of its own. */
  next(): unknown;
  postMessage(message: unknown): void;
  /** Nothing follows. What the caller still does is done before the end. */
  close(): void;
  /** Nothing follows, and the caller has done everything. */
  exit(): void;
}

/** What a utility process has, as far as it is used here. */
interface UtilityProcess {
  readonly parentPort?: {
    on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
    postMessage(message: unknown): void;
  };
}

/** What the client passed for the start. */
export function startData<T>(): T {
  return (parentPort ? workerData : JSON.parse(process.argv.at(-1) ?? '')) as T;
}

/** Call it once. */
export function openParentPort(): ParentPort {
  if (parentPort) return threadPort(parentPort);
  const utility = (process as UtilityProcess).parentPort;
  // Chromium ends a utility process together with the app, whatever its main thread does.
  if (utility)
    return childPort(
      (message) => utility.postMessage(message),
      (receive) => utility.on('message', ({ data }) => receive(data)),
    );
  if (!process.send)
    throw new BadArgument('This file runs only in a thread or process that Leasehold starts.');
  endWithParent();
  return childPort(
    // Without a callback, what is sent after the end of the parent would be an uncaught error.
    (message) => process.send?.(message, undefined, undefined, () => undefined),
    (receive) => process.on('message', receive),
  );
}

function threadPort(port: NonNullable<typeof parentPort>): ParentPort {
  return {
    onMessage(listener) {
      port.on('message', listener);
      // The message is lost, and the numbers of later calls would be wrong: the thread ends with this error.
      port.on('messageerror', (error) => {
        throw error;
      });
    },
    next: () => receiveMessageOnPort(port)?.message,
    postMessage: (message) => port.postMessage(message),
    // The thread ends by itself, since nothing else keeps it alive.
    close: () => port.close(),
    // A timer or socket that is still open must not keep the thread alive.
    exit: () => process.exit(0),
  };
}

function childPort(
  post: (message: unknown) => void,
  listen: (receive: (message: unknown) => void) => void,
): ParentPort {
  const close = () => void setImmediate(post, END);
  post(STARTED);
  return {
    onMessage: (listener) =>
      listen((message) => {
        if (message === PING) post(PONG);
        else listener(message);
      }),
    next: () => undefined,
    postMessage: post,
    close,
    exit: close,
  };
}

/** A child whose loop runs ends by itself within this time after its parent. */
const TIME_TO_END_MS = 500;

/**
 * A process of Node does not end with its parent. Its own loop hears of that end, but not while it is inside SQLite. Its standard
 * input is a pipe, which ends with the process that started it, or with the thread that did.
 */
function endWithParent(): void {
  process.on('disconnect', () => process.exit(0));
  // Ctrl+C in a terminal goes to the parent as well, which may still have calls to make.
  process.on('SIGINT', () => undefined);
  // Source text, so that no other file has to be shipped.
  const watch = `
    const { Socket } = require('node:net');
    const kill = () => process.kill(process.pid, 'SIGKILL');
    const input = new Socket({ fd: 0 }).on('error', () => undefined);
    input.on('close', () => setTimeout(kill, ${TIME_TO_END_MS})).resume();`;
  new Worker(watch, { eval: true }).unref();
}
