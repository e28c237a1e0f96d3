import { useMemo, useState } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { formatNumber } from '../ui/format.ts';
import { inChunks, type Piece, prettyPieces } from './pretty.ts';
import { JsonSyntaxError } from './scan.ts';

/** A longer event is cut to this many characters until the operator asks for all of it. */
const INITIAL_CHARACTERS = 60_000;
/** Later tokens have no colour: each colour takes an element. */
const MAX_COLOURED = 10_000;

export function JsonView({ text }: { readonly text: string }) {
  const [isExpanded, setExpanded] = useState(false);
  const { pieces, isJson, length } = useMemo(() => format(text), [text]);
  const shown = useMemo(() => (isExpanded ? pieces : truncate(pieces)), [pieces, isExpanded]);
  const chunks = useMemo(() => inChunks(shown), [shown]);
  return (
    <section className="event" aria-labelledby="event-title">
      <div className="event-head">
        <h3 id="event-title">Event</h3>
        {!isJson && <span className="event-note">Not JSON: shown exactly as in the file</span>}
        <CopyButton text={text} label="Copy" what="the event’s JSON" />
      </div>
      <pre className="json">
        {chunks.map((chunk, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: chunks have no other identity and change together
          <code className="json-lines" key={at}>
            {chunk.map(renderPiece)}
          </code>
        ))}
        {shown !== pieces && '…'}
      </pre>
      {shown !== pieces && (
        <button type="button" className="link" onClick={() => setExpanded(true)}>
          Show all {formatNumber(length)} characters
        </button>
      )}
    </section>
  );
}

function renderPiece({ kind, text }: Piece, at: number) {
  if (kind === null) return text;
  return (
    <span key={at} data-kind={kind}>
      {text}
    </span>
  );
}

function format(text: string): { pieces: readonly Piece[]; isJson: boolean; length: number } {
  try {
    const pieces = prettyPieces(text).map((piece, at) =>
      at < MAX_COLOURED ? piece : { ...piece, kind: null },
    );
    return { pieces, isJson: true, length: pieces.reduce((sum, piece) => sum + piece.text.length, 0) };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { pieces: [{ kind: null, text }], isJson: false, length: text.length };
  }
}

/** The first INITIAL_CHARACTERS; the same array when the event has no more. */
function truncate(pieces: readonly Piece[]): readonly Piece[] {
  let left = INITIAL_CHARACTERS;
  const shown: Piece[] = [];
  for (const piece of pieces) {
    if (piece.text.length > left) return [...shown, { ...piece, text: piece.text.slice(0, left) }];
    left -= piece.text.length;
    shown.push(piece);
  }
  return pieces;
}
