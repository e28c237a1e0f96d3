/** What the SQL of the lists has in common: optional conditions, LIKE patterns, and the page's offset and limit. */

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

/** A LIKE pattern (with ESCAPE '\') that matches `text` anywhere; undefined for an empty text. */
export function likePattern(text: string | undefined): string | undefined {
  return text ? `%${text.replace(/[\\%_]/g, '\\$&')}%` : undefined;
}

const DEFAULT_PAGE_SIZE = 200;

export function pageOf({ offset = 0, limit = DEFAULT_PAGE_SIZE }: { offset?: number; limit?: number }) {
  return { offset, limit };
}
