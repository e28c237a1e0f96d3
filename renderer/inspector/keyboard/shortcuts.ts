/**
 * All keys of the page, except those of the operations, which operation-table.ts has. Handlers look a key up here and the
 * help renders these lines, so that they cannot differ.
 */
interface ShortcutLine {
  readonly help: string;
  /** KeyboardEvent.key by what it does. */
  readonly keys: Readonly<Record<string, string>>;
}

export const SHORTCUT_LINES = [
  { help: 'Next, previous row', keys: { next: 'j', previous: 'k' } },
  {
    help: 'The same with arrow keys; up from the first row to the headers',
    keys: { down: 'ArrowDown', up: 'ArrowUp' },
  },
  { help: 'Previous, next header', keys: { left: 'ArrowLeft', right: 'ArrowRight' } },
  { help: 'Page down, page up', keys: { pageDown: 'PageDown', pageUp: 'PageUp' } },
  { help: 'First, last row', keys: { first: 'Home', last: 'End' } },
  { help: 'Open the row, or sort by the header', keys: { open: 'Enter', openBySpace: ' ' } },
  { help: 'Close the message or the dialog', keys: { close: 'Escape' } },
  { help: 'Search', keys: { search: '/' } },
  { help: 'Groups, Messages', keys: { groups: '1', messages: '2' } },
  { help: 'This list', keys: { help: '?' } },
] as const satisfies readonly ShortcutLine[];

type NamesOf<Line> = Line extends { readonly keys: infer Keys } ? keyof Keys : never;
export type Shortcut = NamesOf<(typeof SHORTCUT_LINES)[number]>;

const NAMES: ReadonlyMap<string, Shortcut> = new Map(
  SHORTCUT_LINES.flatMap(({ keys }) => Object.entries(keys).map(([name, key]) => [key, name as Shortcut])),
);

export function shortcutOf(key: string): Shortcut | undefined {
  return NAMES.get(key);
}

const KEYS = Object.fromEntries([...NAMES].map(([key, name]) => [name, key])) as Record<Shortcut, string>;

export function keyOf(shortcut: Shortcut): string {
  return KEYS[shortcut];
}

const CAPS: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageDown: 'PgDn',
  PageUp: 'PgUp',
  Escape: 'Esc',
  ' ': 'Space',
};

/** What is printed on the key. */
export function keyCap(key: string): string {
  return CAPS[key] ?? key;
}
