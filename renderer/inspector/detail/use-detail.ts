import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReadError } from '../data/bridge.ts';
import { useExpiries } from '../data/hooks.ts';
import { type LastSeen, messageReads } from '../data/reads.ts';
import { useServices } from '../data/services.ts';

export interface Seen extends LastSeen {
  readonly error: ReadError | null;
}

/** One message, kept up to date. While another message is read, the previous one stays. */
export function useDetail(seq: number): {
  readonly seen: Seen | null;
  readonly read: () => Promise<unknown>;
} {
  const { bridge } = useServices();
  const [readOf] = useState(() => messageReads(bridge));
  const { data, error, refetch } = useQuery(readOf(seq));
  useExpiries(() => [data?.detail?.expiresAt ?? null]);
  const seen = data ?? (error && { seq, detail: null, isGone: false });
  return { seen: seen && { ...seen, error }, read: refetch };
}
