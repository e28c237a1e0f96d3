/** Compares an edited draft with the message and builds a re-publish operation that contains only the changes. */
import type { MessageDetail, OperationOf } from '../../../core/contract/admin.ts';
import { type DiffLine, diffLines } from '../json/diff.ts';
import { compactJson, prettyJson } from '../json/pretty.ts';
import { checkJson, type JsonProblem } from '../json/scan.ts';

/** What the form's fields contain. */
export interface Draft {
  readonly event: string;
  readonly group: string;
  readonly priority: number;
  /** Empty means none. */
  readonly routingKey: string;
}

/** What every draft of a message is compared with, computed once. */
export interface DraftOrigin {
  readonly detail: MessageDetail;
  /** The draft without an edit. */
  readonly draft: Draft;
  /** The event without white space; null where it is not JSON. */
  readonly compactEvent: string | null;
}

export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

export interface DraftReview {
  /** False also for an event that differs in white space only. */
  readonly isEdited: boolean;
  readonly jsonProblem: JsonProblem | null;
  readonly fieldChanges: readonly FieldChange[];
  /** Empty when the event is unchanged or is not JSON. */
  readonly eventDiff: readonly DiffLine[];
  /** Null while the event is not JSON. */
  readonly operation: OperationOf<'republish'> | null;
}

export function originOf(detail: MessageDetail): DraftOrigin {
  const { eventJson } = detail;
  const isJson = checkJson(eventJson) === null;
  return {
    detail,
    draft: {
      event: isJson ? prettyJson(eventJson) : eventJson,
      group: detail.groupId,
      priority: detail.priority,
      routingKey: detail.routingKey ?? '',
    },
    compactEvent: isJson ? compactJson(eventJson) : null,
  };
}

export function reviewDraft(
  { detail, draft: original, compactEvent }: DraftOrigin,
  draft: Draft,
): DraftReview {
  const fieldChanges = [
    { field: 'Group', before: original.group, after: draft.group },
    { field: 'Priority', before: String(original.priority), after: String(draft.priority) },
    { field: 'Routing key', before: original.routingKey, after: draft.routingKey },
  ].filter(({ before, after }) => before !== after);

  const jsonProblem = checkJson(draft.event);
  if (jsonProblem !== null) {
    const isEdited = fieldChanges.length > 0 || draft.event !== original.event;
    return { isEdited, jsonProblem, fieldChanges, eventDiff: [], operation: null };
  }

  const eventJson = compactJson(draft.event);
  const isEventEdited = eventJson !== compactEvent;
  return {
    isEdited: fieldChanges.length > 0 || isEventEdited,
    jsonProblem,
    fieldChanges,
    eventDiff: isEventEdited ? diffLines(original.event, prettyJson(draft.event)) : [],
    operation: {
      kind: 'republish',
      fence: detail.fence,
      // An event that is left out keeps its text in the file, also the parts that the app hides from this page.
      ...(isEventEdited && { eventJson }),
      ...(draft.group !== original.group && { groupId: draft.group }),
      ...(draft.priority !== original.priority && { priority: draft.priority }),
      ...(draft.routingKey !== original.routingKey && {
        routingKey: draft.routingKey === '' ? null : draft.routingKey,
      }),
    },
  };
}
