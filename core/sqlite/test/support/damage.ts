/** Queue files with one flipped bit, or cut short. */
import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { SqliteTransport } from '../../../index.ts';
import { Dice } from './dice.ts';
import { TempFolder } from './temp-folder.ts';

const MESSAGES = 200;
const GROUPS = 40;

/** The bytes of a file and of its log, and where its parts are. */
export interface WholeFile {
  readonly main: Buffer;
  readonly log: Buffer;
  readonly pageSize: number;
  /** The numbers of the pages of each kind in the main file. */
  readonly pages: Readonly<Record<string, readonly number[]>>;
}

/**
 * A file with leases, lapsed leases, parks, dead letters, free messages and events on overflow pages. The second half of its
 * content is in the log only.
 */
export function makeWholeFile(): WholeFile {
  using folder = new TempFolder();
  const path = folder.file();
  const queue = new SqliteTransport({ path, durability: 'normal' });
  const publish = (from: number, to: number) =>
    queue.publishMany(
      Array.from({ length: to - from }, (_, at) => {
        const n = from + at;
        const event = { n, text: 'x'.repeat(n % 20 === 0 ? 9_000 : n) };
        return {
          groupId: `group ${n % GROUPS}`,
          event,
          priority: n % 5,
          routingKey: n % 3 === 0 ? `key ${n % 4}` : null,
        };
      }),
    );
  publish(0, MESSAGES / 2);
  settleSome(queue);
  const db = new Database(path);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const pages = Object.groupBy(
    db.prepare('SELECT name, pagetype, pageno FROM dbstat').all() as Record<string, unknown>[],
    ({ name, pagetype }) => (pagetype === 'overflow' ? 'overflow' : String(name)),
  );
  publish(MESSAGES / 2, MESSAGES);
  settleSome(queue);
  const whole = {
    main: readFileSync(path),
    log: readFileSync(`${path}-wal`),
    pageSize: Number(db.pragma('page_size', { simple: true })),
    pages: Object.fromEntries(
      Object.entries(pages).map(([name, found]) => [name, (found ?? []).map(({ pageno }) => Number(pageno))]),
    ),
  };
  db.close();
  queue.close();
  return whole;
}

function settleSome(queue: SqliteTransport): void {
  for (const [n, lease] of queue.claimMany('worker', 3_600_000, 20).entries()) {
    if (n % 4 === 0) queue.nack(lease, 3_600_000, { error: 'not yet' });
    if (n % 4 === 1) queue.bury(lease, { error: 'no such file' });
    if (n % 8 === 2) queue.ack(lease);
  }
}

export interface Damage {
  readonly text: string;
  /** Writes the damaged files. */
  write(path: string): void;
}

/** One flipped bit, at random or in a part that many calls read. */
export function flippedBit(whole: WholeFile, seed: number): Damage {
  const dice = new Dice(seed);
  const { main, log } = whole;
  // Without the log every page of the main file counts.
  const withLog = dice.once(3);
  const [part, byteOf] = dice.weighed<Part>([
    [6, ['anywhere', () => dice.below(main.length)]],
    [2, ['the header', () => dice.below(100)]],
    ...Object.keys(whole.pages).flatMap((name) => partsOf(whole, name, dice)),
    ...(withLog ? [[6, ['the log', () => dice.below(log.length)]] as const] : []),
  ]);
  const inLog = part === 'the log';
  const at = byteOf();
  const bit = dice.below(8);
  return {
    text: `bit ${bit} of byte ${at} (${part}) flipped, ${withLog ? 'with' : 'without'} the log`,
    write(path) {
      const damaged = Buffer.from(inLog ? log : main);
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << bit), at);
      writeFileSync(path, inLog ? main : damaged);
      if (withLog) writeFileSync(`${path}-wal`, inLog ? damaged : log);
    },
  };
}

/** Each bit of the places of the entries in an index flipped: the entries are then out of order. */
export function unorderedEntries({ main, pageSize, pages }: WholeFile, index: string): Damage[] {
  const page = ((pages[index]?.[0] ?? 1) - 1) * pageSize;
  const places = 2 * main.readUInt16BE(page + 3);
  return Array.from({ length: places * 8 }, (_, n) => {
    const at = page + 8 + (n >> 3);
    return {
      text: `bit ${n % 8} of byte ${at} (the order of ${index}) flipped`,
      write(path) {
        const damaged = Buffer.from(main);
        damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (n % 8)), at);
        writeFileSync(path, damaged);
      },
    };
  });
}

/** A part of the file, and a random byte of it. */
type Part = readonly [name: string, byteOf: () => number];

/**
 * The pages of a table or index, and what decides the order of a search in an index: its page's header with the places of
 * the entries, and the first bytes of the entries.
 */
function partsOf(
  { main, pageSize, pages }: WholeFile,
  name: string,
  dice: Dice,
): (readonly [number, Part])[] {
  const pageOf = () => (dice.pick(pages[name] ?? [1]) - 1) * pageSize;
  const orderOf = () => {
    const page = pageOf();
    const isLeaf = main.readUInt8(page) === LEAF_OF_INDEX;
    const place = (isLeaf ? 8 : 12) + 2 * dice.below(main.readUInt16BE(page + 3));
    if (dice.once(2)) return page + place + dice.below(2);
    return page + main.readUInt16BE(page + place) + (isLeaf ? 0 : 4) + dice.below(8);
  };
  const anywhere: Part = [name, () => pageOf() + dice.below(pageSize)];
  if (!name.includes('_by_')) return [[/groups|messages/.test(name) ? 2 : 0.5, anywhere]];
  return [
    [2, anywhere],
    [name.includes('turn') ? 6 : 2, [`the order of ${name}`, orderOf]],
  ];
}

const LEAF_OF_INDEX = 10;

/** The file, its log, or both cut short, at a page's border or anywhere. */
export function cutShort({ main, log, pageSize }: WholeFile, seed: number): Damage {
  const dice = new Dice(seed);
  const cut = (bytes: Buffer, unit: number) => {
    const length = dice.below(bytes.length);
    return dice.once(2) ? length : Math.floor(length / unit) * unit;
  };
  const which = dice.pick(['the file', 'the file without the log', 'the log', 'both']);
  const mainLength = which === 'the log' ? main.length : cut(main, pageSize);
  // A frame of the log is a page with a header of 24 bytes, after a header of 32.
  const logLength = which === 'the log' || which === 'both' ? cut(log, pageSize + 24) : log.length;
  return {
    text: `${which} cut: ${mainLength} of ${main.length} bytes, log ${logLength} of ${log.length}`,
    write(path) {
      writeFileSync(path, main.subarray(0, mainLength));
      if (which !== 'the file without the log') writeFileSync(`${path}-wal`, log.subarray(0, logLength));
    },
  };
}
