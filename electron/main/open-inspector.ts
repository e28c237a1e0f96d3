/**
 * The inspector: a window that any Electron app opens over a queue of its own, to see and steer it while it runs.
 *
 *   const admin = openAdmin({ path });
 *   openInspector({ admin, title: 'Background jobs' });
 *
 * The page is sandboxed, in a session of its own without a network, and reaches the queue through six channels that
 * exist on its window alone. What it asks is checked here, in the main process, whoever made the admin.
 */
import { join } from 'node:path';
import { app, type BrowserWindow } from 'electron';
import type { OperationKind, QueueAdmin } from '../../core/contract/admin.ts';
import { BadArgument, LeaseholdError } from '../../core/contract/errors.ts';
import {
  checkedGroupsQuery,
  checkedMessagesQuery,
  checkedOperation,
  checkedSeq,
  OPERATION_KINDS,
} from '../../core/validate/admin-arguments.ts';
import { checkKnown, checkOneOf, checkPlainObject, checkText } from '../../core/validate/checks.ts';
import { CHANNELS } from '../preload/channels.ts';
import { distFolder } from './dist-folder.ts';
import { type Guard, guardedOperate, shownMessage, shownMessages } from './guarded-admin.ts';
import { answerPage } from './ipc-handlers.ts';
import { originOf, type Site } from './page-session.ts';
import { createPageWindow, loadPage, type PageWindowOptions } from './page-window.ts';
import type { Redact } from './redaction.ts';
import { throttle } from './throttle.ts';

export interface InspectorOptions {
  /** The queue to show. It stays the caller's: closing the window does not close it. */
  readonly admin: QueueAdmin;
  /** The window's title; default "Background jobs". */
  readonly title?: string | undefined;
  /** What a person may do; default everything. `[]` makes the inspector a view. */
  readonly operations?: readonly OperationKind[] | undefined;
  /**
   * Returns the event with what must not be seen taken out or replaced; the rest as it was. It runs in the main
   * process before anything crosses to the page. It covers events: group ids and error texts are shown as they are,
   * and a search still finds an event by what is hidden in it.
   */
  readonly redact?: Redact | undefined;
  /** Keeps the inspector above this window. Default: a window of its own standing. */
  readonly parent?: BrowserWindow | undefined;
}

const CHANGES_PER_SECOND = 4;
const open = new Map<QueueAdmin, BrowserWindow>();

/**
 * Opens the inspector over a queue, or brings the one that is open over it to the front. Raises BadArgument, and
 * NOT_ALLOWED before the app is ready.
 */
export function openInspector(options: InspectorOptions): BrowserWindow {
  const { admin, title, parent, ...guard } = checked(options);
  if (!app.isReady())
    throw new LeaseholdError(
      'NOT_ALLOWED',
      'openInspector needs a ready app: call it after app.whenReady().',
    );
  const present = open.get(admin);
  if (present) {
    if (present.isMinimized()) present.restore();
    if (present.webContents.isCrashed()) present.webContents.reload();
    present.show();
    present.focus();
    return present;
  }
  const dist = distFolder();
  const site: Site = {
    name: 'leasehold-inspector',
    host: 'leasehold-inspector.invalid',
    folder: join(dist, 'renderer'),
  };
  const place: PageWindowOptions = {
    site,
    page: 'inspector/index.html',
    preload: join(dist, 'preload', 'inspector.cjs'),
    window: {
      title,
      width: 1180,
      height: 760,
      minWidth: 480,
      minHeight: 360,
      autoHideMenuBar: true,
      ...(parent && { parent }),
    },
  };
  const window = createPageWindow(place);
  open.set(admin, window);
  const detach = attach(window, originOf(site), title, { admin, ...guard });
  window.once('closed', () => {
    open.delete(admin);
    detach();
  });
  void loadPage(window, place);
  return window;
}

/** Connects a window's page to the queue; returns what disconnects it. */
function attach(window: BrowserWindow, origin: string, title: string, guard: Guard): () => void {
  const { admin, operations } = guard;
  const { webContents } = window;
  const stopAnswering = answerPage(webContents, origin, {
    [CHANNELS.overview]: () => admin.overview(),
    [CHANNELS.groups]: (query) => admin.groups(checkedGroupsQuery(query)),
    [CHANNELS.messages]: (query) => shownMessages(guard, checkedMessagesQuery(query)),
    [CHANNELS.message]: (seq) => shownMessage(guard, checkedSeq(seq)),
    [CHANNELS.operate]: (operation) => guardedOperate(guard, checkedOperation(operation)),
    [CHANNELS.info]: () => ({ title, operations }),
  });
  const changed = throttle(() => {
    if (!window.isDestroyed() && !webContents.isCrashed()) webContents.send(CHANNELS.changed);
  }, 1000 / CHANGES_PER_SECOND);
  const stopListening = admin.onChange(changed.call);
  return () => {
    stopListening();
    changed.cancel();
    stopAnswering();
  };
}

function checked(options: InspectorOptions) {
  checkPlainObject('openInspector options', options);
  checkKnown('openInspector', options, ['admin', 'title', 'operations', 'redact', 'parent']);
  const { admin, title = 'Background jobs', operations = OPERATION_KINDS, redact, parent } = options;
  if (typeof admin?.overview !== 'function')
    throw new BadArgument('admin must be a QueueAdmin: pass what openAdmin({ path }) returned.');
  checkText('title', title);
  if (!Array.isArray(operations)) throw new BadArgument('operations must be an array.');
  for (const operation of operations) checkOneOf('operations', operation, OPERATION_KINDS);
  if (redact !== undefined && typeof redact !== 'function')
    throw new BadArgument('redact must be a function that takes an event and returns what may be seen.');
  return { admin, title, operations: [...operations] as OperationKind[], redact, parent };
}
