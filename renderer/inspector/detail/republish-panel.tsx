import { type FormEvent, useDeferredValue, useMemo, useState } from 'react';
import { Select } from '../ui/select.tsx';
import { DraftChanges } from './draft-changes.tsx';
import type { PanelProps } from './panel-props.ts';
import { type Draft, originOf, reviewDraft } from './republish-draft.ts';

const PRIORITIES = [0, 1, 2, 3, 4].map((priority) => [priority, String(priority)] as const);

const focusStart = (text: HTMLTextAreaElement | null): void => {
  text?.focus();
  text?.setSelectionRange(0, 0);
};

/** Edits the message before it is published again. */
export function RepublishPanel({ message, isBusy, onRun, onCancel }: PanelProps) {
  const origin = useMemo(() => originOf(message), [message]);
  const [draft, setDraft] = useState<Draft>(origin.draft);
  // Comparing a long event may take longer than the time between two keystrokes.
  const deferredDraft = useDeferredValue(draft);
  const review = useMemo(() => reviewDraft(origin, deferredDraft), [origin, deferredDraft]);
  const { jsonProblem } = review;
  const edit = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { operation } = reviewDraft(origin, draft);
    if (operation !== null) onRun(operation);
  };

  return (
    <form className="operation-form republish" onSubmit={submit} aria-label="Re-publish">
      <p>Publish a copy at the group’s tail and remove this message.</p>
      <label className="field" htmlFor="republish-event">
        Event
      </label>
      <textarea
        ref={focusStart}
        id="republish-event"
        spellCheck={false}
        autoComplete="off"
        rows={Math.min(10, Math.max(4, draft.event.split('\n').length))}
        readOnly={message.redacted}
        aria-invalid={jsonProblem !== null}
        aria-describedby="republish-json-status"
        value={draft.event}
        onChange={(event) => edit({ event: event.target.value })}
      />
      <p
        id="republish-json-status"
        className="json-status"
        data-invalid={jsonProblem !== null || undefined}
        aria-live="polite"
      >
        {message.redacted
          ? 'This app hides parts of this event, so the event cannot be edited.'
          : jsonProblem === null
            ? 'Valid JSON'
            : `Line ${jsonProblem.line}, column ${jsonProblem.column}: ${jsonProblem.message}`}
      </p>
      <div className="fields">
        <label className="field">
          Group
          <input type="text" value={draft.group} onChange={(event) => edit({ group: event.target.value })} />
        </label>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: Select renders the control */}
        <label className="field">
          Priority
          <Select value={draft.priority} options={PRIORITIES} onChange={(priority) => edit({ priority })} />
        </label>
        <label className="field">
          Routing key
          <input
            type="text"
            placeholder="none"
            value={draft.routingKey}
            onChange={(event) => edit({ routingKey: event.target.value })}
          />
        </label>
      </div>
      <p className="quiet-text">Priority and routing key apply only if this creates the group.</p>
      <DraftChanges {...review} />
      <div className="form-row">
        <button
          type="submit"
          className="primary"
          aria-disabled={review.operation === null || isBusy || undefined}
        >
          {review.isEdited ? 'Re-publish with changes' : 'Re-publish unchanged'}
        </button>
        <button type="button" className="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
