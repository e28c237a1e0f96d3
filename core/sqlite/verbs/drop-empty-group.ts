/** The specification's clean-up: a group's row goes with its last message. */
import { prepare, type Queue } from './verb-context.ts';

export function makeDropEmptyGroup(queue: Queue): (groupId: string) => void {
  const { messages, groups } = queue.names;
  const drop = prepare(
    queue,
    `DELETE FROM ${groups} WHERE group_id = ? AND NOT EXISTS (SELECT 1 FROM ${messages} WHERE group_id = ?)`,
  );
  return (groupId) => {
    drop.run(groupId, groupId);
  };
}
