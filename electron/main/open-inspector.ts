/**
 * The inspector: a window that an Electron app opens over its own queue.
 *
 *   const admin = openAdmin({ path });
 *   openInspector({ admin, title: 'Background jobs' });
 *
 * The page is sandboxed, in a session of its own without a network, and can only make the calls of InspectorCalls. Redaction
 * and the choice of operations are decorators of the admin, in the main process: a page cannot get around them.
 */
import { app, type BrowserWindow } from 'electron';
import type { InspectorAct, QueueAdmin } from '../../core/contract/admin.ts';
import { BadArgument, LeaseholdError } from '../../core/contract/errors.ts';
import { OPERATION_KINDS } from '../../core/validate/admin-arguments.ts';
import {
  checkFields,
  checkFunction,
  checkList,
  checkOneOf,
  checkText,
  type FieldChecks,
  unchecked,
} from '../../core/validate/checks.ts';
import { PAGE_ORIGIN } from './inspector-session.ts';
import { createInspectorWindow, loadPage } from './inspector-window.ts';
import { PageConnection, type PageOptions } from './page-connection.ts';
import type { Redact } from './redact-event.ts';

export interface InspectorOptions {
  /** The queue to show. The caller keeps it: closing the window does not close the admin. */
  readonly admin: QueueAdmin;
  /** The window's title; default "Background jobs". */
  readonly title?: string | undefined;
  /**
   * The operations that a person may run. Default: every operation on one message, and not 'purge', which removes many dead
   * letters at once. `[]` makes the inspector read-only.
   */
  readonly operations?: readonly InspectorAct[] | undefined;
  /**
   * Returns the event with what must stay hidden removed or replaced, and the rest unchanged. It runs in the main process,
   * before an event crosses to the page. It covers events only: group ids and error texts are shown as they are, and a
   * search still matches hidden text.
   */
  readonly redact?: Redact | undefined;
  /** Keeps the inspector above this window. Default: no parent. */
  readonly parent?: BrowserWindow | undefined;
}

const ACTS: readonly InspectorAct[] = [...OPERATION_KINDS, 'purge'];

const OPTIONS: FieldChecks<InspectorOptions> = {
  admin(what, value) {
    if (typeof (value as Partial<QueueAdmin> | null)?.overview !== 'function')
      throw new BadArgument(`${what} must be a QueueAdmin: pass what openAdmin({ path }) returned.`);
  },
  title: checkText,
  operations(what, value) {
    checkList(what, value);
    for (const operation of value) checkOneOf(what, operation, ACTS);
  },
  redact: checkFunction,
  parent: unchecked,
};

interface OpenWindow {
  readonly window: BrowserWindow;
  readonly connection: PageConnection;
}

const openWindows = new Map<QueueAdmin, OpenWindow>();

/**
 * Opens the inspector over a queue, or brings its open window to the front, with these options from now on. Errors: BadArgument, and APP_NOT_READY before
 * the app is ready.
 */
export function openInspector(options: InspectorOptions): BrowserWindow {
  checkFields<InspectorOptions>('options of openInspector', options, OPTIONS, { required: ['admin'] });
  const { admin, title = 'Background jobs', redact, parent } = options;
  const operations = [...(options.operations ?? OPERATION_KINDS)];
  if (!app.isReady())
    throw new LeaseholdError(
      'APP_NOT_READY',
      'openInspector needs a ready app: call it after app.whenReady().',
    );
  const open = openWindows.get(admin);
  const pageOptions: PageOptions = { info: { title, operations }, redact };
  if (open) {
    const isOther = open.connection.update(pageOptions);
    open.window.setTitle(title);
    // What the page already shows may have to be hidden now.
    if (isOther) open.window.webContents.reload();
    bringToFront(open.window);
    return open.window;
  }
  const window = createInspectorWindow(title, parent);
  const connection = new PageConnection(window.webContents, PAGE_ORIGIN, admin, pageOptions);
  openWindows.set(admin, { window, connection });
  window.once('closed', () => {
    openWindows.delete(admin);
    connection.close();
  });
  void loadPage(window);
  return window;
}

function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  if (window.webContents.isCrashed()) window.webContents.reload();
  window.show();
  window.focus();
}
