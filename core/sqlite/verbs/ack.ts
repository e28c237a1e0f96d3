/** ack: the message is done; its group's row goes with the group's last message. */
import type { Lease } from '../../contract/transport.ts';
import { makeDropEmptyGroup } from './drop-empty-group.ts';
import { FENCE, fenceOf, prepare, type Queue } from './verb-context.ts';

/** False when the lease is no longer held; nothing has changed then. */
export function makeAck(queue: Queue): (lease: Lease<unknown>) => boolean {
  const remove = prepare(queue, `DELETE FROM ${queue.names.messages} WHERE ${FENCE}`);
  const dropEmptyGroup = makeDropEmptyGroup(queue);
  return (lease) => {
    if (remove.run(...fenceOf(queue, lease)).changes === 0) return false;
    dropEmptyGroup(lease.groupId);
    queue.own.forget(lease.seq);
    queue.tell('acked', { seq: lease.seq, groupId: lease.groupId });
    return true;
  };
}
