import type { QueueAdmin } from '../../core/contract/admin.ts';

/** A QueueAdmin that forwards every call to `admin`, except those that `overrides` has. */
export function decorateAdmin(admin: QueueAdmin, overrides: Partial<QueueAdmin>): QueueAdmin {
  return {
    overview: () => admin.overview(),
    groups: (query) => admin.groups(query),
    messages: (query) => admin.messages(query),
    message: (seq) => admin.message(seq),
    operate: (operation) => admin.operate(operation),
    onChange: (listener) => admin.onChange(listener),
    close: () => admin.close(),
    ...overrides,
  };
}
