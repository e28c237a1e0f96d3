import type { InspectorAct, QueueAdmin } from '../../core/contract/admin.ts';
import { LeaseholdError } from '../../core/contract/errors.ts';

/** A QueueAdmin whose `operate` and `purge` reject with NOT_ALLOWED for what is not in `allowed`. */
export function restrictedAdmin(admin: QueueAdmin, allowed: readonly InspectorAct[]): QueueAdmin {
  return {
    overview: () => admin.overview(),
    groups: (query) => admin.groups(query),
    messages: (query) => admin.messages(query),
    message: (key) => admin.message(key),
    async operate(operation) {
      if (!allowed.includes(operation.kind)) throw notAllowed(operation.kind);
      return admin.operate(operation);
    },
    async purge(retention) {
      if (!allowed.includes('purge')) throw notAllowed('purge');
      return admin.purge(retention);
    },
    onChange: (listener) => admin.onChange(listener),
    close: () => admin.close(),
  };
}

const notAllowed = (act: InspectorAct) =>
  new LeaseholdError('NOT_ALLOWED', `This app does not allow "${act}" from the inspector.`);
