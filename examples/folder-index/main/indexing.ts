/**
 * Indexes a folder in the background. A walk publishes a message for each file, a worker takes the messages from the queue, and
 * a thread reads the files and writes the index.
 *
 * The main process stays free: the queue, the inspector's queries and the index each run on a thread.
 */
import { join } from 'node:path';
import {
  AsyncSqliteTransport,
  type Handler,
  LeaseholdError,
  nativeBinding,
  openAdmin,
  type QueueAdmin,
  runWorker,
  ThreadClient,
  type Worker,
} from 'leasehold';
import type { FolderIndexStatus } from '../shared/bridge.ts';
import type { IndexMethods, IndexThreadData } from '../thread/index.thread.ts';
import { THREAD_FILE } from './built-files.ts';
import { checkedEvent, type FileEvent, walkAndPublish } from './publish.ts';
import { Rate } from './rate.ts';
import { StatusFeed } from './status-feed.ts';

/** A read that fails three times in a few seconds is unlikely to succeed later. The message becomes a dead letter. */
const ATTEMPTS = { maxAttempts: 3, backoff: { initialMs: 500, factor: 2, maxMs: 2_000 } };

export interface IndexingOptions {
  readonly folder: string;
  /** The folder of queue.db and index.db. */
  readonly data: string;
  /** Whether the worker starts paused. */
  readonly paused: boolean;
  /** Receives errors that do not stop the indexing. */
  readonly warn: (what: string, error: unknown) => void;
  /** Receives errors that no retry can solve. Called again when others follow. */
  readonly onFailure: (error: unknown) => void;
}

/** Whether every further call fails in the same way. */
const isFinal = (error: unknown): boolean =>
  error instanceof LeaseholdError && ['THREAD_FAILED', 'FILE_REPLACED'].includes(error.code);

export class Indexing {
  /** For the inspector. */
  readonly admin: QueueAdmin;
  readonly worker: Worker;
  readonly #folder: string;
  readonly #queue: AsyncSqliteTransport<FileEvent>;
  readonly #index: ThreadClient<IndexMethods>;
  readonly #onFailure: IndexingOptions['onFailure'];
  readonly #walk = new AbortController();
  readonly #walked: Promise<void>;
  readonly #rate = new Rate(() => performance.now());
  readonly #status: StatusFeed;
  readonly #stopWatching: () => void;
  #isWalking = true;
  #stopped: Promise<void> | null = null;

  /** Opens the files and starts. Rejects if the queue's file cannot be opened. */
  static async start(options: IndexingOptions): Promise<Indexing> {
    const path = join(options.data, 'queue.db');
    const queue = new AsyncSqliteTransport<FileEvent>({ path });
    // The first answer means that the file and its tables exist. openAdmin needs them: it creates none.
    await queue.dataVersion();
    return new Indexing(queue, openAdmin({ path }), options);
  }

  private constructor(queue: AsyncSqliteTransport<FileEvent>, admin: QueueAdmin, options: IndexingOptions) {
    const { folder, data, paused, warn, onFailure } = options;
    this.#queue = queue;
    this.admin = admin;
    this.#folder = folder;
    const workerData: IndexThreadData = { path: join(data, 'index.db'), nativeBinding: nativeBinding() };
    this.#index = new ThreadClient(THREAD_FILE, { workerData });
    this.#onFailure = onFailure;
    // It ends by itself when its file is deleted or replaced, or when its thread fails.
    queue.on('closed', ({ error }) => error && this.#fail(error));
    this.#status = new StatusFeed(
      () => this.status(),
      (error) => (isFinal(error) ? this.#fail(error) : warn('The status cannot be read', error)),
    );
    this.worker = runWorker(queue, this.#handle, { app: 'folder-index', concurrency: 4, ...ATTEMPTS });
    if (paused) this.worker.pause();
    for (const name of ['started', 'completed', 'failed', 'buried', 'parked', 'state'] as const)
      this.worker.on(name, this.#status.changed);
    this.worker.on('completed', () => this.#rate.add());
    this.#stopWatching = admin.onChange(this.#status.changed);
    const { signal } = this.#walk;
    this.#walked = walkAndPublish({
      root: folder,
      skip: data,
      queue,
      index: this.#index,
      signal,
      onBatch: this.#status.changed,
      onUnlisted: (path, error) => warn(`Skipped ${path}`, error),
    })
      .catch((error) => {
        if (!signal.aborted) this.#fail(error);
      })
      .finally(() => {
        this.#isWalking = false;
        this.#status.changed();
      });
  }

  async status(): Promise<FolderIndexStatus> {
    const [overview, totals] = await Promise.all([
      this.admin.overview(),
      this.#index.call('totals', this.#folder),
    ]);
    const paused = this.worker.state === 'paused';
    const rest = overview.messages > 0 ? 'indexing' : 'done';
    return {
      folder: this.#folder,
      phase: paused ? 'paused' : this.#isWalking ? 'walking' : rest,
      ...totals,
      failed: overview.dead,
      filesPerSecond: this.#rate.perSecond(),
      reading: this.worker.snapshot().running.map(({ note, since }) => ({ path: note ?? '', since })),
      paused,
    };
  }

  /** Returns a function that removes the listener. */
  onStatus(listener: (status: FolderIndexStatus) => void): () => void {
    return this.#status.on(listener);
  }

  /** Resolves with the first status that satisfies the condition. */
  firstStatus(satisfies: (status: FolderIndexStatus) => boolean): Promise<FolderIndexStatus> {
    return this.#status.first(satisfies);
  }

  pause(): void {
    this.worker.pause();
  }

  resume(): void {
    this.worker.resume();
  }

  /** Waits for running handlers, releases those that take longer, and closes the files. Idempotent. */
  stop(stopTimeoutMs: number): Promise<void> {
    this.#stopped ??= this.#stop(stopTimeoutMs);
    return this.#stopped;
  }

  async #stop(stopTimeoutMs: number): Promise<void> {
    this.#walk.abort();
    this.#status.stop();
    this.#stopWatching();
    await Promise.all([this.#walked, this.worker.stop({ stopTimeoutMs })]);
    await Promise.all([this.#queue.close(), this.admin.close(), this.#index.close()]);
  }

  /** Paused, so that no further file fails while the person reads the error. */
  #fail(error: unknown): void {
    this.worker.pause();
    this.#onFailure(error);
  }

  readonly #handle: Handler<FileEvent> = async ({ event }, { signal, progress }) => {
    const { root, path } = checkedEvent(event);
    progress(0, path);
    try {
      await this.#index.call('index', { root, path }, { signal });
    } catch (error) {
      // Without the thread every file would fail and become a dead letter.
      if (isFinal(error)) this.#fail(error);
      throw error;
    }
  };
}
