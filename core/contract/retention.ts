/** How long dead letters and the journal are kept. Types only. */

/** The rows to keep; without a limit, all. */
export interface KeepLimits {
  /** A row is kept for this long, in ms. */
  readonly maxAgeMs?: number | undefined;
  /** At most this many rows are kept: the newest. */
  readonly maxCount?: number | undefined;
}

/** What is left out is kept forever. */
export interface Retention {
  readonly deadLetters?: KeepLimits | undefined;
  /** The journal of operators' operations (see openAdmin). */
  readonly journal?: KeepLimits | undefined;
}

/** What one call of `purge` has removed. */
export interface Purged {
  readonly deadLetters: number;
  readonly journal: number;
  /** There may be more to remove: call again. */
  readonly hasMore: boolean;
}

/** The file's size in bytes before and after `compact`. */
export interface Compacted {
  readonly before: number;
  readonly after: number;
}
