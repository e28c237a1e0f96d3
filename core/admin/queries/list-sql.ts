/** What the SQL of the lists has in common: optional conditions, the search, and the page's offset and limit. */

export type Values = Readonly<Record<string, string | number>>;

/** Joins the conditions whose value is not undefined. A condition names its value as a parameter: `x = :x`. */
export function whereSql(
  conditions: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string | number | undefined>>,
): { readonly where: string; readonly values: Values } {
  const given = Object.entries(values).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  const where = given.map(([name]) => conditions[name]).filter((condition) => condition !== undefined);
  return {
    where: where.length > 0 ? `WHERE ${where.join(' AND ')}` : '',
    values: Object.fromEntries(given),
  };
}

/**
 * The condition that one of the columns contains the text, in any case, and its parameters; empty without a text. A text of
 * ASCII is left to LIKE, which ignores the case of ASCII letters only. For any other text GLOB gets both cases of each letter,
 * once with accents composed and once decomposed, as file names on macOS are. (A function in JavaScript took 2.6 times as long
 * as GLOB, which takes twice as long as LIKE.)
 */
export function containsSql(columns: readonly string[], text: string | undefined) {
  if (!text) return { condition: '', values: {} };
  const any = (test: string) => columns.map((column) => `${column} ${test}`).join(' OR ');
  if (Buffer.byteLength(text) === text.length) {
    const search = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
    return { condition: `(${any(String.raw`LIKE :search ESCAPE '\'`)})`, values: { search } };
  }
  const search = globPattern(text.normalize('NFC'));
  const decomposed = globPattern(text.normalize('NFD'));
  if (search === decomposed) return { condition: `(${any('GLOB :search')})`, values: { search } };
  return {
    condition: `(${any('GLOB :search')} OR ${any('GLOB :decomposed')})`,
    values: { search, decomposed },
  };
}

/** A GLOB pattern that matches `text` anywhere: a class for each letter and each wildcard. */
function globPattern(text: string): string {
  const classes = Array.from(text, (character) => {
    const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
    // Some letters become several in the other case, which a class cannot hold.
    const single = [...cases].filter((each) => [...each].length === 1);
    return single.length > 1 || /[*?[]/.test(character) ? `[${single.join('')}]` : character;
  });
  return `*${classes.join('')}*`;
}

const DEFAULT_PAGE_SIZE = 200;

export function pageOf({ offset = 0, limit = DEFAULT_PAGE_SIZE }: { offset?: number; limit?: number }) {
  return { offset, limit };
}
