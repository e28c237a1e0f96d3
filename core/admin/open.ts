/** openAdmin: the queue's face for people, on a thread of its own. */
import { Emitter } from '../events.ts';
import { checkKnown, checkPlainObject, checkText } from '../options.ts';
import { checkPath } from '../sqlite/options.ts';
import { ThreadCaller } from '../thread/caller.ts';
import { besideModule } from '../thread/file.ts';
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
} from './contract.ts';
import { type AdminStart, type AdminVerb, CHANGED } from './thread-protocol.ts';

export interface AdminOptions {
  /** The queue's file; a transport must have opened it before. */
  readonly path: string;
  /** Default: the specification's, 'harel_transport'. */
  readonly tablePrefix?: string;
  /** Who acts, as the journal calls them; default 'operator'. */
  readonly operator?: string;
  /** Where the built `core/admin/thread` is, for an app whose bundler moved it. Default: beside this module. */
  readonly threadFile?: string | URL;
}

/**
 * Opens a queue's file for looking and acting. Returns at once; what is wrong with the file rejects the first call, as
 * CANNOT_OPEN, NOT_A_QUEUE or NEWER_FILE. An open admin does not keep the process alive.
 */
export function openAdmin(options: AdminOptions): QueueAdmin {
  checkPlainObject('options of openAdmin', options);
  checkKnown('options of openAdmin', options, ['path', 'tablePrefix', 'operator', 'threadFile']);
  const { path, tablePrefix, operator = 'operator', threadFile } = options;
  checkPath(path);
  checkText('operator', operator);
  return new ThreadedAdmin(
    { path, tablePrefix, operator },
    threadFile ?? besideModule(import.meta.url, 'thread'),
  );
}

class ThreadedAdmin implements QueueAdmin {
  readonly #changes = new Emitter<{ changed: null }>();
  readonly #thread: ThreadCaller<AdminVerb>;
  #listening = false;

  constructor(start: AdminStart, threadFile: string | URL) {
    this.#thread = new ThreadCaller(threadFile, start, {
      told: () => this.#changes.emit(CHANGED, null),
      ended: () => undefined,
    });
  }

  overview(): Promise<Overview> {
    return this.#thread.call('overview');
  }

  groups(query: GroupsQuery = {}): Promise<Page<GroupRow>> {
    return this.#thread.call('groups', query);
  }

  messages(query: MessagesQuery = {}): Promise<Page<MessageRow>> {
    return this.#thread.call('messages', query);
  }

  message(seq: number): Promise<MessageDetail | null> {
    return this.#thread.call('message', seq);
  }

  operate(operation: Operation): Promise<OperationResult> {
    return this.#thread.call('operate', operation);
  }

  onChange(listener: () => void): () => void {
    if (!this.#listening) this.#thread.listen(CHANGED);
    this.#listening = true;
    const changed = () => listener();
    this.#changes.on(CHANGED, changed);
    return () => this.#changes.off(CHANGED, changed);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
