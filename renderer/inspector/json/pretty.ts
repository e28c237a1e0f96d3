import { scan, type Token, type TokenKind } from './scan.ts';

/** A part of the formatted text that has one colour; null is white space and punctuation, which have none. */
export interface Piece {
  readonly kind: Exclude<TokenKind, 'punctuation'> | null;
  readonly text: string;
}

/** The text formatted with an indentation of two spaces. @throws JsonSyntaxError */
export function prettyPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = '';
  let depth = 0;
  let previous: Token | null = null;
  // The limit keeps the indentation of a deeply nested text from outgrowing the text itself.
  const newLine = () => `\n${'  '.repeat(Math.min(depth, 40))}`;

  for (const token of scan(text)) {
    const opened = previous?.text === '{' || previous?.text === '[' ? previous.kind === 'punctuation' : false;
    if (token.kind === 'punctuation') {
      if (token.text === '}' || token.text === ']') {
        depth -= 1;
        plain += opened ? token.text : newLine() + token.text;
      } else if (token.text === ',') plain += ',';
      else if (token.text === ':') plain += ': ';
      else {
        if (opened || isComma(previous)) plain += newLine();
        plain += token.text;
        depth += 1;
      }
    } else {
      if (opened || isComma(previous)) plain += newLine();
      if (plain !== '') pieces.push({ kind: null, text: plain });
      plain = '';
      pieces.push({ kind: token.kind, text: token.text });
    }
    previous = token;
  }
  if (plain !== '') pieces.push({ kind: null, text: plain });
  return pieces;
}

/** The same as one string. @throws JsonSyntaxError */
export function prettyJson(text: string): string {
  return prettyPieces(text)
    .map((piece) => piece.text)
    .join('');
}

/** The text without white space between its tokens. @throws JsonSyntaxError */
export function compactJson(text: string): string {
  return scan(text)
    .map((token) => token.text)
    .join('');
}

const CHUNK_LINES = 100;

/**
 * Groups the pieces into chunks of about a hundred lines, which the browser lays out one by one. The line break between
 * two chunks is left out. Adjacent pieces without a colour become one.
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
    // A JSON text has line breaks only between tokens, in pieces without a colour.
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

const isComma = (token: Token | null) => token?.kind === 'punctuation' && token.text === ',';
