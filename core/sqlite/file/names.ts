/** The names of one queue's tables in its file; another prefix is another queue. */
import { BadArgument } from '../../contract/errors.ts';
import { show } from '../../validate/checks.ts';

export const DEFAULT_PREFIX = 'harel_transport';

/** Who holds a parked message, as the specification says. */
export const PARKED = '__parked__';

export interface Names {
  readonly prefix: string;
  readonly messages: string;
  readonly groups: string;
  readonly deadLetters: string;
  readonly journal: string;
  readonly meta: string;
}

/** Refuses a prefix that would need quoting: the names go into SQL text as they are. */
export function namesFor(prefix: string = DEFAULT_PREFIX): Names {
  if (typeof prefix !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(prefix) || /^sqlite_/i.test(prefix))
    throw new BadArgument(
      `tablePrefix ${show(prefix)} must be letters, digits and underscores (at most 64, no digit first, not "sqlite_…").`,
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
