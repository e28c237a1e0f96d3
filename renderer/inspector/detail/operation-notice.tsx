import type { MessageDetail } from '../../../core/contract/admin.ts';
import { CloseButton } from '../ui/close-button.tsx';

export type Notice =
  /** `newSeq`: the message that a re-publish created. */
  | { readonly kind: 'done'; readonly text: string; readonly newSeq: number | null }
  /** The message had changed, so nothing was done. `text` says where it is now. */
  | { readonly kind: 'stale'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

interface Props {
  readonly notice: Notice;
  /** The message as it is now; null when it is no longer in the queue. */
  readonly current: MessageDetail | null;
  readonly onOpen: (seq: number) => void;
  readonly onDismiss: () => void;
}

/** The result of the last operation. */
export function OperationNotice({ notice, current, onOpen, onDismiss }: Props) {
  const newSeq = notice.kind === 'done' ? notice.newSeq : null;
  return (
    <div className="notice" data-kind={notice.kind} role={notice.kind === 'done' ? undefined : 'alert'}>
      <div>
        {notice.kind === 'stale' ? (
          <>
            <p>
              <b>The message has changed:</b> {notice.text} Nothing was done.
            </p>
            {current !== null && <p className="notice-hint">This page now shows its current state.</p>}
          </>
        ) : (
          <p>{notice.text}</p>
        )}
        {newSeq !== null && (
          <button type="button" className="link" onClick={() => onOpen(newSeq)}>
            Open message {newSeq}
          </button>
        )}
      </div>
      <CloseButton label="Dismiss" onClick={onDismiss} />
    </div>
  );
}
