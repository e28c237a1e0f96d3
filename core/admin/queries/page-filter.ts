/** Filters of the inspector's lists: conditions with their parameters, and the page that is asked for. */
export interface Filter {
  readonly where: string;
  readonly values: Record<string, string | number>;
}

/** Joins the conditions that have a value; the rest of a query's fields ask for nothing. */
export function filterOf(
  conditions: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string | number | undefined>>,
): Filter {
  const given = Object.entries(values).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  const where = given.map(([name]) => conditions[name]).filter((condition) => condition !== undefined);
  return {
    where: where.length > 0 ? `WHERE ${where.join(' AND ')}` : '',
    values: Object.fromEntries(given),
  };
}

/** better-sqlite3 takes a name that the statement does not use for a mistake. */
export function bound(
  sql: string,
  values: Readonly<Record<string, string | number>>,
): Record<string, string | number> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => sql.includes(`:${name}`)));
}

/** `text` as a LIKE pattern that finds it anywhere, with ESCAPE '\'; undefined when there is nothing to look for. */
export function likePattern(text: string | undefined): string | undefined {
  return text ? `%${text.replace(/[\\%_]/g, '\\$&')}%` : undefined;
}

const DEFAULT_PAGE_SIZE = 200;

export function windowOf({ offset = 0, limit = DEFAULT_PAGE_SIZE }: { offset?: number; limit?: number }) {
  return { offset, limit };
}
