/** Removes a group's row with its last message, as the specification's ack does. */
import { prepare, type VerbContext } from './verb-context.ts';

export function makeDropEmptyGroup(context: VerbContext): (groupId: string) => void {
  const { messages, groups } = context.names;
  const drop = prepare(
    context,
    `DELETE FROM ${groups} WHERE group_id = ? AND NOT EXISTS (SELECT 1 FROM ${messages} WHERE group_id = ?)`,
  );
  return (groupId) => {
    drop.run(groupId, groupId);
  };
}
