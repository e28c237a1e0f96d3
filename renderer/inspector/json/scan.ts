/**
 * Splits JSON into tokens without converting values: a number keeps every digit, where JSON.parse would round
 * 9007199254740993, and an object keeps the order of its keys and repeated keys.
 *
 * The grammar is RFC 8259's. The scanner is a loop with its own stack, so deep nesting cannot overflow the call stack.
 */

export type TokenKind = 'key' | 'string' | 'number' | 'literal' | 'punctuation';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

export class JsonSyntaxError extends Error {
  /** Position in the text, from 0. */
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.name = 'JsonSyntaxError';
    this.offset = offset;
  }
}

const WHITE_SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids these characters in a string
const UNESCAPED = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expect = 'value' | 'first value or ]' | 'first key or }' | 'key' | ':' | ', or ]' | ', or }' | 'end';

const DESCRIPTIONS: Record<Expect, string> = {
  value: 'a value',
  'first value or ]': 'a value or “]”',
  'first key or }': 'a key in double quotes or “}”',
  key: 'a key in double quotes',
  ':': '“:” after the key',
  ', or ]': '“,” or “]”',
  ', or }': '“,” or “}”',
  end: 'the end of the text',
};

/** All tokens except white space. @throws JsonSyntaxError at the first position that is not JSON. */
export function scan(text: string): Token[] {
  const tokens: Token[] = [];
  const open: ('{' | '[')[] = [];
  let at = 0;
  let expect = 'value' as Expect;

  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  const push = (kind: TokenKind, found: string, next: Expect) => {
    tokens.push({ kind, text: found });
    at += found.length;
    expect = next;
  };
  const afterValue = (): Expect => {
    const container = open.at(-1);
    return container === undefined ? 'end' : container === '{' ? ', or }' : ', or ]';
  };
  const string = () => text.slice(at, stringEnd(text, at));
  const close = (bracket: string) => {
    open.pop();
    push('punctuation', bracket, afterValue());
  };

  for (;;) {
    at += match(WHITE_SPACE)?.length ?? 0;
    const next = text[at];
    if (next === undefined) {
      if (expect === 'end') return tokens;
      throw new JsonSyntaxError(`Unexpected end of the text: expected ${DESCRIPTIONS[expect]}.`, at);
    }
    if (expect === 'value' || expect === 'first value or ]') {
      if (next === ']' && expect === 'first value or ]') close(']');
      else if (next === '{' || next === '[') {
        open.push(next);
        push('punctuation', next, next === '{' ? 'first key or }' : 'first value or ]');
      } else if (next === '"') push('string', string(), afterValue());
      else {
        const literal = match(LITERAL);
        const number = literal ?? match(NUMBER);
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

export interface JsonProblem {
  readonly message: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** The first syntax error of the text; null when the text is JSON. */
export function checkJson(text: string): JsonProblem | null {
  try {
    scan(text);
    return null;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    return { message: error.message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

function unexpected(text: string, at: number, expect: Expect): JsonSyntaxError {
  const found = /^(?:[\w$.+-]{1,20}|.)/su.exec(text.slice(at, at + 24))?.[0] ?? '';
  return new JsonSyntaxError(`Unexpected “${found}”: expected ${DESCRIPTIONS[expect]}.`, at);
}

/** The end of the string that starts here. One pattern for the whole string would overflow the matcher's stack. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    UNESCAPED.lastIndex = at;
    at += UNESCAPED.exec(text)?.[0].length ?? 0;
    const next = text[at];
    if (next === '"') return at + 1;
    if (next === undefined) throw new JsonSyntaxError('This string has no closing “"”.', start);
    if (next !== '\\') {
      throw new JsonSyntaxError('A line break or control character in a string must be escaped.', at);
    }
    ESCAPE.lastIndex = at;
    const sequence = ESCAPE.exec(text)?.[0];
    if (sequence === undefined) {
      throw new JsonSyntaxError('Unknown escape sequence. Write a backslash as “\\\\”.', at);
    }
    at += sequence.length;
  }
}
