import { type FormEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { MovedNote, type PanelProps, usePauseWhileOpen } from './panel.tsx';
import { type Draft, draftOf, type Judged, judged, originalOf } from './republish.ts';

/** Publishes the event again at the tail of a group, as it is or edited, and removes it here. */
export function RepublishPanel({ basis, isBusy, hasMoved, onRun, onCancel }: PanelProps) {
  usePauseWhileOpen();
  const [draft, setDraft] = useState<Draft>(() => draftOf(basis));
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    text.current?.focus();
    text.current?.setSelectionRange(0, 0);
  }, []);
  // A long text may take longer to compare than a key takes to press.
  const settled = useDeferredValue(draft);
  const original = useMemo(() => originalOf(basis), [basis]);
  const verdict = useMemo(() => judged(original, settled), [original, settled]);
  const { mistake } = verdict;
  const isEdited = verdict.changes.length > 0 || verdict.eventDiff.length > 0;
  const edit = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { operation } = judged(original, draft);
    if (operation !== null && !isBusy) onRun(operation);
  };

  return (
    <form className="ask republish" onSubmit={submit} aria-label="Re-publish">
      <p>Publish it again at the tail of its group, and remove it here.</p>
      <MovedNote hasMoved={hasMoved} />
      <label className="field" htmlFor="republish-event">
        Event
      </label>
      <textarea
        ref={text}
        id="republish-event"
        spellCheck={false}
        autoComplete="off"
        rows={Math.min(10, Math.max(4, draft.event.split('\n').length))}
        readOnly={basis.redacted}
        aria-invalid={mistake !== null}
        aria-describedby="republish-mistake"
        value={draft.event}
        onChange={(event) => edit({ event: event.target.value })}
      />
      <p
        id="republish-mistake"
        className="mistake"
        data-sound={mistake === null || undefined}
        aria-live="polite"
      >
        {basis.redacted
          ? 'This app hides parts of this event: it can be re-published as it is.'
          : mistake === null
            ? 'JSON is sound'
            : `Line ${mistake.line}, column ${mistake.column}: ${mistake.message}`}
      </p>
      <div className="fields">
        <label className="field">
          Group
          <input type="text" value={draft.group} onChange={(event) => edit({ group: event.target.value })} />
        </label>
        <label className="field">
          Priority
          <select value={draft.priority} onChange={(event) => edit({ priority: Number(event.target.value) })}>
            {[0, 1, 2, 3, 4].map((priority) => (
              <option key={priority}>{priority}</option>
            ))}
          </select>
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
      <p className="quiet-text">Priority and routing key count only where this creates the group.</p>
      {isEdited && <Changes verdict={verdict} />}
      <div className="ask-buttons">
        <button
          type="submit"
          className="primary"
          aria-disabled={verdict.operation === null || isBusy || undefined}
        >
          {isEdited ? 'Re-publish edited' : 'Re-publish as it is'}
        </button>
        <button type="button" className="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const MARKS = { same: ' ', gone: '−', new: '+', skip: '⋯' } as const;

function Changes({ verdict }: { readonly verdict: Judged }) {
  return (
    <section className="changes" aria-label="Changes">
      {verdict.changes.map(({ field, before, after }) => (
        <p key={field}>
          {field}: <del>{before === '' ? 'none' : before}</del> → <ins>{after === '' ? 'none' : after}</ins>
        </p>
      ))}
      {verdict.eventDiff.length > 0 && (
        <pre className="diff">
          {verdict.eventDiff.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity and are drawn as a whole
            <span key={at} data-kind={line.kind}>
              {MARKS[line.kind]} {line.text}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </section>
  );
}
