import type { OperationKind, QueueAdmin } from '../../core/contract/admin.ts';
import { LeaseholdError } from '../../core/contract/errors.ts';

/** A QueueAdmin whose `operate` rejects with NOT_ALLOWED for every kind of operation that is not in `allowed`. */
export function restrictedAdmin(admin: QueueAdmin, allowed: readonly OperationKind[]): QueueAdmin {
  return {
    overview: () => admin.overview(),
    groups: (query) => admin.groups(query),
    messages: (query) => admin.messages(query),
    message: (key) => admin.message(key),
    async operate(operation) {
      if (!allowed.includes(operation.kind))
        throw new LeaseholdError(
          'NOT_ALLOWED',
          `This app does not allow "${operation.kind}" from the inspector.`,
        );
      return admin.operate(operation);
    },
    onChange: (listener) => admin.onChange(listener),
    close: () => admin.close(),
  };
}
