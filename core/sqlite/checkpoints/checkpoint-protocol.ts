/** What a checkpoint thread and the thread that started it agree on. */

/**
 * Both sides block, so they talk through shared memory. PHASE: from STARTING to OPEN by the thread, to CLOSING by its owner,
 * to CLOSED by the thread; or from STARTING directly to CLOSED by its owner. SIGNALS: raised by the owner to wake the thread.
 * READY: set to 1 by the thread when few pages are left to copy, and back to 0 by the owner.
 */
export interface ThreadData {
  readonly path: string;
  /** Which file it must be: the path may lead to another one by now. */
  readonly identity: string;
  readonly state: Int32Array<SharedArrayBuffer>;
}

export const PHASE = 0;
export const SIGNALS = 1;
export const READY = 2;
/** How many numbers `state` has. */
export const STATE_LENGTH = 3;

export const STARTING = 0;
export const OPEN = 1;
export const CLOSING = 2;
export const CLOSED = 3;
