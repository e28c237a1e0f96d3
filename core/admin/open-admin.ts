/** openAdmin: reads and operates on a queue for people, on a thread of its own, or in a process if the file is untrusted. */
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
import { BadArgument } from '../contract/errors.ts';
import type { Purged, Retention } from '../contract/retention.ts';
import type { StartChild } from '../rpc/child-host.ts';
import { RpcClient } from '../rpc/client.ts';
import { startThread, threadFileOf } from '../rpc/thread-file.ts';
import { absolutePath } from '../sqlite/file/absolute-path.ts';
import { namesFor } from '../sqlite/file/names.ts';
import { fromStartError, startFor } from '../sqlite/file/system-errors.ts';
import { checkFairness, checkPath } from '../sqlite/transport-options.ts';
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
  checkWhole,
  type FieldChecks,
  readFields,
  unchecked,
} from '../validate/checks.ts';
import { readRetention } from '../validate/retention-arguments.ts';
import { type AdminCalls, type AdminEvents, AdminProcess } from './admin-process.ts';
import { type AdminThreadOptions, CHANGED } from './admin-protocol.ts';
import { forkWhereNode } from './fork-where-node.ts';

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
   * True for a file that somebody else made: a child process reads it instead of a thread. A file can be crafted so that a
   * query never ends, and a thread inside SQLite cannot be ended. Default false.
   *
   * A process that does not respond for `timeLimitMs` is killed. Its calls in progress reject with TIMED_OUT, and the next call
   * starts a new one; a file that cannot even be opened in time is refused from then on. In Electron, import openAdmin from
   * 'leasehold/electron'.
   */
  readonly untrusted?: boolean;
  /** Only with `untrusted`: ms, a whole number from 10. Default 30,000. */
  readonly timeLimitMs?: number;
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
  timeLimitMs: (what, value) => checkWhole(what, value, 10, 2 ** 31 - 1),
  secureDelete: checkBoolean,
  // threadFileOf checks it.
  threadFile: unchecked,
};

const DEFAULT_TIME_LIMIT_MS = 30_000;

/**
 * Opens a queue's file for reading and operating on it. Returns at once. Raises BAD_ARGUMENT, and CANNOT_OPEN when the
 * system can start no more threads. A file that cannot be opened rejects every call with CANNOT_OPEN, NOT_A_QUEUE, NEWER_FILE, or
 * TIMED_OUT. An open admin does not keep the process alive.
 */
export function openAdmin(options: AdminOptions): QueueAdmin {
  return openAdminWith(forkWhereNode, options);
}

/** `startChild` starts the process of an untrusted file. */
export function openAdminWith(startChild: StartChild, options: AdminOptions): QueueAdmin {
  const given = readFields<AdminOptions>('options of openAdmin', options, OPTIONS, { required: ['path'] });
  const {
    path,
    tablePrefix,
    operator = 'operator',
    fairness = 'new-groups-first',
    untrusted = false,
    timeLimitMs,
    secureDelete = false,
    threadFile,
  } = given;
  namesFor(tablePrefix);
  if (timeLimitMs !== undefined && !untrusted)
    throw new BadArgument(
      `timeLimitMs ${timeLimitMs} needs untrusted: true, since a thread cannot be ended inside SQLite.`,
    );
  const data: AdminThreadOptions = {
    path: absolutePath(path),
    tablePrefix,
    operator,
    fairness,
    secureDelete,
  };
  const file = threadFileOf(threadFile, import.meta.url, 'admin.thread');
  return new AdminClient((events) =>
    untrusted
      ? new AdminProcess(
          { startChild, file, data, timeLimitMs: timeLimitMs ?? DEFAULT_TIME_LIMIT_MS },
          events,
        )
      : new RpcClient(
          startFor(data.path, () => startThread(file, { workerData: data })),
          {
            owner: 'admin',
            startError: (why) => fromStartError(why, data.path),
            ...events,
          },
        ),
  );
}

class AdminClient implements QueueAdmin {
  readonly #changes = new Emitter<{ changed: null }>();
  readonly #service: AdminCalls;
  #isSubscribed = false;

  constructor(start: (events: AdminEvents) => AdminCalls) {
    this.#service = start({
      onEvent: () => this.#changes.emit(CHANGED, null),
      // Whoever reads again after a change learns why nothing can be read any more.
      onEnd: (error) => error && this.#changes.emit(CHANGED, null),
    });
  }

  overview(): Promise<Overview> {
    return this.#service.call('overview');
  }

  // Async, so that an error of a check rejects the call. The check itself runs at once, so calls keep their order.
  async groups(query?: GroupsQuery): Promise<Page<GroupRow>> {
    return this.#service.call('groups', checkedGroupsQuery(query));
  }

  async messages(query?: MessagesQuery): Promise<Page<MessageRow>> {
    return this.#service.call('messages', checkedMessagesQuery(query));
  }

  async message(key: MessageKey): Promise<MessageDetail | null> {
    return this.#service.call('message', checkedMessageKey(key));
  }

  async operate(operation: Operation): Promise<OperationResult> {
    return this.#service.call('operate', checkedOperation(operation));
  }

  async purge(retention: Retention): Promise<Purged> {
    return this.#service.call('purge', readRetention('retention', retention));
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
    if (hasListener) this.#service.subscribe(CHANGED);
    else this.#service.unsubscribe(CHANGED);
  }

  close(): Promise<void> {
    return this.#service.close();
  }
}
