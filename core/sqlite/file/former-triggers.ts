/** Triggers of earlier versions, by which an older file is recognised as our own. Upgrading replaces them. */
import { type Names, PARKED } from './names.ts';

export function triggersOfSchema1({ messages, groups }: Names): string[] {
  const lastLock = (groupId: string) =>
    `(SELECT MAX(lock_expiry) FROM ${messages} WHERE group_id = ${groupId} AND locked_by IS NOT NULL)`;
  return [
    `CREATE TRIGGER ${messages}_lock_changed
AFTER UPDATE OF locked_by, lock_expiry ON ${messages}
WHEN NEW.deliveries = OLD.deliveries
BEGIN
  UPDATE ${groups} SET locked_behind = 1
  WHERE NEW.locked_by IS NOT NULL AND group_id = NEW.group_id
    AND NEW.seq > (SELECT MIN(seq) FROM ${messages} WHERE group_id = NEW.group_id);
  UPDATE ${groups} SET blocked_until = CASE
      WHEN locked_behind THEN ${lastLock('NEW.group_id')}
      WHEN NEW.locked_by IS NOT NULL THEN NEW.lock_expiry
    END
  WHERE group_id = NEW.group_id AND (blocked_until IS NOT NULL OR NEW.locked_by = '${PARKED}');
END`,
    `CREATE TRIGGER ${messages}_lock_gone
AFTER DELETE ON ${messages}
WHEN OLD.locked_by IS NOT NULL
BEGIN
  UPDATE ${groups} SET blocked_until = CASE WHEN locked_behind THEN ${lastLock('OLD.group_id')} END
  WHERE group_id = OLD.group_id AND blocked_until IS NOT NULL;
END`,
  ];
}

/** Those that were written in another way in the first version of schema 2. */
export function formerTriggersOfSchema2({ messages, groups }: Names): string[] {
  return [
    `CREATE TRIGGER ${messages}_replaced
BEFORE INSERT ON ${messages} WHEN NEW.seq <> -1 AND EXISTS (SELECT 1 FROM ${messages} WHERE seq = NEW.seq)
BEGIN
  UPDATE ${groups} SET blocked_until = NULL WHERE group_id IN ((SELECT group_id FROM ${messages} WHERE seq = NEW.seq)) AND blocked_until IS NOT NULL;
END`,
  ];
}
