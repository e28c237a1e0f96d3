import { PREVIEW_LENGTH } from '../../core/admin/queries/list-messages.ts';
import type { MessageKey, MessageRow, Operation, QueueAdmin } from '../../core/contract/admin.ts';
import { LeaseholdError } from '../../core/contract/errors.ts';
import { type Redact, redactEvent } from './redact-event.ts';

const keyOf = ({ seq, deadId }: Pick<MessageRow, 'seq' | 'deadId'>): MessageKey =>
  deadId === null ? seq : { deadId };

/** A QueueAdmin that passes every event through `redact`, and refuses to save an edit of a redacted one. */
export function redactedAdmin(admin: QueueAdmin, redact: Redact): QueueAdmin {
  /** `redact` needs the whole event, and a preview of the full length may have been cut. A message that is gone shows "". */
  const wholeEvent = async (row: MessageRow) =>
    row.preview.length < PREVIEW_LENGTH
      ? row.preview
      : ((await admin.message(keyOf(row)))?.eventJson ?? '""');
  const previewOf = (text: string) => text.slice(0, PREVIEW_LENGTH);

  /**
   * Refuses an edit of a redacted event, which would overwrite what is hidden. The text that the page was given means
   * "unedited", so it is removed from the operation. An event never changes under its seq, so the operation finds the event
   * that is read here.
   */
  const checkedEdit = async (operation: Operation): Promise<Operation> => {
    if (!('eventJson' in operation) || operation.eventJson === undefined) return operation;
    const detail = await admin.message(keyOf(operation.fence));
    // Removed meanwhile: the operation's outcome is 'stale' and says so.
    if (!detail) return operation;
    const { text, isRedacted } = redactEvent(detail.eventJson, redact);
    if (!isRedacted) return operation;
    if (operation.eventJson !== text)
      throw new LeaseholdError(
        'NOT_ALLOWED',
        'This app hides parts of this event, so its text cannot be edited here: re-publish it as it is.',
      );
    const { eventJson: _redactedText, ...unedited } = operation;
    return unedited;
  };

  // Every call is listed: a new one that returns events must not be forwarded by default.
  return {
    overview: () => admin.overview(),
    groups: (query) => admin.groups(query),
    async messages(query) {
      const page = await admin.messages(query);
      const rows = page.rows.map(async (row) => {
        const { text } = redactEvent(await wholeEvent(row), redact);
        return { ...row, preview: previewOf(text) };
      });
      return { ...page, rows: await Promise.all(rows) };
    },
    async message(key) {
      const detail = await admin.message(key);
      if (!detail) return null;
      const { text, isRedacted } = redactEvent(detail.eventJson, redact);
      return {
        ...detail,
        eventJson: text,
        preview: previewOf(text),
        redacted: detail.redacted || isRedacted,
      };
    },
    operate: async (operation) => admin.operate(await checkedEdit(operation)),
    purge: (retention) => admin.purge(retention),
    onChange: (listener) => admin.onChange(listener),
    close: () => admin.close(),
  };
}
