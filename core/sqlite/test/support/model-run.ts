/** Runs actions on a transport and on the model, and compares the results and the state after each. */
import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import type { Awaitable, Transport } from '../../../contract/transport.ts';
import type { Fairness } from '../../../index.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { brokenRules } from './file-check.ts';
import { Model, POISON } from './model.ts';
import { type Action, BROKEN, fenceLeases, type Pair } from './model-actions.ts';
import { SecondClient } from './second-client.ts';
import type { TempFolder } from './temp-folder.ts';

export type Open = (file: string, clock: FakeClock, fairness: Fairness) => Awaitable<Transport>;

export class ModelRun {
  readonly pair: Pair;
  readonly #db: Database.Database;
  /** Wall clock minus monotonic clock, when the transport last read them. */
  #offset: number;

  private constructor(pair: Pair, db: Database.Database) {
    this.pair = pair;
    this.#db = db;
    this.#offset = this.#readOffset();
  }

  static async open(folder: TempFolder, open: Open, fairness: Fairness): Promise<ModelRun> {
    const clock = new FakeClock();
    const reopen = (): Awaitable<Transport> => open(folder.file(), clock, fairness);
    const queue = await reopen();
    const db = new Database(folder.file());
    const pair: Pair = {
      queue,
      clock,
      model: new Model(clock.now(), fairness),
      second: new SecondClient(db, () => clock.now() / 1_000),
      leases: [],
      secondLeases: [],
      reopen: async () => {
        await pair.queue.close();
        pair.queue = await reopen();
        run.#offset = run.#readOffset();
      },
    };
    const run = new ModelRun(pair, db);
    return run;
  }

  /**
   * Runs one action, or several at the same time: an asynchronous transport gets those without waiting, and must return
   * results as if it had got them one after another. The first call that writes detects a clock step, so the model follows
   * before it.
   */
  async act(actions: readonly Action[]): Promise<void> {
    const { model, clock } = this.pair;
    const prepared = actions.map((action) => action.prepare(this.pair));
    if (prepared.some(({ idle }) => !idle)) this.#followClock();
    const answers = await Promise.all(prepared.map(({ call }) => outcome(call)));
    for (const [n, { expected }] of prepared.entries())
      assert.deepEqual(answers[n], expected(), actions[n]?.text);
    fenceLeases(this.pair);
    model.now = clock.now();
    model.monotonic = clock.monotonic();
    await this.#compare();
  }

  async close(): Promise<void> {
    await this.pair.queue.close();
    this.#db.close();
  }

  #followClock(): void {
    const offset = this.#readOffset();
    if (offset < this.#offset) this.pair.model.followClock();
    this.#offset = offset;
  }

  #readOffset(): number {
    return this.pair.clock.now() - this.pair.clock.monotonic();
  }

  async #compare(): Promise<void> {
    const { model, queue } = this.pair;
    assert.deepEqual(brokenRules(this.#db), []);
    const messages = this.#db
      .prepare(`SELECT seq, event, attempts, deliveries, crashes, last_error AS lastError, locked_by AS lockedBy,
                  lock_expiry AS expiry FROM harel_transport_messages ORDER BY seq`)
      .all();
    assert.deepEqual(
      messages,
      model.messages().map(({ event, lock, ...rest }) => ({
        ...rest,
        event: textOf(event),
        lockedBy: lock?.by ?? null,
        expiry: lock?.until ?? null,
      })),
    );
    const groups = this.#db
      .prepare(`SELECT group_id AS id, priority, routing_key AS key, last_claimed_at AS turn
                  FROM harel_transport_groups ORDER BY rowid`)
      .all();
    assert.deepEqual(
      groups,
      [...model.groups.values()].map(({ id, priority, key, turn }) => ({ id, priority, key, turn })),
    );
    const dead = await queue.deadLetters();
    assert.deepEqual(
      dead.map(({ seq, groupId, attempts, eventJson }) => ({ seq, groupId, attempts, eventJson })),
      [...model.dead.values()].map(({ seq, groupId, attempts, event }) => ({
        seq,
        groupId,
        attempts,
        eventJson: textOf(event),
      })),
    );
  }
}

const textOf = (event: unknown): string => (event === POISON ? BROKEN : JSON.stringify(event));

async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { error: error.code };
    throw error;
  }
}
