/** The inspector's calls as the main process answers them: for each call, the check of its argument and the call itself. */
import type { InspectorCalls, InspectorInfo, QueueAdmin } from '../../core/contract/admin.ts';
import {
  checkedGroupsQuery,
  checkedMessageKey,
  checkedMessagesQuery,
  checkedOperation,
} from '../../core/validate/admin-arguments.ts';
import { readRetention } from '../../core/validate/retention-arguments.ts';

export type InspectorHandlers = {
  readonly [Name in keyof InspectorCalls]: (argument: unknown) => ReturnType<InspectorCalls[Name]>;
};

/**
 * The page is a trust boundary, so its arguments are checked here, before a decorator of the admin reads them.
 *
 * An admin from openAdmin checks them again, as it does for every caller. A check takes about 1 µs, and openInspector also
 * accepts an app's own QueueAdmin, so it does not tell the two apart.
 */
export function inspectorHandlers(admin: QueueAdmin, info: InspectorInfo): InspectorHandlers {
  return {
    overview: () => admin.overview(),
    groups: (query) => admin.groups(checkedGroupsQuery(query)),
    messages: (query) => admin.messages(checkedMessagesQuery(query)),
    message: (key) => admin.message(checkedMessageKey(key)),
    operate: (operation) => admin.operate(checkedOperation(operation)),
    purge: (retention) => admin.purge(readRetention('retention', retention)),
    info: () => Promise.resolve(info),
  };
}
