/** ack: removes a message, and its group's row with the group's last message. */
import { makeDropEmptyGroup } from './drop-empty-group.ts';
import { FENCE, type FencedMessage, fenceValues } from './fence.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** Returns false when the fence no longer fits; nothing has changed then. */
export function makeAck(context: VerbContext): (message: FencedMessage) => boolean {
  const remove = prepare(context, `DELETE FROM ${context.names.messages} WHERE ${FENCE}`);
  const dropEmptyGroup = makeDropEmptyGroup(context);
  return (message) => {
    if (remove.run(...fenceValues(message)).changes === 0) return false;
    const { seq, groupId } = message;
    dropEmptyGroup(groupId);
    context.afterCommit(() => context.issuedLocks.forget(message));
    context.emitAfterCommit('acked', { seq, groupId });
    return true;
  };
}
