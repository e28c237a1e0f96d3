/** Everything that the page reads from the queue, with the key under which TanStack Query caches it. */
import { keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  GroupRow,
  GroupsQuery,
  InspectorBridge,
  MessageDetail,
  MessageRow,
  MessagesQuery,
} from '../../../core/contract/admin.ts';
import { type ReadError, valueOrThrow } from './bridge.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { keyOf, type OpenMessage, textOf } from './open-message.ts';
import type { RowSource } from './windowed-list.ts';

/**
 * Only a change of the queue makes data out of date; ChangeFeed reports it. A failed read is shown at once and is repeated
 * with the next change, not on a timer.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        retry: false,
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        // In the default 5 minutes, a person who scrolls through a million rows would fill the memory with windows.
        gcTime: 10_000,
      },
    },
  });
}

export const overviewRead = (bridge: InspectorBridge) =>
  queryOptions({ queryKey: ['overview'], queryFn: () => valueOrThrow(bridge.overview()) });

export const infoRead = (bridge: InspectorBridge) =>
  queryOptions({ queryKey: ['info'], queryFn: () => valueOrThrow(bridge.info()), staleTime: 'static' });

export const groupRows = (bridge: InspectorBridge, query: GroupsQuery): RowSource<GroupRow> => ({
  key: ['groups', query],
  read: (offset, limit) => valueOrThrow(bridge.groups({ ...query, offset, limit })),
});

export const messageRows = (bridge: InspectorBridge, query: MessagesQuery): RowSource<MessageRow> => ({
  key: ['messages', query],
  read: (offset, limit) => valueOrThrow(bridge.messages({ ...query, offset, limit })),
});

export interface LastSeen {
  readonly message: OpenMessage;
  /** The message as it was last read; null if it never was read. */
  readonly detail: MessageDetail | null;
  /** The message has left the queue. */
  readonly isGone: boolean;
}

/** Reads single messages, one at a time. While another message is read, the previous one stays as a placeholder. */
export function messageReads(bridge: InspectorBridge) {
  const enqueue = oneAtATime();
  return (message: OpenMessage) =>
    queryOptions<LastSeen, ReadError>({
      queryKey: ['message', textOf(message)],
      queryFn: async ({ client, queryKey, signal }) => {
        const lastSeen = () => client.getQueryData<LastSeen>(queryKey);
        try {
          const isRefresh = lastSeen() !== undefined;
          const detail = await enqueue(() => valueOrThrow(bridge.message(keyOf(message))), signal, isRefresh);
          return { message, detail: detail ?? lastSeen()?.detail ?? null, isGone: detail === null };
        } catch (error) {
          // Without data, TanStack Query would show the previous message again, and no error, during the next read.
          if (!signal.aborted && lastSeen() === undefined)
            client.setQueryData<LastSeen>(queryKey, { message, detail: null, isGone: false });
          throw error;
        }
      },
      placeholderData: keepPreviousData,
    });
}
