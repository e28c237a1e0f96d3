/**
 * Reads JSON as text and never as values: a number keeps every digit that stands in the file, where JSON.parse would
 * round 9007199254740993, and an object keeps its keys in order and twice where they stand twice.
 *
 * The grammar is RFC 8259's. Reading is a loop with its own stack, so that no nesting depth can overflow the call stack.
 */

export type TokenKind = 'key' | 'string' | 'number' | 'literal' | 'punctuation';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

export class JsonMistake extends Error {
  /** Position in the text, from 0. */
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.name = 'JsonMistake';
    this.offset = offset;
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in a string
const SOUND = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expect = 'value' | 'first value or ]' | 'first key or }' | 'key' | ':' | ', or ]' | ', or }' | 'end';

const WANTED: Record<Expect, string> = {
  value: 'a value',
  'first value or ]': 'a value or “]”',
  'first key or }': 'a key in double quotes or “}”',
  key: 'a key in double quotes',
  ':': '“:” after the key',
  ', or ]': '“,” or “]”',
  ', or }': '“,” or “}”',
  end: 'the end of the text',
};

/** Every token but the white space. @throws JsonMistake at the first place that is not JSON. */
export function scan(text: string): Token[] {
  const tokens: Token[] = [];
  const open: ('{' | '[')[] = [];
  let at = 0;
  let expect = 'value' as Expect;

  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  const push = (kind: TokenKind, found: string, next: Expect) => {
    tokens.push({ kind, text: found });
    at += found.length;
    expect = next;
  };
  const afterValue = (): Expect => {
    const inside = open.at(-1);
    return inside === undefined ? 'end' : inside === '{' ? ', or }' : ', or ]';
  };
  const string = () => text.slice(at, stringEnd(text, at));
  const close = (bracket: string) => {
    open.pop();
    push('punctuation', bracket, afterValue());
  };

  for (;;) {
    at += take(SPACE)?.length ?? 0;
    const next = text[at];
    if (next === undefined) {
      if (expect === 'end') return tokens;
      throw new JsonMistake(`The text ends where ${WANTED[expect]} should stand.`, at);
    }
    if (expect === 'value' || expect === 'first value or ]') {
      if (next === ']' && expect === 'first value or ]') close(']');
      else if (next === '{' || next === '[') {
        open.push(next);
        push('punctuation', next, next === '{' ? 'first key or }' : 'first value or ]');
      } else if (next === '"') push('string', string(), afterValue());
      else {
        const literal = take(LITERAL);
        const number = literal ?? take(NUMBER);
        if (number === null || number === '') throw unexpected(text, at, expect);
        push(literal === null ? 'number' : 'literal', number, afterValue());
      }
    } else if (expect === 'key' || expect === 'first key or }') {
      if (next === '}' && expect === 'first key or }') close('}');
      else if (next === '"') push('key', string(), ':');
      else throw unexpected(text, at, expect);
    } else if (expect === ':' && next === ':') push('punctuation', ':', 'value');
    else if (expect === ', or ]' && next === ']') close(']');
    else if (expect === ', or }' && next === '}') close('}');
    else if (expect === ', or ]' && next === ',') push('punctuation', ',', 'value');
    else if (expect === ', or }' && next === ',') push('punctuation', ',', 'key');
    else throw unexpected(text, at, expect);
  }
}

export interface Mistake {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Null when the text is JSON, else where and how it is not, with line and column from 1. */
export function checkJson(text: string): Mistake | null {
  try {
    scan(text);
    return null;
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    return { message: error.message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

function unexpected(text: string, at: number, expect: Expect): JsonMistake {
  const found = /^(?:[\w$.+-]{1,20}|.)/su.exec(text.slice(at, at + 24))?.[0] ?? '';
  return new JsonMistake(`“${found}” stands where ${WANTED[expect]} should.`, at);
}

/** Where the string that starts here ends. One pattern for the whole string would overflow the matcher's stack. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    SOUND.lastIndex = at;
    at += SOUND.exec(text)?.[0].length ?? 0;
    const next = text[at];
    if (next === '"') return at + 1;
    if (next === undefined)
      throw new JsonMistake('This string is not closed: its last “"” is missing.', start);
    if (next !== '\\') {
      throw new JsonMistake('A line break or control character must be escaped in a string.', at);
    }
    ESCAPE.lastIndex = at;
    const escaped = ESCAPE.exec(text)?.[0];
    if (escaped === undefined) {
      throw new JsonMistake('This escape is unknown; a backslash itself is “\\\\”.', at);
    }
    at += escaped.length;
  }
}
