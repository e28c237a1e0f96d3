import { useEffect, useRef } from 'react';
import { MovedNote, type PanelProps, usePauseWhileOpen } from './panel.tsx';

/** Acking removes the message for good, so it takes a second step. */
export function AckPanel({ basis, isBusy, hasMoved, onRun, onCancel }: PanelProps) {
  usePauseWhileOpen();
  const keep = useRef<HTMLButtonElement>(null);
  // The safe answer has the focus: a key held down too long must not remove anything.
  useEffect(() => keep.current?.focus(), []);
  return (
    <fieldset className="ask">
      <legend className="visually-hidden">Confirm ack</legend>
      <p>
        Remove message {basis.seq} as done? <span className="quiet-text">This cannot be undone.</span>
      </p>
      <MovedNote hasMoved={hasMoved} />
      <div className="ask-buttons">
        <button
          type="button"
          className="danger"
          aria-disabled={isBusy || undefined}
          onClick={() => onRun({ kind: 'ack', fence: basis.fence })}
        >
          Ack and remove
        </button>
        <button ref={keep} type="button" onClick={onCancel}>
          Keep it
        </button>
      </div>
    </fieldset>
  );
}
