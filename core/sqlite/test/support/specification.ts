/**
 * What the specification's own SQL says about a queue file: which messages a claim takes, and what another program's
 * statement does. It runs in a copy that has the specification's tables and nothing else.
 */
import { isUtf8 } from 'node:buffer';
import Database from 'better-sqlite3';
import { type ForeignStatement, GROUPS, MESSAGES, runForeign } from './foreign-sql.ts';
import type { Filter } from './model.ts';
import { SPECIFIED_TABLES, specifiedClaim, specifiedSchema } from './specified-sql.ts';

const PREFIX = 'harel_transport';
const MESSAGE_COLUMNS = SPECIFIED_TABLES.messages.columns;
const GROUP_COLUMNS = `rowid, ${SPECIFIED_TABLES.groups.columns}`;

interface Next {
  readonly seq: bigint;
  readonly group_id: unknown;
  readonly event: unknown;
}

/** What a claim of Leasehold did, beside the specification. */
export interface Difference {
  readonly specification: string;
  readonly leasehold: string;
}

export class Specification {
  readonly #file: Database.Database;
  readonly #isHeld: string;
  readonly #copy = new Database(':memory:');

  /** `flawed`: a lock ends a moment too early. Comparisons with a flawed specification must find differences. */
  constructor(path: string, { flawed = false } = {}) {
    this.#isHeld = flawed ? '>' : '>=';
    this.#file = new Database(path);
    this.#copy.exec(specifiedSchema(PREFIX));
    this.#copy.prepare('ATTACH ? AS queue').run(path);
  }

  close(): void {
    this.#file.close();
    this.#copy.close();
  }

  /** Copies the file as it is now. */
  copy(): void {
    this.#copy.exec(`BEGIN;
DELETE FROM main.${MESSAGES};
DELETE FROM main.${GROUPS};
DELETE FROM main.sqlite_sequence;
INSERT INTO main.${MESSAGES} (${MESSAGE_COLUMNS}) SELECT ${MESSAGE_COLUMNS} FROM queue.${MESSAGES};
INSERT INTO main.${GROUPS} (${GROUP_COLUMNS}) SELECT ${GROUP_COLUMNS} FROM queue.${GROUPS};
DELETE FROM main.sqlite_sequence;
INSERT INTO main.sqlite_sequence SELECT name, seq FROM queue.sqlite_sequence WHERE name = '${MESSAGES}';
COMMIT`);
  }

  /** The message that the specification's SELECT names in the file itself. */
  next(now: number, { minPriority, routingKeys }: Filter): bigint | null {
    const row = this.#file
      .prepare(specifiedClaim(PREFIX, routingKeys?.length, this.#isHeld))
      .safeIntegers(true)
      .get(minPriority, ...(routingKeys ?? []), now) as Next | undefined;
    return row?.seq ?? null;
  }

  /**
   * Compares a claim of up to `limit` messages with as many claims of the specification in the last copy. A message that
   * cannot be served exactly must have been buried by Leasehold; the specification's claim then goes on to the next.
   */
  compare(
    claimed: readonly number[],
    { now, limit, filter }: { now: number; limit: number; filter: Filter },
  ): { difference: Difference | null; buried: bigint[] } {
    const buried: bigint[] = [];
    const left = claimed.map(BigInt);
    for (let taken = 0; taken < limit; ) {
      const next = this.#nextInCopy(now, filter);
      const ours = left[0] ?? null;
      const fate = next && fateOf(next);
      if (next && next.seq === ours && fate !== 'buried') {
        left.shift();
        taken++;
        this.#copy
          .prepare(`UPDATE ${MESSAGES} SET locked_by = 'taken', lock_expiry = 9e999 WHERE seq = ?`)
          .run(next.seq);
      } else if (next && fate !== 'claimed') {
        buried.push(next.seq);
        this.#removeInCopy(next.seq);
      } else {
        if (next === null && ours === null) break;
        const after = buried.length > 0 ? `, after burying ${buried}` : '';
        const said = { specification: `${next?.seq ?? null}${after}`, leasehold: String(ours) };
        return { difference: said, buried };
      }
    }
    return { difference: null, buried };
  }

  /**
   * Runs a statement of another program in the last copy, and returns how the file differs from the copy then: Leasehold's
   * triggers must not change what a statement does.
   */
  effectDiffers(statement: ForeignStatement, refused: boolean, now: number): string | null {
    const expected = runForeign(this.#copy, statement, now);
    if (expected.refused !== refused) return refused ? 'SQLite refuses it' : 'SQLite does not refuse it';
    for (const [table, columns] of [
      [MESSAGES, MESSAGE_COLUMNS],
      [GROUPS, GROUP_COLUMNS],
    ] as const) {
      const [copy, file] = [`SELECT ${columns} FROM main.${table}`, `SELECT ${columns} FROM queue.${table}`];
      const rows = this.#copy
        .prepare(`SELECT * FROM (${copy} EXCEPT ${file}) UNION ALL SELECT * FROM (${file} EXCEPT ${copy})`)
        .safeIntegers(true)
        .raw()
        .all();
      if (rows.length > 0) return `other rows in ${table}: ${rows.map(String).join(' | ')}`;
    }
    return null;
  }

  #nextInCopy(now: number, { minPriority, routingKeys }: Filter): (Next & { text: Text }) | null {
    const row = this.#copy
      .prepare(specifiedClaim(PREFIX, routingKeys?.length, this.#isHeld))
      .safeIntegers(true)
      .get(minPriority, ...(routingKeys ?? []), now) as Next | undefined;
    if (!row) return null;
    const text = this.#copy
      .prepare(`SELECT typeof(group_id) = 'text' AND typeof(event) = 'text' AS isText,
  CAST(group_id AS BLOB) AS groupId, CAST(event AS BLOB) AS event FROM ${MESSAGES} WHERE seq = ?`)
      .get(row.seq) as Text;
    return { ...row, text };
  }

  #removeInCopy(seq: bigint): void {
    const groupId = this.#copy.prepare(`SELECT group_id FROM ${MESSAGES} WHERE seq = ?`).pluck().get(seq);
    this.#copy.prepare(`DELETE FROM ${MESSAGES} WHERE seq = ?`).run(seq);
    this.#copy
      .prepare(
        `DELETE FROM ${GROUPS} WHERE group_id = ? AND NOT EXISTS (SELECT 1 FROM ${MESSAGES} WHERE group_id = ?)`,
      )
      .run(groupId, groupId);
  }
}

interface Text {
  readonly isText: number;
  readonly groupId: Uint8Array;
  readonly event: Uint8Array;
}

const LAST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** 'either': text that is not UTF-8 may be served with replacement characters, or buried. */
function fateOf({ seq, event, text }: Next & { text: Text }): 'claimed' | 'buried' | 'either' {
  if (!text.isText || seq > LAST_EXACT || seq < -LAST_EXACT) return 'buried';
  try {
    JSON.parse(event as string);
  } catch {
    return 'buried';
  }
  return isUtf8(text.groupId) && isUtf8(text.event) ? 'claimed' : 'either';
}
