/**
 * Repairs what a crash of another program can leave. The specification's publish and ack are two autocommitted statements
 * each: between them a message has no group row (an orphan), and no claim can see it, or a group row has no messages (a
 * ghost).
 *
 * The whole file is looked through once after each opening, in slices, so that opening costs the same whatever the file
 * holds: the first slice during the opening, the others from a timer. The walk over the messages does one index seek for each
 * group. The write lock is taken only when something is found.
 */
import type { Database, Statement } from 'better-sqlite3';
import type { Clock } from '../../contract/clock.ts';
import type { Names } from './names.ts';

const SLICE_MS = 2;
const PAUSE_MS = 50;

/**
 * Another program may just be between the two statements of a publish, so an orphan is repaired only if it is still there
 * later.
 */
const PUBLISH_MS = PAUSE_MS;

/** The ids that one statement reads. */
const BATCH = 32;

/** A group id as the bytes of its text: the ids of other programs need not be valid text. */
type Id = Buffer;

interface Found {
  readonly id: Id;
  readonly broken: unknown;
}

export interface Restored {
  readonly seq: number;
  readonly groupId: string;
}

export class Repair {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onRestored: (message: Restored) => void;
  /** The walks that are not over yet, and how far the first of them is. */
  readonly #walks: Statement<[Id], Found>[];
  #cursor: Id = Buffer.alloc(0);
  /** The walk begins behind the empty id. */
  #suspects: Id[] = [Buffer.alloc(0)];
  readonly #statements: ReturnType<typeof prepare>;
  #cancelTimer: (() => void) | undefined;

  /** `onRestored` is called for the first message of each group that became claimable after the opening. */
  constructor(db: Database, names: Names, clock: Clock, onRestored: (message: Restored) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#onRestored = onRestored;
    this.#statements = prepare(db, names);
    this.#walks = [this.#statements.orphans, this.#statements.ghosts];
  }

  /**
   * Runs the first slice. What it finds is repaired when it returns, unless the file cannot be written now: a locked file or a
   * full disk is no reason not to open the queue.
   */
  start(): void {
    this.#walk();
    if (!this.#db.inTransaction && this.#suspects.some((id) => this.#isOrphan(id))) sleep(PUBLISH_MS);
    try {
      this.#repairSuspects();
    } catch (error) {
      if (!isBusy(error) && (error as { code?: unknown }).code !== 'SQLITE_FULL') throw error;
    }
    this.#continueLater();
  }

  stop(): void {
    this.#cancelTimer?.();
  }

  #continueLater(): void {
    if (this.#walks.length > 0 || this.#suspects.length > 0)
      this.#cancelTimer = this.#clock.after(PAUSE_MS, () => this.#slice());
  }

  /** Its errors are not told: whoever calls the transport meets the same trouble. The next opening looks again. */
  #slice(): void {
    try {
      if (!this.#db.inTransaction) {
        this.#repairWithoutWaiting();
        this.#walk();
      }
    } catch (error) {
      if (!isBusy(error)) return;
    }
    this.#continueLater();
  }

  #repairWithoutWaiting(): void {
    if (this.#suspects.length === 0) return;
    const timeout = Number(this.#db.pragma('busy_timeout', { simple: true }));
    this.#db.pragma('busy_timeout = 0');
    try {
      for (const message of this.#repairSuspects()) this.#onRestored(message);
    } finally {
      this.#db.pragma(`busy_timeout = ${timeout}`);
    }
  }

  /** Looks until the slice is over or the whole file was seen. */
  #walk(): void {
    const end = this.#clock.monotonic() + SLICE_MS;
    do {
      const found = this.#walks[0]?.all(this.#cursor);
      if (!found) return;
      for (const { id, broken } of found) if (broken) this.#suspects.push(id);
      const last = found.at(-1)?.id;
      // In a damaged index the next id can be one from before.
      if (last && Buffer.compare(last, this.#cursor) > 0) this.#cursor = last;
      else {
        this.#walks.shift();
        this.#cursor = Buffer.alloc(0);
      }
    } while (this.#clock.monotonic() < end);
  }

  /** In the order of arrival, because a claim breaks ties by rowid. */
  #repairSuspects(): Restored[] {
    const { head, restore, remove } = this.#statements;
    const orphans = this.#suspects
      .filter((id) => this.#isOrphan(id))
      .map((id) => ({ id, seq: Number(head.get(id)) }))
      .sort((a, b) => a.seq - b.seq);
    const ghosts = this.#suspects.filter((id) => this.#isGhost(id));
    if (orphans.length > 0 || ghosts.length > 0)
      this.#db
        .transaction(() => {
          for (const id of ghosts) remove.run({ id });
          for (const { id } of orphans) restore.run({ id });
        })
        .immediate();
    this.#suspects = [];
    return orphans.map(({ id, seq }) => ({ seq, groupId: id.toString() }));
  }

  #isOrphan(id: Id): boolean {
    const { hasRow, head } = this.#statements;
    return hasRow.get(id) === undefined && head.get(id) !== null;
  }

  #isGhost(id: Id): boolean {
    const { hasRow, head } = this.#statements;
    return hasRow.get(id) !== undefined && head.get(id) === null;
  }
}

/** Both changes look again, since the group may have changed before the write lock was there. */
function prepare(db: Database, { messages, groups }: Names) {
  const rowOf = (id: string) => `SELECT 1 FROM ${groups} WHERE group_id = CAST(${id} AS TEXT)`;
  const messageOf = (id: string) => `SELECT 1 FROM ${messages} WHERE group_id = CAST(${id} AS TEXT)`;
  const next = (id: string) =>
    `(SELECT CAST(group_id AS BLOB) FROM ${messages} WHERE group_id > CAST(${id} AS TEXT) ORDER BY group_id LIMIT 1)`;
  return {
    orphans: db.prepare<[Id], Found>(`
WITH RECURSIVE present(id, n) AS (
  SELECT ${next('?')}, 1
  UNION ALL
  SELECT ${next('id')}, n + 1 FROM present WHERE id IS NOT NULL AND n < ${BATCH}
)
SELECT id, NOT EXISTS (${rowOf('id')}) AS broken FROM present WHERE id IS NOT NULL`),
    ghosts: db.prepare<[Id], Found>(`
SELECT CAST(group_id AS BLOB) AS id, NOT EXISTS (SELECT 1 FROM ${messages} m WHERE m.group_id = g.group_id) AS broken
FROM ${groups} g WHERE group_id > CAST(? AS TEXT) ORDER BY group_id LIMIT ${BATCH}`),
    hasRow: db.prepare<[Id], unknown>(rowOf('?')),
    head: db
      .prepare<[Id], unknown>(`SELECT MIN(seq) FROM ${messages} WHERE group_id = CAST(? AS TEXT)`)
      .pluck(),
    restore: db.prepare<[{ id: Id }]>(
      `INSERT INTO ${groups} (group_id) SELECT CAST(@id AS TEXT) WHERE EXISTS (${messageOf('@id')}) AND NOT EXISTS (${rowOf('@id')})`,
    ),
    remove: db.prepare<[{ id: Id }]>(
      `DELETE FROM ${groups} WHERE group_id = CAST(@id AS TEXT) AND NOT EXISTS (${messageOf('@id')})`,
    ),
  };
}

function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
