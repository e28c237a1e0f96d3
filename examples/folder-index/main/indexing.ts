/**
 * Indexing a folder in the background: a walk that publishes, a queue, a worker that has each file read, and a store.
 *
 * The main process waits for none of them: the queue, the inspector's reading and the index each have a thread.
 */
import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import {
  AsyncSqliteTransport,
  type Handler,
  nativeBinding,
  openAdmin,
  type QueueAdmin,
  runWorker,
  type Worker,
} from '../../../core/index.ts';
import { distFolder } from '../../../electron/main/dist-folder.ts';
import { throttle } from '../../../electron/main/throttle.ts';
import type { IndexMethods, IndexThreadData } from '../thread/index.thread.ts';
import { Calls } from './calls.ts';
import type { FolderIndexStatus } from './contract.ts';
import { checkedEvent, type FileEvent, walkAndPublish } from './publish.ts';
import { Rate } from './rate.ts';

const STATUS_PER_SECOND = 4;

/** A file that cannot be read now seldom can be in a minute: three quick attempts, and it stands among the dead letters. */
const ATTEMPTS = { maxAttempts: 3, backoff: { initialMs: 500, factor: 2, maxMs: 2_000 } };

export interface IndexingOptions {
  readonly folder: string;
  /** Holds queue.db and index.db. */
  readonly data: string;
  /** Whether the worker starts paused. */
  readonly paused: boolean;
  /** Told of what the indexing goes on without. */
  readonly warn: (what: string, error: unknown) => void;
  /** Told of what no retry will cure. */
  readonly onFailure: (error: unknown) => void;
}

const threadFile = (name: string) => join(distFolder(), 'main', name);

export class Indexing {
  /** Of the queue, for the inspector. */
  readonly admin: QueueAdmin;
  readonly worker: Worker;
  readonly #folder: string;
  readonly #warn: IndexingOptions['warn'];
  readonly #queue: AsyncSqliteTransport<FileEvent>;
  readonly #thread: Thread;
  readonly #index: Calls<IndexMethods>;
  readonly #walk = new AbortController();
  readonly #walked: Promise<void>;
  readonly #rate = new Rate(() => performance.now());
  readonly #reading = new Map<number, { path: string; since: number }>();
  readonly #listeners = new Set<(status: FolderIndexStatus) => void>();
  readonly #refresh = throttle(() => void this.#tell(), 1000 / STATUS_PER_SECOND);
  readonly #stopListening: () => void;
  #isWalking = true;
  #stopped: Promise<void> | null = null;

  /** Opens the files and starts; rejects when the queue's file cannot be opened. */
  static async start(options: IndexingOptions): Promise<Indexing> {
    const path = join(options.data, 'queue.db');
    const queue = new AsyncSqliteTransport<FileEvent>({
      path,
      threadFile: threadFile('transport.thread.js'),
    });
    // Answered once the file and its tables are there: the inspector's reading only looks and makes none.
    await queue.dataVersion();
    const admin = openAdmin({ path, threadFile: threadFile('admin.thread.js') });
    return new Indexing(queue, admin, options);
  }

  private constructor(queue: AsyncSqliteTransport<FileEvent>, admin: QueueAdmin, options: IndexingOptions) {
    const { folder, data, paused, warn, onFailure } = options;
    this.#queue = queue;
    this.admin = admin;
    this.#folder = folder;
    this.#warn = warn;
    const workerData: IndexThreadData = { path: join(data, 'index.db'), nativeBinding: nativeBinding() };
    this.#thread = new Thread(threadFile('index.thread.js'), { workerData });
    this.#thread.on('error', onFailure);
    this.#index = new Calls(this.#thread);
    this.worker = runWorker(queue, this.#handle, { app: 'folder-index', concurrency: 4, ...ATTEMPTS });
    if (paused) this.worker.pause();
    for (const name of ['started', 'completed', 'failed', 'buried', 'parked', 'state'] as const)
      this.worker.on(name, this.#refresh.call);
    this.worker.on('completed', () => this.#rate.add());
    this.#stopListening = admin.onChange(this.#refresh.call);
    const { signal } = this.#walk;
    this.#walked = walkAndPublish({
      root: folder,
      skip: data,
      queue,
      index: this.#index,
      signal,
      onBatch: this.#refresh.call,
      onUnlisted: (path, error) => warn(`Passed over ${path}`, error),
    })
      .catch((error) => {
        if (!signal.aborted) onFailure(error);
      })
      .finally(() => {
        this.#isWalking = false;
        this.#refresh.call();
      });
  }

  async status(): Promise<FolderIndexStatus> {
    const [overview, totals] = await Promise.all([
      this.admin.overview(),
      this.#index.call('totals', [this.#folder]),
    ]);
    const paused = this.worker.state === 'paused';
    const rest = overview.messages > 0 ? 'indexing' : 'done';
    return {
      folder: this.#folder,
      phase: paused ? 'paused' : this.#isWalking ? 'walking' : rest,
      ...totals,
      failed: overview.dead,
      filesPerSecond: this.#rate.perSecond(),
      reading: [...this.#reading.values()],
      paused,
    };
  }

  onStatus(listener: (status: FolderIndexStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves at the first status that satisfies. */
  async reaches(satisfies: (status: FolderIndexStatus) => boolean): Promise<FolderIndexStatus> {
    const { promise, resolve } = Promise.withResolvers<FolderIndexStatus>();
    const end = this.onStatus((status) => {
      if (satisfies(status)) resolve(status);
    });
    this.#refresh.call();
    return promise.finally(end);
  }

  pause(): void {
    this.worker.pause();
  }

  resume(): void {
    this.worker.resume();
  }

  /** Finishes the batch and the files in hand, gives back what takes longer, and closes. Idempotent. */
  stop(stopTimeoutMs: number): Promise<void> {
    this.#stopped ??= this.#stop(stopTimeoutMs);
    return this.#stopped;
  }

  async #stop(stopTimeoutMs: number): Promise<void> {
    this.#walk.abort();
    this.#listeners.clear();
    this.#refresh.cancel();
    this.#stopListening();
    await Promise.all([this.#walked, this.worker.stop({ stopTimeoutMs })]);
    await Promise.all([this.#queue.close(), this.admin.close(), this.#index.call('close', [])]);
    await this.#thread.terminate();
  }

  readonly #handle: Handler<FileEvent> = async ({ seq, event }, { signal }) => {
    const { root, path } = checkedEvent(event);
    this.#reading.set(seq, { path, since: Date.now() });
    try {
      await this.#index.call('index', [root, path], signal);
    } finally {
      this.#reading.delete(seq);
    }
  };

  async #tell(): Promise<void> {
    if (this.#listeners.size === 0) return;
    try {
      const status = await this.status();
      for (const listener of this.#listeners) listener(status);
    } catch (error) {
      if (!this.#stopped) this.#warn('No status this time', error);
    }
  }
}
