/**
 * Program: works on a queue under the library power-log.c. After each call it writes what is now promised as a mark (see
 * history.ts) into the log. It ends without closing the queue, as a process that loses power does.
 */
import { openSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { systemClock } from '../../../contract/clock.ts';
import type { Lease, NewMessage } from '../../../contract/transport.ts';
import { AsyncSqliteTransport } from '../../async/async-transport.ts';
import type { Durability } from '../../file/prepare-connection.ts';
import { SqliteTransport } from '../../sqlite-transport.ts';
import { programArguments, waitForStart } from '../support/program-side.ts';
import { randomFrom } from '../support/random.ts';
import type { Delivery, Mark } from './history.ts';
import { makeOlderFile, type OlderFile } from './older-files.ts';
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
  /** No other process is at work. */
  readonly alone: boolean;
  /** First makes such a file. */
  readonly older?: OlderFile | undefined;
}

const { file, seed, rounds, durability, onThread, name, alone, older } =
  programArguments<WorkloadArguments>();
await waitForStart();

const random = randomFrom(seed);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
const out = openSync(markPathOf(file), 'a');
const mark = (line: Mark): number => writeSync(out, JSON.stringify(line));

const HELD_MS = 600_000;
const MOST_MESSAGES = 25;
const held: Lease[] = [];
/** By this process. */
const buried: number[] = [];
let workers = 0;
const newWorker = (): string => `${name}-${workers++}`;
const deliveryOf = ({ seq, workerId, delivery }: Lease): Delivery => [seq, workerId, delivery];

if (older) makeOlderFile(file, older);
const open = (): AsyncSqliteTransport | SqliteTransport =>
  onThread
    ? new AsyncSqliteTransport({ path: file, durability })
    : new SqliteTransport({ path: file, durability });
let queue = open();
// An opening is a promise as well: a file that was upgraded stays so.
await queue.nextExpiry();
mark({ quiet: true });
/** Another connection of the process, as an app or the inspector has one. */
let other = new Database(file);

const hasSmallPages = older === 'small pages';
/** The share of rounds that end with one by the other connection. */
const CHECKPOINTS = hasSmallPages ? 0 : 0.03;
/** Most events are small; some need pages of their own. Where pages are small, the log is to reach its limit of pages. */
const LARGE_EVENTS = hasSmallPages ? 0.9 : 0.06;
const event = (): string => 'x'.repeat(random() < LARGE_EVENTS ? below(9_000) : pick([1, 10, 80, 200]));
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

function hold(leases: readonly Lease[], also: Mark = {}): void {
  held.push(...leases);
  mark({ claimed: leases.map(deliveryOf), ...also });
}

async function claim(): Promise<void> {
  const options = random() < 0.5 ? { startNow: below(2) } : {};
  hold(await queue.claimMany(newWorker(), HELD_MS, 1 + below(3), options));
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
  if (random() < 0.2) await queue.countAttempt(lease, random() < 0.5);
  const way = below(10);
  if (way < 3) {
    await queue.ack(lease);
    mark({ gone: [seq] });
  } else if (way < 5) {
    const next = await queue.ackAndClaim(lease, HELD_MS);
    hold(next ? [next] : [], { gone: [seq] });
  } else if (way < 7) {
    await queue.nack(lease, pick([0, 1, 500]), { error: 'x'.repeat(below(80)) });
    mark({ returned: [deliveryOf(lease)] });
  } else if (way < 9) {
    hold([await queue.extend(lease, HELD_MS + below(1_000_000))]);
  } else {
    await queue.bury(lease, { error: 'by choice' });
    mark({ buried: [seq] });
    buried.push(seq);
  }
}

async function ackAndClaimMany(): Promise<void> {
  const leases = held.splice(0, 1 + below(3));
  const { claimed } = await queue.ackAndClaimMany(leases, newWorker(), HELD_MS, below(3));
  hold(claimed, { gone: leases.map(({ seq }) => seq) });
}

/** Copies the WAL into the file. In the middle of another process's work it does what it can. */
function checkpoint(): void {
  try {
    other.pragma(`wal_checkpoint(${pick(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])})`);
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
  }
}

/** Their leases are those of a transport that was closed, which only `release` frees. */
const earlierWorkers = new Set<string>();

/** With only one process this ends the WAL: it is copied into the file and deleted. */
async function closeAndOpen(): Promise<void> {
  other.close();
  await queue.close();
  for (const { workerId } of held) earlierWorkers.add(workerId);
  queue = open();
  other = new Database(file);
}

const isFull = (): boolean =>
  Number(other.prepare('SELECT count(*) FROM harel_transport_messages').pluck().get()) > MOST_MESSAGES;

async function republish(): Promise<void> {
  const wanted = buried.shift();
  const letter = (await queue.deadLetters()).find(({ seq }) => seq === wanted);
  if (!letter) return;
  mark({ published: [await queue.republish(letter.id)] });
}

/** What a process does that ends: the next one finds its messages free. */
async function giveBack(): Promise<void> {
  const workerId = held[0]?.workerId;
  if (workerId === undefined) return;
  if (!earlierWorkers.has(workerId) && random() < 0.5) queue.releaseNow(workerId);
  else await queue.release([workerId]);
  const returned = held.filter((lease) => lease.workerId === workerId);
  held.splice(0, held.length, ...held.filter((lease) => lease.workerId !== workerId));
  mark({ returned: returned.map(deliveryOf) });
}

/** Removes dead letters, which another process might just be promised, and writes the whole file anew. */
async function shorten(): Promise<void> {
  await queue.purge({ deadLetters: { maxCount: 3 } });
  await queue.compact();
}

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
  // Timers and messages of other threads get their turn.
  await setImmediate();
  // Calls that arrive together share a commit on the thread.
  await Promise.all(Array.from({ length: onThread ? 1 + below(4) : 1 }, step));
  mark({ quiet: true });
  if (random() < 0.05) await republish();
  if (random() < 0.03) await giveBack();
  if (alone && random() < 0.02) await shorten();
  if (random() < CHECKPOINTS) checkpoint();
  if (random() < CHECKPOINTS / 2) await closeAndOpen();
}
mark({ quiet: true, at: systemClock.now() });
process.exit(0);
