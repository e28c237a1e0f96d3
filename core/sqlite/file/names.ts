/** The names of a queue's tables. Two prefixes in one file are two queues. */
import { BadArgument } from '../../contract/errors.ts';
import { show } from '../../validate/checks.ts';

export const DEFAULT_PREFIX = 'harel_transport';

/** The value of locked_by for a parked message. */
export { PARKED } from '../../validate/transport-arguments.ts';

export interface Names {
  readonly prefix: string;
  readonly messages: string;
  readonly groups: string;
  readonly deadLetters: string;
  readonly journal: string;
  readonly meta: string;
}

/** Raises BadArgument for a prefix that needs quoting in SQL, where the names are used without quotes. */
export function namesFor(prefix: string = DEFAULT_PREFIX): Names {
  if (typeof prefix !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(prefix) || /^sqlite_/i.test(prefix))
    throw new BadArgument(
      `tablePrefix ${show(prefix)} must be at most 64 letters, digits and underscores, must not begin with a digit, and must not begin with "sqlite_".`,
    );
  return {
    prefix,
    messages: `${prefix}_messages`,
    groups: `${prefix}_groups`,
    deadLetters: `${prefix}_dead_letters`,
    journal: `${prefix}_journal`,
    meta: `${prefix}_meta`,
  };
}
