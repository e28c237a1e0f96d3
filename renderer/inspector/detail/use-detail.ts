import { useCallback, useEffect, useRef, useState } from 'react';
import type { MessageDetail } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { useExpiries, useUpdates } from '../data/hooks.ts';
import { useServices } from '../data/services.ts';
import type { Problem } from '../data/windowed-list.ts';

export interface Seen {
  readonly seq: number;
  /** As it was last seen; null when it never was. */
  readonly detail: MessageDetail | null;
  /** It is in the queue no more. */
  readonly isGone: boolean;
  readonly problem: Problem | null;
}

/** One message, kept up to date. While another one is on its way, what was seen before stays. */
export function useDetail(seq: number): { seen: Seen | null; read: () => Promise<void> } {
  const { bridge } = useServices();
  const [seen, setSeen] = useState<Seen | null>(null);
  const wanted = useRef(seq);
  const again = useRef(false);
  const reading = useRef<Promise<void> | null>(null);

  // One question at a time: stepping through messages with j held down asks only for where it stops.
  const read = useCallback((): Promise<void> => {
    again.current = true;
    reading.current ??= (async () => {
      while (again.current) {
        again.current = false;
        const asked = wanted.current;
        const answer = await answered(bridge.message(asked));
        setSeen((before) => {
          const last = before?.seq === asked ? before.detail : null;
          if (!answer.ok) return { seq: asked, detail: last, isGone: false, problem: answer.error };
          return { seq: asked, detail: answer.value ?? last, isGone: answer.value === null, problem: null };
        });
      }
      reading.current = null;
    })();
    return reading.current;
  }, [bridge]);

  useEffect(() => {
    wanted.current = seq;
    void read();
  }, [seq, read]);
  useUpdates(read);
  useExpiries(() => [seen?.detail?.expiresAt ?? null]);

  return { seen, read };
}
