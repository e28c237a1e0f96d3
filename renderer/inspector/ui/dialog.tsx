import { type ReactNode, useEffect, useId, useRef } from 'react';
import { CloseButton } from './close-button.tsx';

interface Props {
  readonly title: string;
  /** Called after Esc or the close button. The parent then stops rendering the dialog. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A modal dialog. The native element keeps the focus inside, makes the page behind it inert, closes on Esc and returns the
 * focus.
 */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <CloseButton label="Close" onClick={() => dialog.current?.close()} />
      </div>
      {children}
    </dialog>
  );
}
