import type { DraftReview } from './republish-draft.ts';

const MARKS = { context: ' ', removed: '−', added: '+', gap: '⋯' } as const;

/** What an edited re-publish changes: the fields, then the lines of the event. Nothing without a change. */
export function DraftChanges({ fieldChanges, eventDiff }: DraftReview) {
  if (fieldChanges.length === 0 && eventDiff.length === 0) return null;
  return (
    <section className="changes" aria-label="Changes">
      {fieldChanges.map(({ field, before, after }) => (
        <p key={field}>
          {field}: <del>{before === '' ? 'none' : before}</del> → <ins>{after === '' ? 'none' : after}</ins>
        </p>
      ))}
      {eventDiff.length > 0 && (
        <pre className="diff">
          {eventDiff.map(({ kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity and change together
            <span key={index} data-kind={kind}>
              {MARKS[kind]} {text}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </section>
  );
}
