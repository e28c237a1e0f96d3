import { scan, type Token, type TokenKind } from './scan.ts';

/** A stretch of the printed text; null is white space and punctuation, which share one colour. */
export interface Piece {
  readonly kind: Exclude<TokenKind, 'punctuation'> | null;
  readonly text: string;
}

/** The text on lines of its own, indented by two, in pieces that carry their colour. @throws JsonMistake */
export function prettyPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = '';
  let depth = 0;
  let previous: Token | null = null;
  // Deeper than this, indentation itself would outgrow the text.
  const line = () => `\n${'  '.repeat(Math.min(depth, 40))}`;

  for (const token of scan(text)) {
    const opened = previous?.text === '{' || previous?.text === '[' ? previous.kind === 'punctuation' : false;
    if (token.kind === 'punctuation') {
      if (token.text === '}' || token.text === ']') {
        depth -= 1;
        plain += opened ? token.text : line() + token.text;
      } else if (token.text === ',') plain += ',';
      else if (token.text === ':') plain += ': ';
      else {
        if (opened || isComma(previous)) plain += line();
        plain += token.text;
        depth += 1;
      }
    } else {
      if (opened || isComma(previous)) plain += line();
      if (plain !== '') pieces.push({ kind: null, text: plain });
      plain = '';
      pieces.push({ kind: token.kind, text: token.text });
    }
    previous = token;
  }
  if (plain !== '') pieces.push({ kind: null, text: plain });
  return pieces;
}

/** The text indented. @throws JsonMistake */
export function prettyJson(text: string): string {
  return prettyPieces(text)
    .map((piece) => piece.text)
    .join('');
}

/** The text without white space between its tokens. @throws JsonMistake */
export function compactJson(text: string): string {
  return scan(text)
    .map((token) => token.text)
    .join('');
}

/**
 * The pieces in stretches of about a hundred lines, each of which can be laid out by itself: the line break between two
 * stretches is left out. Neighbours of no colour become one.
 */
export function inChunks(pieces: readonly Piece[]): Piece[][] {
  const chunks: Piece[][] = [];
  let chunk: Piece[] = [];
  let lines = 0;
  const add = (piece: Piece) => {
    const last = chunk.at(-1);
    if (last?.kind === null && piece.kind === null)
      chunk[chunk.length - 1] = { kind: null, text: last.text + piece.text };
    else if (piece.text !== '') chunk.push(piece);
  };
  for (const piece of pieces) {
    // In JSON a line break stands only between tokens, where pieces have no colour.
    const breakAt = piece.kind === null ? piece.text.indexOf('\n') : -1;
    if (breakAt >= 0) lines += piece.text.split('\n').length - 1;
    if (breakAt >= 0 && lines >= CHUNK_LINES) {
      lines = 0;
      add({ kind: null, text: piece.text.slice(0, breakAt) });
      chunks.push(chunk);
      chunk = [];
      add({ kind: null, text: piece.text.slice(breakAt + 1) });
    } else add(piece);
  }
  return [...chunks, chunk];
}

const CHUNK_LINES = 100;

const isComma = (token: Token | null) => token?.kind === 'punctuation' && token.text === ',';
