/** A QueueAdmin over at most one message, without a queue. */
import type { MessageDetail, MessageFence, Operation, QueueAdmin } from '../../../core/contract/admin.ts';

export const FENCE: MessageFence = { seq: 1, lockedBy: null, fence: 0, deadId: null };

/** `operations` gets every operation that reaches the admin. Pass null for an admin without a message. */
export function adminOver(eventJson: string | null): { admin: QueueAdmin; operations: Operation[] } {
  const operations: Operation[] = [];
  const detail: MessageDetail | null =
    eventJson === null
      ? null
      : {
          seq: 1,
          deadId: null,
          groupId: 'g',
          state: 'ready',
          attempts: 0,
          priority: 0,
          routingKey: null,
          holder: null,
          expiresAt: null,
          publishedAt: 0,
          lastError: null,
          preview: eventJson.slice(0, 200),
          eventJson,
          redacted: false,
          originSeq: null,
          why: 'Next in line for a claim.',
          fence: FENCE,
        };
  const admin: QueueAdmin = {
    overview: async () => ({
      now: 0,
      file: 'queue.db',
      messages: 1,
      groups: 1,
      leased: 0,
      parked: 0,
      lapsed: 0,
      dead: 0,
      oldestPublishedAt: 0,
    }),
    groups: async () => ({ now: 0, rows: [], total: 0 }),
    messages: async () => ({ now: 0, rows: detail ? [detail] : [], total: detail ? 1 : 0 }),
    message: async () => detail,
    operate: async (operation) => {
      operations.push(operation);
      return { outcome: 'done', seq: 1 };
    },
    purge: async () => ({ deadLetters: 1, journal: 0, hasMore: false }),
    onChange: () => () => undefined,
    close: async () => undefined,
  };
  return { admin, operations };
}
