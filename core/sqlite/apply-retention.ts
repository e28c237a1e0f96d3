/**
 * Applies a transport's option `retention` from time to time: a timer of each transport that has the option. A timer, since an
 * idle queue has to forget as well; what adds the rows would never run there.
 */
import type { Engine } from './engine.ts';
import type { Settings } from './transport-options.ts';

export const RETENTION_INTERVAL_MS = 60_000;
/** A batch takes the write lock for a millisecond or two. */
const BATCH = 100;
const BETWEEN_BATCHES_MS = 100;

type RetentionSettings = Pick<Settings<unknown>, 'retention' | 'clock' | 'readonly'>;

/** Ends when the engine closes. */
export function applyRetention(engine: Engine, { retention, clock, readonly }: RetentionSettings): void {
  if (!retention || readonly) return;
  const { purge } = engine.verbs;
  const runBatch = (): boolean => {
    // The app's own transaction: its rollback would bring the rows back.
    if (engine.inTransaction) return false;
    // Looked up without the write lock, which nearly every time is not needed.
    if (!engine.read(() => purge.isDue(retention, clock.now(), BATCH))) return false;
    return engine.write(() => purge.purge(retention, BATCH)).hasMore;
  };
  let isClosed = false;
  let cancel = clock.after(BETWEEN_BATCHES_MS, run);
  engine.emitter.on('closed', () => {
    isClosed = true;
    cancel();
  });
  function run(): void {
    let hasMore = false;
    try {
      hasMore = runBatch();
    } catch {
      // Another writer, or a full disk: the next time. What an app must know, its own calls raise too.
    }
    if (!isClosed) cancel = clock.after(hasMore ? BETWEEN_BATCHES_MS : RETENTION_INTERVAL_MS, run);
  }
}
