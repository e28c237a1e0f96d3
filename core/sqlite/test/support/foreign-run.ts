/** Runs a program of foreign statements and calls of Leasehold on one file, and compares each claim with the specification. */
import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import type { Awaitable, Lease, Transport } from '../../../contract/transport.ts';
import { type Fairness, LeaseholdError, LeaseLost } from '../../../index.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { type Compared, compareNextExpiry } from './foreign-reads.ts';
import { type ForeignStatement, GROUPS, MESSAGES, refreshSchema, runForeign } from './foreign-sql.ts';
import type { Filter } from './model.ts';
import { SecondClient, type SecondLease } from './second-client.ts';
import { Specification } from './specification.ts';

/** `place`: the file's path, or a connection of the app. */
export type Open = (
  place: string | Database.Database,
  clock: FakeClock,
  fairness: Fairness,
) => Awaitable<Transport>;

interface RunOptions {
  readonly fairness: Fairness;
  /** See Specification. */
  readonly flawed: boolean;
  /** The first transport is on a connection of the app, which runs statements as well. */
  readonly hasApp: boolean;
}

/** How a settle of a lease must end. 'either': a foreign statement may have written the lock with the value it had. */
type Held = 'yes' | 'no' | 'either';

interface HeldLease {
  lease: Lease;
  /** Which of the transports claimed it. */
  readonly index: number;
  held: Held;
  /** Another program gave the message another number. It can give it the old one back, with the lock that it had. */
  isRenumbered: boolean;
  /** The message's row as Leasehold left it. */
  row: MessageFacts | undefined;
}

interface MessageFacts {
  readonly content: string;
  readonly lockedBy: unknown;
  readonly lockExpiry: unknown;
}

export class ForeignRun implements Compared {
  hasTriggers = true;
  /**
   * The triggers on the messages name a column of the groups that is lost. Until a claim restores it, SQLite refuses what fires
   * them.
   */
  #refuses = false;
  readonly clock = new FakeClock();
  readonly file: string;
  readonly foreign: Database.Database;
  readonly app: Database.Database | null;
  readonly second: SecondClient;
  readonly specification: Specification;
  readonly secondLeases: SecondLease[] = [];
  readonly queues: Transport[] = [];
  readonly #open: (index: number) => Awaitable<Transport>;
  readonly #leases: HeldLease[] = [];
  readonly #facts: Database.Statement;

  private constructor(file: string, open: Open, { fairness, flawed, hasApp }: RunOptions) {
    this.file = file;
    this.app = hasApp ? new Database(file) : null;
    this.#open = (index) => open((index === 0 && this.app) || file, this.clock, fairness);
    this.foreign = new Database(file);
    this.second = new SecondClient(new Database(file), () => this.now);
    this.specification = new Specification(file, { flawed });
    this.#facts = this.foreign.prepare(
      `SELECT quote(group_id) || quote(event) AS content, locked_by AS lockedBy, lock_expiry AS lockExpiry
FROM ${MESSAGES} WHERE seq = ?`,
    );
  }

  static async open(file: string, open: Open, options: RunOptions): Promise<ForeignRun> {
    // It makes the tables.
    const first = await open(file, new FakeClock(), options.fairness);
    await first.holders();
    await first.close();
    const run = new ForeignRun(file, open, options);
    for (const index of [0, 1]) {
      const queue = await run.#open(index);
      // An answer shows that a thread has opened the file, and has looked for what it repairs.
      await queue.holders();
      run.queues.push(queue);
    }
    return run;
  }

  async close(): Promise<void> {
    for (const queue of this.queues) await queue.close();
    this.foreign.close();
    this.app?.close();
    this.second.db.close();
    this.specification.close();
  }

  /** Epoch seconds. */
  get now(): number {
    return this.clock.now() / 1_000;
  }

  async reopen(index: number): Promise<void> {
    await this.queues[index]?.close();
    this.queues[index] = await this.#open(index);
    await this.#settled();
  }

  /** Runs a statement of another program; `byApp`: on the connection of the first transport, if that is the app's. */
  foreignStatement(statement: ForeignStatement, byApp: boolean): void {
    const { plain = true, sql } = statement;
    if (plain) this.specification.copy();
    const { refused } = runForeign((byApp && this.app) || this.foreign, statement, this.now);
    if (plain && !(refused && this.#refuses))
      assert.equal(this.specification.effectDiffers(statement, refused, this.now), null);
    if (sql === `REDUCE ${GROUPS}`) this.#refuses = true;
    if (/^(REBUILD|REDUCE|DROP EACH)/.test(sql)) this.hasTriggers = false;
    const mayWriteLocks = /lock|REPLACE|kept|REBUILD|REDUCE|seq/.test(sql);
    this.#invalidateLeases(mayWriteLocks, /SET seq/.test(sql));
  }

  /**
   * After a write by somebody else: a lease whose message has another lock no longer settles. Without triggers, however,
   * another program can take the lock away and give it to the same worker id again unseen.
   */
  #invalidateLeases(mayWriteLocks: boolean, renumbers = false): void {
    for (const each of this.#leases) {
      if (each.held === 'no') continue;
      const row = this.#factsOf(each.lease.seq);
      const change = changeOfLock(row, each.row);
      if (!row && renumbers) each.isRenumbered = true;
      const mayReturn = !this.hasTriggers || each.isRenumbered;
      if ((change === 'other' || change === 'later') && !mayReturn) each.held = 'no';
      else if (change !== 'none' || mayWriteLocks || row?.content !== each.row?.content) each.held = 'either';
    }
  }

  secondClient(act: () => void): void {
    refreshSchema(this.second.db);
    try {
      act();
    } catch (error) {
      if (!this.#refuses || (error as { code?: unknown }).code !== 'SQLITE_ERROR') throw error;
    }
    this.#invalidateLeases(false);
  }

  /** Returns how many messages it claimed. */
  async claim(
    index: number,
    workerId: string,
    visibilityMs: number,
    limit: number,
    filter: Filter,
  ): Promise<number> {
    const queue = this.queue(index);
    // A write without effect: it follows the clock, which may shorten locks.
    await queue.release([]);
    this.specification.copy();
    const next = this.specification.next(this.now, filter);
    const dead = this.#count('harel_transport_dead_letters');
    this.hasTriggers = true;
    this.#refuses = false;
    const leases = await queue.claimMany(workerId, visibilityMs, limit, filter);
    const seqs = leases.map(({ seq }) => seq);
    const { difference, buried } = this.specification.compare(seqs, { now: this.now, limit, filter });
    assert.equal(
      difference,
      null,
      difference ? `${JSON.stringify(difference)}; the SELECT on the file: ${next}` : '',
    );
    for (const lease of leases) this.#checkLease(lease);
    assert.equal(
      this.#count('harel_transport_dead_letters') - dead,
      buried.length,
      'the number of dead letters',
    );
    for (const seq of buried) {
      const [row] = this.#rows(
        `SELECT last_error AS error FROM harel_transport_dead_letters WHERE seq = ? ORDER BY id DESC`,
        seq,
      );
      assert.ok(
        typeof row?.error === 'string' && row.error.length > 20,
        `message ${seq} is buried with a reason`,
      );
      assert.equal(this.#factsOf(seq), undefined, `message ${seq} is buried and removed`);
    }
    if (leases.length > 0) this.#checkTurns(leases);
    if (leases.length < limit) compareNextExpiry(this, await queue.nextExpiry(filter), filter);
    for (const each of this.#leases) if (seqs.includes(each.lease.seq)) each.held = 'no';
    for (const lease of leases)
      this.#leases.push({ lease, index, held: 'yes', isRenumbered: false, row: undefined });
    this.#settled();
    return leases.length;
  }

  /** The lease says what the file has. */
  #checkLease({ seq, groupId, event, workerId, expiresAt }: Lease): void {
    const [row] = this.#rows(
      `SELECT group_id AS groupId, event, locked_by AS workerId, lock_expiry AS expiry FROM ${MESSAGES} WHERE seq = ?`,
      seq,
    );
    assert.deepEqual(
      row && { ...row, event: JSON.parse(String(row.event)) },
      { groupId, event, workerId, expiry: expiresAt / 1_000 },
      `the lease of ${seq}`,
    );
  }

  /** The claimed groups are behind every other group whose turn is a number, so no such group starves. */
  #checkTurns(leases: readonly Lease[]): void {
    // By seq: a group id that is not UTF-8 reads as another text.
    const seqs = JSON.stringify(leases.map(({ seq }) => seq));
    const ahead = this.#rows(
      `WITH taken AS (SELECT g.* FROM ${GROUPS} g WHERE group_id IN (
  SELECT group_id FROM ${MESSAGES} WHERE seq IN (SELECT value FROM json_each(:seqs))))
SELECT quote(g.group_id) AS groupId, g.last_claimed_at AS turn, (SELECT MIN(last_claimed_at) FROM taken) AS taken
FROM ${GROUPS} g WHERE group_id NOT IN (SELECT group_id FROM taken) AND typeof(last_claimed_at) <> 'text'
  AND typeof(last_claimed_at) <> 'blob' AND last_claimed_at < 9e999
  AND last_claimed_at >= (SELECT MIN(last_claimed_at) FROM taken)`,
      { seqs },
    );
    assert.deepEqual(ahead, [], 'groups behind the claimed ones');
  }

  /** Calls `settle` with one of the newest leases. It must raise LeaseLost, and change nothing, if the lease is not held. */
  async settle(pick: number, settle: (queue: Transport, lease: Lease) => Awaitable<unknown>): Promise<void> {
    const each = this.#leases.at(-1 - (pick % Math.max(this.#leases.length, 1)));
    if (!each) return;
    const { index, lease } = each;
    const queue = this.queue(index);
    await queue.release([]);
    await this.#settled();
    const isThere = this.#factsOf(lease.seq) !== undefined;
    const before = this.#dump();
    let extended: unknown;
    try {
      extended = await settle(queue, lease);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      assert.notEqual(each.held, 'yes', `the lease of ${lease.seq} is held, but: ${error.message}`);
      assert.equal(this.#dump(), before, 'a settle that raises LeaseLost changes nothing');
      if (isThere || !each.isRenumbered) each.held = 'no';
      return;
    }
    assert.notEqual(
      isThere ? each.held : 'no',
      'no',
      `the lease of ${lease.seq} settled after another program wrote its lock`,
    );
    each.held = 'no';
    if (extended)
      this.#leases.push({
        lease: extended as Lease,
        index,
        held: 'yes',
        isRenumbered: false,
        row: undefined,
      });
    await this.#settled();
  }

  async release(index: number, workerIds: string[]): Promise<void> {
    await this.queue(index).release(workerIds);
    await this.#settled();
  }

  async publish(
    index: number,
    groupId: string,
    event: unknown,
    priority: number,
    key: string | null,
  ): Promise<void> {
    const exhausted = this.#sequenceEnd() >= BigInt(Number.MAX_SAFE_INTEGER);
    try {
      const seq = await this.queue(index).publish(groupId, event, { priority, routingKey: key });
      const [row] = this.#rows(`SELECT group_id, event FROM ${MESSAGES} WHERE seq = ?`, seq);
      assert.deepEqual(row, { group_id: groupId, event: JSON.stringify(event) }, 'what was published');
      assert.equal(exhausted, false, 'a seq beyond 2^53 was given');
    } catch (error) {
      if (!exhausted || !isDocumented(error)) throw error;
    }
    await this.#settled();
  }

  async republish(index: number, pick: number): Promise<void> {
    const queue = this.queue(index);
    const dead = await queue.deadLetters();
    const letter = dead[pick % Math.max(dead.length, 1)];
    if (!letter) return;
    try {
      await queue.republish(letter.id);
    } catch (error) {
      if (!isDocumented(error)) throw error;
    }
    await this.#settled();
  }

  queue(index: number): Transport {
    return this.queues[index] as Transport;
  }

  /** Remembers the rows of the leases as Leasehold left them. A message that it removed or freed has no lease. */
  #settled(): void {
    for (const each of this.#leases) {
      if (each.held === 'no') continue;
      const row = this.#factsOf(each.lease.seq);
      if (!row && each.isRenumbered) continue;
      if (!row || row.lockedBy !== each.lease.workerId) each.held = 'no';
      else each.row = row;
    }
  }

  #factsOf(seq: number | bigint): MessageFacts | undefined {
    return this.#facts.get(seq) as MessageFacts | undefined;
  }

  #sequenceEnd(): bigint {
    return this.foreign
      .prepare(
        `SELECT MAX((SELECT COALESCE(MAX(seq), 0) FROM ${MESSAGES}), COALESCE((SELECT seq FROM sqlite_sequence WHERE name = '${MESSAGES}'), 0))`,
      )
      .pluck()
      .safeIntegers(true)
      .get() as bigint;
  }

  #count(table: string): number {
    return this.foreign.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get() as number;
  }

  #rows(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    return this.foreign.prepare(sql).all(...values) as Record<string, unknown>[];
  }

  /** The specification's columns of both tables. */
  #dump(): string {
    return JSON.stringify([
      this.#rows(
        `SELECT seq || '' AS seq, quote(group_id), quote(event), quote(locked_by), quote(lock_expiry) FROM ${MESSAGES} ORDER BY seq`,
      ),
      this.#rows(
        `SELECT quote(group_id), quote(last_claimed_at), quote(priority) FROM ${GROUPS} ORDER BY rowid`,
      ),
    ]);
  }
}

/** A lock of the same holder that only ends earlier is the same lease. Without triggers nobody sees that it ends later. */
function changeOfLock(
  row: MessageFacts | undefined,
  before: MessageFacts | undefined,
): 'none' | 'earlier' | 'later' | 'other' {
  if (!row || !before || row.lockedBy !== before.lockedBy) return 'other';
  const [now, then] = [row.lockExpiry, before.lockExpiry];
  if (now === then) return 'none';
  return typeof now === 'number' && typeof then === 'number' && now < then ? 'earlier' : 'later';
}

const isDocumented = (error: unknown): boolean =>
  error instanceof LeaseholdError && error.code !== 'UNEXPECTED';
