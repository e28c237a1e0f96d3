/** A queue's admin as the page may use it: only the operations that the host allows, and events as it shows them. */
import type {
  MessageDetail,
  MessageRow,
  MessagesQuery,
  Operation,
  OperationKind,
  OperationResult,
  Page,
  QueueAdmin,
} from '../../core/contract/admin.ts';
import { LeaseholdError } from '../../core/contract/errors.ts';
import { type Redact, shownEvent } from './redaction.ts';

/** How much of an event a row shows; a row's text of this length may have been cut. */
const PREVIEW_LENGTH = 200;

export interface Guard {
  readonly admin: QueueAdmin;
  readonly operations: readonly OperationKind[];
  readonly redact: Redact | undefined;
}

export async function shownMessages(guard: Guard, query: MessagesQuery): Promise<Page<MessageRow>> {
  const page = await guard.admin.messages(query);
  if (!guard.redact) return page;
  return { ...page, rows: await Promise.all(page.rows.map((row) => shownRow(guard, row))) };
}

async function shownRow({ admin, redact }: Guard, row: MessageRow): Promise<MessageRow> {
  // Half an event cannot be parsed, so redact needs all of it; one that has gone since shows nothing.
  const whole =
    row.preview.length < PREVIEW_LENGTH ? row.preview : ((await admin.message(row.seq))?.eventJson ?? '""');
  return { ...row, preview: shownEvent(whole, redact).text.slice(0, PREVIEW_LENGTH) };
}

export async function shownMessage({ admin, redact }: Guard, seq: number): Promise<MessageDetail | null> {
  const detail = await admin.message(seq);
  if (!detail || !redact) return detail;
  const { text, isRedacted } = shownEvent(detail.eventJson, redact);
  return {
    ...detail,
    eventJson: text,
    preview: text.slice(0, PREVIEW_LENGTH),
    redacted: detail.redacted || isRedacted,
  };
}

/** Raises NOT_ALLOWED for an operation that the host did not allow, and for an edit of an event it hides parts of. */
export async function guardedOperate(guard: Guard, operation: Operation): Promise<OperationResult> {
  if (!guard.operations.includes(operation.kind))
    throw new LeaseholdError(
      'NOT_ALLOWED',
      `This app does not allow "${operation.kind}" from the inspector.`,
    );
  return guard.admin.operate(await withoutRedactedText(guard, operation));
}

/**
 * The page was never given the real text of a redacted event, so what it sends back cannot be trusted to be one: the
 * text it was shown means "as it is", any other is an edit and refused. An event never changes under its seq, so
 * nothing can slip in between this look and the operation.
 */
async function withoutRedactedText({ admin, redact }: Guard, operation: Operation): Promise<Operation> {
  if (operation.kind !== 'republish' || operation.eventJson === undefined || !redact) return operation;
  const detail = await admin.message(operation.fence.seq);
  // Gone: the operation itself will say where it went.
  if (!detail) return operation;
  const shown = shownEvent(detail.eventJson, redact);
  if (!shown.isRedacted) return operation;
  if (operation.eventJson !== shown.text)
    throw new LeaseholdError(
      'NOT_ALLOWED',
      'This app hides parts of this event, so its text cannot be edited here: re-publish it as it is.',
    );
  const { eventJson: _shownText, ...asItIs } = operation;
  return asItIs;
}
