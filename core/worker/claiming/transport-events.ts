/** What this process's transport tells that a worker must know of: it is why nothing has to be polled here. */
import type {
  Transport,
  TransportEventName,
  TransportEvents,
  TransportListener,
} from '../../contract/transport.ts';

export interface NewsReader {
  /** True for what this worker holds: settling it is followed by a claim anyway. */
  isOwn(groupId: string, seq: number): boolean;
  readonly workerId: string;
  /** A group may have become claimable. */
  freed(): void;
  /** A group is locked until then, epoch ms. */
  locked(until: number): void;
  closed(error: Error | null): void;
}

/** Listens until the function it returns is called. */
export function listen<Event>(transport: Transport<Event>, reader: NewsReader): () => void {
  const ends: (() => void)[] = [];
  const on = <Name extends TransportEventName>(name: Name, listener: TransportListener<Name>) => {
    transport.on(name, listener);
    ends.push(() => transport.off(name, listener));
  };
  const freed = ({ seq, groupId }: TransportEvents['acked']) => {
    if (!reader.isOwn(groupId, seq)) reader.freed();
  };
  on('published', () => reader.freed());
  on('acked', freed);
  on('nacked', freed);
  on('buried', freed);
  on('claimed', ({ workerId, expiresAt }) => {
    if (workerId !== reader.workerId) reader.locked(expiresAt);
  });
  on('extended', ({ seq, groupId, expiresAt }) => {
    if (!reader.isOwn(groupId, seq)) reader.locked(expiresAt);
  });
  on('parked', ({ until }) => reader.locked(until));
  on('closed', ({ error }) => reader.closed(error));
  return () => {
    for (const end of ends) end();
  };
}
