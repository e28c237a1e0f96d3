/** openAdmin: reads and operates on a queue for people, on a thread of its own. */
import type {
  GroupRow,
  GroupsQuery,
  MessageDetail,
  MessageKey,
  MessageRow,
  MessagesQuery,
  Operation,
  OperationResult,
  Overview,
  Page,
  QueueAdmin,
} from '../contract/admin.ts';
import { Emitter } from '../contract/emitter.ts';
import type { Purged, Retention } from '../contract/retention.ts';
import { RpcClient } from '../rpc/client.ts';
import { startThread, threadFileOf } from '../rpc/thread-file.ts';
import { namesFor } from '../sqlite/file/names.ts';
import { absolutePath, checkFairness, checkPath } from '../sqlite/transport-options.ts';
import type { Fairness } from '../sqlite/verbs/verb-context.ts';
import {
  checkedGroupsQuery,
  checkedMessageKey,
  checkedMessagesQuery,
  checkedOperation,
} from '../validate/admin-arguments.ts';
import {
  checkBoolean,
  checkFunction,
  checkText,
  type FieldChecks,
  readFields,
  unchecked,
} from '../validate/checks.ts';
import { readRetention } from '../validate/retention-arguments.ts';
import { type AdminMethod, type AdminThreadOptions, CHANGED } from './admin-protocol.ts';

export interface AdminOptions {
  /** The queue's file, which a transport has created. */
  readonly path: string;
  /** Default: the specification's, 'harel_transport'. */
  readonly tablePrefix?: string;
  /** The operator's name in the journal; default 'operator'. */
  readonly operator?: string;
  /**
   * The place in the claim order of a group that a re-publish creates. Pass what the queue's transports have. Default
   * 'new-groups-first', the specification's order.
   */
  readonly fairness?: Fairness;
  /**
   * True for a file that somebody else made: all of its pages are checked before anything is read, about a second for each
   * 100 MB. A file that was crafted so that a query never ends is then refused as CORRUPT. Without the check such a query
   * keeps the thread busy, and only a SIGKILL ends the process. Default false.
   */
  readonly untrusted?: boolean;
  /**
   * Overwrites what an operation or a purge deletes with zeros. Pass what the queue's transports have. Default false.
   */
  readonly secureDelete?: boolean;
  /** The built `core/admin/admin.thread` file, for an app whose bundler moved it. Default: the one beside this module. */
  readonly threadFile?: string | URL;
}

const OPTIONS: FieldChecks<AdminOptions> = {
  path: (_what, value) => checkPath(value),
  // namesFor checks it.
  tablePrefix: unchecked,
  operator: checkText,
  fairness: checkFairness,
  untrusted: checkBoolean,
  secureDelete: checkBoolean,
  // threadFileOf checks it.
  threadFile: unchecked,
};

/**
 * Opens a queue's file for reading and operating on it. Returns at once, and raises BAD_ARGUMENT. A file that cannot be
 * opened rejects every call with CANNOT_OPEN, NOT_A_QUEUE or NEWER_FILE. An open admin does not keep the process alive.
 */
export function openAdmin(options: AdminOptions): QueueAdmin {
  const given = readFields<AdminOptions>('options of openAdmin', options, OPTIONS, { required: ['path'] });
  const {
    path,
    tablePrefix,
    operator = 'operator',
    fairness = 'new-groups-first',
    untrusted = false,
    secureDelete = false,
    threadFile,
  } = given;
  namesFor(tablePrefix);
  return new ThreadedAdmin(
    { path: absolutePath(path), tablePrefix, operator, fairness, untrusted, secureDelete },
    threadFileOf(threadFile, import.meta.url, 'admin.thread'),
  );
}

class ThreadedAdmin implements QueueAdmin {
  readonly #changes = new Emitter<{ changed: null }>();
  readonly #thread: RpcClient<AdminMethod>;
  #isSubscribed = false;

  constructor(options: AdminThreadOptions, threadFile: string | URL) {
    this.#thread = new RpcClient(startThread(threadFile, { workerData: options }), {
      owner: 'admin',
      onEvent: () => this.#changes.emit(CHANGED, null),
      // Whoever reads again after a change learns why nothing can be read any more.
      onEnd: (error) => error && this.#changes.emit(CHANGED, null),
    });
  }

  overview(): Promise<Overview> {
    return this.#thread.call('overview');
  }

  // Async, so that an error of a check rejects the call. The check itself runs at once, so calls keep their order.
  async groups(query?: GroupsQuery): Promise<Page<GroupRow>> {
    return this.#thread.call('groups', checkedGroupsQuery(query));
  }

  async messages(query?: MessagesQuery): Promise<Page<MessageRow>> {
    return this.#thread.call('messages', checkedMessagesQuery(query));
  }

  async message(key: MessageKey): Promise<MessageDetail | null> {
    return this.#thread.call('message', checkedMessageKey(key));
  }

  async operate(operation: Operation): Promise<OperationResult> {
    return this.#thread.call('operate', checkedOperation(operation));
  }

  async purge(retention: Retention): Promise<Purged> {
    return this.#thread.call('purge', readRetention('retention', retention));
  }

  onChange(listener: () => void): () => void {
    checkFunction('The listener of onChange', listener);
    // A function of its own for each subscription, so that the same listener can subscribe twice.
    const onChanged = () => listener();
    this.#changes.on(CHANGED, onChanged);
    this.#updateSubscription();
    return () => {
      this.#changes.off(CHANGED, onChanged);
      this.#updateSubscription();
    };
  }

  /** The thread watches the file only while there is a listener. */
  #updateSubscription(): void {
    const hasListener = this.#changes.has(CHANGED);
    if (hasListener === this.#isSubscribed) return;
    this.#isSubscribed = hasListener;
    if (hasListener) this.#thread.subscribe(CHANGED);
    else this.#thread.unsubscribe(CHANGED);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
