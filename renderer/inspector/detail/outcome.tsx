import type { MessageDetail } from '../../../core/contract/admin.ts';
import { CloseIcon } from '../ui/icons.tsx';
import { sentences } from './sentences.ts';

export type OutcomeOf =
  | { readonly kind: 'done'; readonly text: string; readonly newSeq: number | null }
  | { readonly kind: 'stale'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

interface Props {
  readonly outcome: OutcomeOf;
  /** The message as it is now; null when it is gone. */
  readonly fresh: MessageDetail | null;
  readonly onOpen: (seq: number) => void;
  readonly onDismiss: () => void;
}

/** What an operation did, or why it did nothing. */
export function Outcome({ outcome, fresh, onOpen, onDismiss }: Props) {
  const { kind } = outcome;
  return (
    <div className="notice" data-kind={kind} role={kind === 'done' ? undefined : 'alert'}>
      <div>
        {kind === 'stale' ? (
          <>
            <p>
              <b>The message moved on:</b> {sentences(outcome.text, 'Nothing was changed.')}
            </p>
            {fresh !== null && <p className="notice-hint">What you see here now is its state after that.</p>}
          </>
        ) : (
          <p>{outcome.text}</p>
        )}
        {kind === 'done' && outcome.newSeq !== null && (
          <button
            type="button"
            className="link"
            onClick={() => outcome.newSeq !== null && onOpen(outcome.newSeq)}
          >
            Open message {outcome.newSeq}
          </button>
        )}
      </div>
      <button type="button" className="icon-button" aria-label="Dismiss" onClick={onDismiss}>
        <CloseIcon />
      </button>
    </div>
  );
}
