/** openAdmin: the queue's face for people, on a thread of its own. */
import { Worker } from 'node:worker_threads';
import type {
  GroupRow,
  GroupsQuery,
  MessageDetail,
  MessageRow,
  MessagesQuery,
  Operation,
  OperationResult,
  Overview,
  Page,
  QueueAdmin,
} from '../contract/admin.ts';
import { Emitter } from '../contract/emitter.ts';
import { RpcClient } from '../rpc/client.ts';
import { threadFileOf } from '../rpc/thread-file.ts';
import { checkPath } from '../sqlite/transport-options.ts';
import type { Fairness } from '../sqlite/verbs/verb-context.ts';
import {
  checkedGroupsQuery,
  checkedMessagesQuery,
  checkedOperation,
  checkedSeq,
} from '../validate/admin-arguments.ts';
import { checkKnown, checkOneOf, checkPlainObject, checkText } from '../validate/checks.ts';
import { type AdminStart, type AdminVerb, CHANGED } from './admin-protocol.ts';

export interface AdminOptions {
  /** The queue's file; a transport must have opened it before. */
  readonly path: string;
  /** Default: the specification's, 'harel_transport'. */
  readonly tablePrefix?: string;
  /** Who acts, as the journal calls them; default 'operator'. */
  readonly operator?: string;
  /**
   * Where a group that a re-publish creates takes its turn; give what the queue's transports have. Default
   * 'new-groups-first', the specification's order.
   */
  readonly fairness?: Fairness;
  /** Where the built `core/admin/admin.thread` is, for an app whose bundler moved it. Default: beside this module. */
  readonly threadFile?: string | URL;
}

/**
 * Opens a queue's file for looking and acting. Returns at once; what is wrong with the file rejects the first call, as
 * CANNOT_OPEN, NOT_A_QUEUE or NEWER_FILE. An open admin does not keep the process alive.
 */
export function openAdmin(options: AdminOptions): QueueAdmin {
  checkPlainObject('options of openAdmin', options);
  checkKnown('options of openAdmin', options, ['path', 'tablePrefix', 'operator', 'fairness', 'threadFile']);
  const { path, tablePrefix, operator = 'operator', fairness = 'new-groups-first', threadFile } = options;
  checkPath(path);
  checkText('operator', operator);
  checkOneOf('fairness', fairness, ['new-groups-first', 'longest-waiting-first']);
  return new ThreadedAdmin(
    { path, tablePrefix, operator, fairness },
    threadFileOf(threadFile, import.meta.url, 'admin.thread'),
  );
}

class ThreadedAdmin implements QueueAdmin {
  readonly #changes = new Emitter<{ changed: null }>();
  readonly #thread: RpcClient<AdminVerb>;
  #watching = false;

  constructor(start: AdminStart, threadFile: string | URL) {
    this.#thread = new RpcClient(new Worker(threadFile, { workerData: start }), {
      owner: 'admin',
      onEvent: () => this.#changes.emit(CHANGED, null),
    });
  }

  overview(): Promise<Overview> {
    return this.#thread.call('overview');
  }

  // Async, so that what the checks raise rejects the call; they run at once, and calls keep their order.
  async groups(query?: GroupsQuery): Promise<Page<GroupRow>> {
    return this.#thread.call('groups', checkedGroupsQuery(query));
  }

  async messages(query?: MessagesQuery): Promise<Page<MessageRow>> {
    return this.#thread.call('messages', checkedMessagesQuery(query));
  }

  async message(seq: number): Promise<MessageDetail | null> {
    return this.#thread.call('message', checkedSeq(seq));
  }

  async operate(operation: Operation): Promise<OperationResult> {
    return this.#thread.call('operate', checkedOperation(operation));
  }

  onChange(listener: () => void): () => void {
    const changed = () => listener();
    this.#changes.on(CHANGED, changed);
    this.#watchWhileWanted();
    return () => {
      this.#changes.off(CHANGED, changed);
      this.#watchWhileWanted();
    };
  }

  #watchWhileWanted(): void {
    const wanted = this.#changes.has(CHANGED);
    if (wanted === this.#watching) return;
    this.#watching = wanted;
    if (wanted) this.#thread.subscribe(CHANGED);
    else this.#thread.unsubscribe(CHANGED);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
