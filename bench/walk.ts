/** The cost of a claim with various obstacles: its median compared with 1k messages in 100 groups. */
import type Database from 'better-sqlite3';
import type { ClaimOptions, Lease } from '../core/contract/transport.ts';
import { SqliteTransport } from '../core/index.ts';
import { type Backlog, EVENT, fill, named } from './backlog.ts';
import { openEmpty } from './bare.ts';
import { inFolder, median } from './measure.ts';
import { atMost, type Bench, forComparison, type Row } from './row.ts';

const SAMPLES = 2000;
const WARM_UP = 100;
const HOUR_MS = 3_600_000;
const GROUPS = 'harel_transport_groups';
const MESSAGES = 'harel_transport_messages';
const KEYS = Array.from({ length: 5000 }, (_, n) => `key${n}`);

interface Case {
  readonly what: string;
  readonly backlog: Backlog;
  /** Creates the obstacles. */
  arrange(transport: SqliteTransport, db: Database.Database): void;
  readonly claim?: ClaimOptions;
  /** True where nothing is claimable. */
  readonly idle?: boolean;
  /** How often the normal time a claim may take; default 2. */
  readonly most?: number;
}

/** The first claim after the arrangement has its own target. */
const FIRST_CLAIM_MS = 50;

/**
 * Claims every group and gives the last `kept` back, so that all others come before them. Parks the others when `park` is set,
 * and else leaves them in flight.
 */
function blockAllBut(kept: number, park: boolean) {
  return (transport: SqliteTransport, db: Database.Database) => {
    const groups = db.prepare(`SELECT COUNT(*) FROM ${GROUPS}`).pluck().get() as number;
    const leases: Lease[] = [];
    while (leases.length < groups) leases.push(...transport.claimMany('other', HOUR_MS, 1000));
    db.transaction(() => {
      for (const lease of leases.splice(groups - kept)) transport.nack(lease);
      if (park) for (const lease of leases) transport.nack(lease, HOUR_MS);
    })();
  };
}

const nothing = () => undefined;
const K = 100_000;
const WALK: Backlog = { messages: K, groups: K };

const CASES: readonly Case[] = [
  ...[
    [100_000, 10_000],
    [1_000_000, 1],
    [1_000_000, 100],
    [1_000_000, K],
  ].map(([messages = 0, groups = 0]) => ({
    what: `backlog ${named({ messages, groups })}`,
    backlog: { messages, groups },
    arrange: nothing,
  })),
  { what: `${K / 1000}k parked ahead of a ready one`, backlog: WALK, arrange: blockAllBut(1, true) },
  { what: `${K / 1000}k in flight ahead of a ready one`, backlog: WALK, arrange: blockAllBut(1, false) },
  { what: `idle: all of ${K / 1000}k parked`, backlog: WALK, arrange: blockAllBut(0, true), idle: true },
  { what: `idle: all of ${K / 1000}k in flight`, backlog: WALK, arrange: blockAllBut(0, false), idle: true },
  {
    what: `${K / 1000}k never claimed, below the floor, beside one above`,
    backlog: WALK,
    arrange: (transport) => transport.publish('urgent', EVENT, { priority: 3 }),
    claim: { minPriority: 2 },
  },
  {
    what: `${K / 1000}k of which all match one of 2 routing keys`,
    backlog: WALK,
    arrange: (_transport, db) => db.exec(`UPDATE ${GROUPS} SET routing_key = 'key' || (rowid % 2)`),
    claim: { routingKeys: ['key0', 'key1'] },
  },
  {
    what: `${K / 1000}k of which all match one of ${KEYS.length} routing keys`,
    backlog: WALK,
    arrange: (_transport, db) =>
      db.exec(`UPDATE ${GROUPS} SET routing_key = 'key' || (rowid % ${KEYS.length})`),
    claim: { routingKeys: KEYS },
    // A millisecond.
    most: 50,
  },
  {
    what: 'a group of 50k messages, of which one behind the head was parked once',
    backlog: { messages: 50_000, groups: 1 },
    arrange: (_transport, db) =>
      db.exec(`UPDATE ${MESSAGES} SET locked_by = '__parked__', lock_expiry = 1 WHERE seq = 40000`),
  },
];

/** A queue with its obstacles, on which claims are timed. */
class Subject {
  readonly #db: Database.Database;
  readonly #transport: SqliteTransport;
  readonly #claim: ClaimOptions;
  readonly #idle: boolean;
  readonly first: number;

  constructor(path: string, { backlog, arrange, claim = {}, idle = false }: Omit<Case, 'what' | 'most'>) {
    this.#db = openEmpty(path, 'normal');
    fill(this.#db, backlog);
    this.#transport = new SqliteTransport({ database: this.#db, durability: 'normal' });
    this.#claim = claim;
    this.#idle = idle;
    arrange(this.#transport, this.#db);
    this.first = this.claimOnce() / 1000;
  }

  /** The time of a claim in microseconds. The message is given back outside that time. */
  claimOnce(): number {
    const start = performance.now();
    const lease: Lease | null = this.#transport.claim('worker', 30_000, this.#claim);
    const took = (performance.now() - start) * 1000;
    if ((lease === null) !== this.#idle)
      throw new Error(this.#idle ? 'Something was claimable.' : 'Nothing was claimable.');
    if (lease) this.#transport.nack(lease, 0, { countAttempt: false });
    return took;
  }

  close(): void {
    this.#db.close();
  }
}

/** Alternates with the small queue claim by claim, so that a slow moment of the machine affects both. */
function against(base: Subject, subject: Subject): { base: number; p50: number } {
  const samples = { base: [] as number[], subject: [] as number[] };
  for (let i = -WARM_UP; i < SAMPLES; i++) {
    const one = base.claimOnce();
    const other = subject.claimOnce();
    if (i < 0) continue;
    samples.base.push(one);
    samples.subject.push(other);
  }
  return { base: median(samples.base), p50: median(samples.subject) };
}

function firstClaim(what: string, ms: number): Row {
  return {
    what: `the first claim: ${what}`,
    target: `under ${FIRST_CLAIM_MS} ms`,
    result: `${ms.toFixed(1)} ms`,
    met: ms < FIRST_CLAIM_MS,
  };
}

export const walk: Bench = {
  title: 'A claim with various obstacles (NORMAL)',
  async run() {
    const rows: Row[] = [];
    for (const { what, most = 2, ...rest } of CASES) {
      const found = await inFolder((folder) => {
        const small = new Subject(`${folder}/small.db`, {
          backlog: { messages: 1000, groups: 100 },
          arrange: nothing,
        });
        const subject = new Subject(`${folder}/queue.db`, rest);
        const { base, p50 } = against(small, subject);
        small.close();
        subject.close();
        const detail = `p50 ${p50.toFixed(0)} µs against ${base.toFixed(0)} µs`;
        return [atMost(what, most, p50 / base, detail), firstClaim(what, subject.first)];
      });
      rows.push(...found);
    }
    return [forComparison('what each is compared with', 'claim p50 at 1k / 100'), ...rows];
  },
};
