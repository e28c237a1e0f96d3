import { LeaseholdError } from '../../contract/errors.ts';
import type { Snapshot } from './snapshot.ts';

const MAX_MI_CHARACTERS = 128;

/**
 * Counts the characters of an answer while its rows are read. The rows of a crafted file can share the pages of one long text:
 * a file of 100 MB then has rows of 100 MB each, and an answer with all of them would end the process that asked.
 */
export class AnswerSize {
  readonly #file: string;
  #left = MAX_MI_CHARACTERS * 2 ** 20;

  constructor({ db }: Snapshot) {
    this.#file = db.name;
  }

  /** Returns the row. Raises ANSWER_TOO_LARGE. */
  add<T extends object>(row: T): T {
    for (const value of Object.values(row)) if (typeof value === 'string') this.#left -= value.length;
    if (this.#left >= 0) return row;
    throw new LeaseholdError(
      'ANSWER_TOO_LARGE',
      `${this.#file}: The answer would have more than ${MAX_MI_CHARACTERS} Mi characters. Ask for fewer rows. A single message that is so long cannot be shown.`,
    );
  }
}
