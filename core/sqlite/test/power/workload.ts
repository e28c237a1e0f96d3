/**
 * Program: works on a queue under the library power-log.c. After each call it writes what is now promised as a mark (see
 * history.ts) into the log. It ends without closing the queue, as a process that loses power does.
 */
import { openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { systemClock } from '../../../contract/clock.ts';
import type { Lease, NewMessage, Transport } from '../../../contract/transport.ts';
import { AsyncSqliteTransport } from '../../async/async-transport.ts';
import type { Durability } from '../../file/prepare-connection.ts';
import { SqliteTransport } from '../../sqlite-transport.ts';
import { programArguments, waitForStart } from '../support/program-side.ts';
import { randomFrom } from '../support/random.ts';
import type { Delivery, Mark } from './history.ts';
import { markPathOf } from './power-log.ts';

export interface WorkloadArguments {
  readonly file: string;
  readonly seed: number;
  readonly rounds: number;
  readonly durability: Durability;
  /** Uses AsyncSqliteTransport, with several calls at once. */
  readonly onThread: boolean;
  /** The first part of its workers' names. */
  readonly name: string;
  /** First makes a file as the specification's first version did, without routing keys and in an older journal mode. */
  readonly older?: boolean;
}

const {
  file,
  seed,
  rounds,
  durability,
  onThread,
  name,
  older = false,
} = programArguments<WorkloadArguments>();
await waitForStart();

const random = randomFrom(seed);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
const out = openSync(markPathOf(file), 'a');
const mark = (line: Mark): number => writeSync(out, JSON.stringify(line));

const HELD_MS = 600_000;
const MOST_MESSAGES = 25;
const held: Lease[] = [];
let workers = 0;
const newWorker = (): string => `${name}-${workers++}`;
const deliveryOf = ({ seq, workerId, delivery }: Lease): Delivery => [seq, workerId, delivery];

function makeOlderFile(): void {
  const db = new Database(file);
  db.exec(`PRAGMA journal_mode = DELETE;
    BEGIN;
    CREATE TABLE harel_transport_messages (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, event TEXT NOT NULL,
      locked_by TEXT, lock_expiry REAL);
    CREATE TABLE harel_transport_groups (
      group_id TEXT PRIMARY KEY, last_claimed_at REAL NOT NULL DEFAULT 0.0, priority INT NOT NULL DEFAULT 0);
    COMMIT`);
  for (let seq = 1; seq <= 12; seq++) {
    db.exec(`BEGIN;
      INSERT INTO harel_transport_messages (group_id, event) VALUES ('g${seq % 4}', '${seq}');
      INSERT OR IGNORE INTO harel_transport_groups (group_id) VALUES ('g${seq % 4}');
      COMMIT`);
  }
  db.close();
}

if (older) makeOlderFile();
const open = (): Transport =>
  onThread
    ? new AsyncSqliteTransport({ path: file, durability })
    : new SqliteTransport({ path: file, durability });
let queue = open();
// An opening is a promise as well: a file that was upgraded stays so.
await queue.nextExpiry();
mark({ quiet: true });
/** Another connection of the process, as an app or the inspector has one. */
let other = new Database(file);

/** Most events are small; some need pages of their own. */
const event = (): string => 'x'.repeat(pick([1, 10, 80, 80, 80, 200, 3_000, below(9_000)]));
const message = (): NewMessage => ({
  groupId: `g${below(6)}`,
  event: event(),
  priority: below(5),
  routingKey: pick([null, null, 'k']),
});

async function publish(): Promise<void> {
  const { groupId, event, ...options } = message();
  mark({ published: [await queue.publish(groupId, event, options)] });
}

async function publishMany(): Promise<void> {
  mark({ published: await queue.publishMany(Array.from({ length: 2 + below(5) }, message)) });
}

function hold(leases: readonly Lease[]): void {
  held.push(...leases);
  mark({ claimed: leases.map(deliveryOf) });
}

async function claim(): Promise<void> {
  hold(await queue.claimMany(newWorker(), HELD_MS, 1 + below(3)));
}

/** A claim whose lease lapses at once: the next claim takes the message again. */
async function claimBriefly(): Promise<void> {
  await queue.claim(newWorker(), 1, {
    minPriority: below(3),
    ...(random() < 0.5 ? { routingKeys: ['k'] } : {}),
  });
}

async function settle(): Promise<void> {
  const lease = held.splice(below(held.length), 1)[0];
  if (!lease) return publish();
  const { seq } = lease;
  const way = below(10);
  if (way < 3) {
    await queue.ack(lease);
    mark({ gone: [seq] });
  } else if (way < 5) {
    const next = await queue.ackAndClaim(lease, HELD_MS);
    mark({ gone: [seq] });
    if (next) hold([next]);
  } else if (way < 7) {
    await queue.nack(lease, pick([0, 1, 500]), { error: event() });
    mark({ returned: [deliveryOf(lease)] });
  } else if (way < 9) {
    hold([await queue.extend(lease, HELD_MS + below(1_000_000))]);
  } else {
    await queue.bury(lease, { error: 'by choice' });
    mark({ buried: [seq] });
  }
}

async function ackAndClaimMany(): Promise<void> {
  const leases = held.splice(0, 1 + below(3));
  const { claimed } = await queue.ackAndClaimMany(leases, newWorker(), HELD_MS, below(3));
  mark({ gone: leases.map(({ seq }) => seq) });
  hold(claimed);
}

/** Copies the WAL into the file. In the middle of another process's work it does what it can. */
function checkpoint(): void {
  try {
    other.pragma(`wal_checkpoint(${pick(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])})`);
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
  }
}

/** With only one process this ends the WAL: it is copied into the file and deleted. */
async function closeAndOpen(): Promise<void> {
  other.close();
  await queue.close();
  queue = open();
  other = new Database(file);
}

const isFull = (): boolean =>
  Number(other.prepare('SELECT count(*) FROM harel_transport_messages').pluck().get()) > MOST_MESSAGES;

async function step(): Promise<void> {
  const way = random();
  if (way < 0.25) return isFull() ? settle() : publish();
  if (way < 0.32) return isFull() ? claim() : publishMany();
  if (way < 0.5) return claim();
  if (way < 0.55) return claimBriefly();
  if (way < 0.9) return settle();
  return ackAndClaimMany();
}

for (let round = 1; round <= rounds; round++) {
  // Calls that arrive together share a commit on the thread.
  await Promise.all(Array.from({ length: onThread ? 1 + below(4) : 1 }, step));
  mark({ quiet: true });
  if (random() < 0.03) checkpoint();
  if (random() < 0.015) await closeAndOpen();
}
mark({ quiet: true, at: systemClock.now() });
process.exit(0);
