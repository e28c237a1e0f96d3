import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MessageDetail } from '../../../core/contract/admin.ts';
import type { ReadError } from '../data/bridge.ts';
import { useExpiries } from '../data/hooks.ts';
import type { OpenMessage } from '../data/open-message.ts';
import { type LastSeen, messageReads } from '../data/reads.ts';
import { useServices } from '../data/services.ts';

export interface SeenMessage extends LastSeen {
  readonly error: ReadError | null;
}

export interface DetailRead {
  /** Null until the first read has ended. */
  readonly seen: SeenMessage | null;
  /** Reads the message again. Resolves with its newest known state. */
  readonly refresh: () => Promise<MessageDetail | null>;
}

/** One message, kept up to date. While another message is read, the previous one stays. */
export function useDetail(message: OpenMessage): DetailRead {
  const { bridge } = useServices();
  const [readOf] = useState(() => messageReads(bridge));
  const { data, error, refetch } = useQuery(readOf(message));
  useExpiries(() => [data?.detail?.expiresAt ?? null]);
  const refresh = async () => (await refetch()).data?.detail ?? null;
  return { seen: data ? { ...data, error } : null, refresh };
}
