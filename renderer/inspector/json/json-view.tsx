import { useMemo, useState } from 'react';
import { count } from '../data/counts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { inChunks, type Piece, prettyPieces } from './pretty.ts';
import { JsonMistake } from './scan.ts';

/** Beyond these, a long event is shown in part first, and its rest without colours: each colour is an element. */
const SHOWN_AT_FIRST = 60_000;
const COLOURED = 10_000;

export function JsonView({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const { pieces, isJson, length } = useMemo(() => printed(text), [text]);
  const shown = useMemo(() => (isWhole ? pieces : cut(pieces)), [pieces, isWhole]);
  const chunks = useMemo(() => inChunks(shown), [shown]);
  return (
    <section className="event" aria-labelledby="event-title">
      <div className="event-head">
        <h3 id="event-title">Event</h3>
        {!isJson && <span className="event-note">Not JSON: shown as it is in the file</span>}
        <CopyButton text={text} label="Copy" what="the event’s JSON" />
      </div>
      <pre className="json">
        {chunks.map((chunk, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity and are drawn as a whole
          <code className="json-lines" key={at}>
            {chunk.map(drawn)}
          </code>
        ))}
        {shown !== pieces && '…'}
      </pre>
      {shown !== pieces && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          Show all {count(length)} characters
        </button>
      )}
    </section>
  );
}

function drawn({ kind, text }: Piece, at: number) {
  if (kind === null) return text;
  return (
    <span key={at} data-kind={kind}>
      {text}
    </span>
  );
}

function printed(text: string): { pieces: readonly Piece[]; isJson: boolean; length: number } {
  try {
    const pieces = prettyPieces(text).map((piece, at) => (at < COLOURED ? piece : { ...piece, kind: null }));
    return { pieces, isJson: true, length: pieces.reduce((sum, piece) => sum + piece.text.length, 0) };
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
    return { pieces: [{ kind: null, text }], isJson: false, length: text.length };
  }
}

/** The first part; the same array when that is all. */
function cut(pieces: readonly Piece[]): readonly Piece[] {
  let left = SHOWN_AT_FIRST;
  const out: Piece[] = [];
  for (const piece of pieces) {
    if (piece.text.length > left) return [...out, { ...piece, text: piece.text.slice(0, left) }];
    left -= piece.text.length;
    out.push(piece);
  }
  return pieces;
}
