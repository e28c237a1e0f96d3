/** What an edited re-publish would change, and the operation that says only that. */
import type { MessageDetail, Operation } from '../../../core/contract/admin.ts';
import { type DiffLine, diffLines } from '../json/diff.ts';
import { compactJson, prettyJson } from '../json/pretty.ts';
import { checkJson, type Mistake } from '../json/scan.ts';

export interface Draft {
  readonly event: string;
  readonly group: string;
  readonly priority: number;
  /** Empty is none. */
  readonly routingKey: string;
}

export interface Change {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

export interface Judged {
  readonly mistake: Mistake | null;
  readonly changes: readonly Change[];
  readonly eventDiff: readonly DiffLine[];
  /** Null while something must be corrected first. */
  readonly operation: Operation | null;
}

/** What a draft is compared with, worked out once for all keystrokes. */
export interface Original extends Draft {
  readonly detail: MessageDetail;
  /** The event without white space; null where it is not JSON. */
  readonly compact: string | null;
}

export function originalOf(detail: MessageDetail): Original {
  const isJson = checkJson(detail.eventJson) === null;
  return { ...draftOf(detail), detail, compact: isJson ? compactJson(detail.eventJson) : null };
}

export function draftOf(detail: MessageDetail): Draft {
  return {
    event: checkJson(detail.eventJson) === null ? prettyJson(detail.eventJson) : detail.eventJson,
    group: detail.groupId,
    priority: detail.priority,
    routingKey: detail.routingKey ?? '',
  };
}

export function judged(original: Original, draft: Draft): Judged {
  const mistake = checkJson(draft.event);
  const { detail } = original;
  const compact = mistake === null ? compactJson(draft.event) : null;
  // Spaces alone are no change.
  const isEdited = compact !== null && compact !== original.compact;
  const eventDiff = isEdited ? diffLines(original.event, prettyJson(draft.event)) : [];
  const changes: Change[] = [];
  const note = (field: string, before: string, after: string) => {
    if (before !== after) changes.push({ field, before, after });
  };
  note('Group', original.group, draft.group);
  note('Priority', String(original.priority), String(draft.priority));
  note('Routing key', original.routingKey, draft.routingKey);
  if (compact === null) return { mistake, changes, eventDiff, operation: null };
  return {
    mistake,
    changes,
    eventDiff,
    operation: {
      kind: 'republish',
      fence: detail.fence,
      // The text left as it is also stays as it is where the host shows only a part of it.
      ...(isEdited && { eventJson: compact }),
      ...(draft.group !== original.group && { groupId: draft.group }),
      ...(draft.priority !== original.priority && { priority: draft.priority }),
      ...(draft.routingKey !== original.routingKey && {
        routingKey: draft.routingKey === '' ? null : draft.routingKey,
      }),
    },
  };
}
