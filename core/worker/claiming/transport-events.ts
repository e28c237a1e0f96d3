/** Subscribes the worker to the events of its transport, so that changes made through it need no polling. */
import type {
  Transport,
  TransportEventName,
  TransportEvents,
  TransportListener,
} from '../../contract/transport.ts';

export interface TransportEventHandlers {
  /** True for a message that this worker holds. Its settle needs no wake-up: the same turn claims next. */
  isOwn(groupId: string, seq: number): boolean;
  /** A group may have become claimable. */
  onClaimable(): void;
  /** A group is locked until then, epoch ms. */
  onLocked(until: number): void;
  onClosed(error: Error | null): void;
}

/** Returns a function that ends the subscription. */
export function subscribe<E>(
  transport: Transport<E>,
  ownWorkerId: string,
  handlers: TransportEventHandlers,
): () => void {
  const unsubscribers: (() => void)[] = [];
  const on = <Name extends TransportEventName>(name: Name, listener: TransportListener<Name>) => {
    transport.on(name, listener);
    unsubscribers.push(() => transport.off(name, listener));
  };
  const onFreed = ({ seq, groupId }: TransportEvents['acked']) => {
    if (!handlers.isOwn(groupId, seq)) handlers.onClaimable();
  };
  on('published', () => handlers.onClaimable());
  on('acked', onFreed);
  on('nacked', onFreed);
  on('buried', onFreed);
  on('claimed', ({ workerId, expiresAt }) => {
    if (workerId !== ownWorkerId) handlers.onLocked(expiresAt);
  });
  on('extended', ({ seq, groupId, expiresAt }) => {
    if (!handlers.isOwn(groupId, seq)) handlers.onLocked(expiresAt);
  });
  on('parked', ({ until }) => handlers.onLocked(until));
  on('changed', () => handlers.onClaimable());
  on('closed', ({ error }) => handlers.onClosed(error));
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe();
  };
}
