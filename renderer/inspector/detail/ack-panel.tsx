import { focusOnMount } from '../ui/focus-on-mount.ts';
import type { PanelProps } from './panel-props.ts';

/** Ack removes the message and cannot be undone, so it needs a confirmation. */
export function AckPanel({ message, isBusy, onRun, onCancel }: PanelProps) {
  return (
    <fieldset className="operation-form">
      <legend className="visually-hidden">Confirm ack</legend>
      <p>
        Ack message {message.seq} and remove it? <span className="quiet-text">This cannot be undone.</span>
      </p>
      <div className="form-row">
        <button
          type="button"
          className="danger"
          aria-disabled={isBusy || undefined}
          onClick={() => onRun({ kind: 'ack', fence: message.fence })}
        >
          Ack and remove
        </button>
        {/* Has the focus, so that a key held down too long removes nothing. */}
        <button ref={focusOnMount} type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </fieldset>
  );
}
