/**
 * A disk with a volatile cache, fed with the records of a log. What a file's last sync covers is durable. Later writes and
 * truncations are pending: a power loss keeps, drops, reorders or tears them, each file on its own. Names (creations and
 * unlinks) become durable with a sync of the folder; before it, a power loss keeps a prefix of the changes of each name.
 *
 * A torn write keeps any of its sectors. SQLite relies on "powersafe overwrite" (bytes that are not written never change), and
 * so does this disk.
 */
import type { FileName, LogRecord } from './power-log.ts';

/** The files that a power loss left. A name is missing when its file is. */
export type Files = ReadonlyMap<FileName, Uint8Array>;

const SECTOR = 512;

interface Write {
  readonly offset: number;
  readonly data: Uint8Array;
}
interface Truncation {
  readonly size: number;
}
type Change = Write | Truncation;

/** Bytes that grow. */
class Content {
  #bytes: Uint8Array;
  #size: number;

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#bytes = bytes;
    this.#size = bytes.length;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  copy(): Content {
    return new Content(this.bytes.slice());
  }

  /** `hole` is what a sector holds that becomes part of the file without being written. */
  apply(change: Change, hole = 0): void {
    if ('data' in change) {
      this.#grow(change.offset + change.data.length, hole);
      this.#bytes.set(change.data, change.offset);
    } else {
      this.#grow(change.size, 0);
      this.#size = change.size;
    }
  }

  #grow(size: number, hole: number): void {
    if (size <= this.#size) return;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, this.#bytes.length * 2));
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    this.#bytes.fill(hole, this.#size, size);
    this.#size = size;
  }
}

interface Inode {
  durable: Content;
  pending: Change[];
}

interface NameChange {
  readonly name: FileName;
  readonly inode: Inode | null;
}

export class Disk {
  readonly #inodes = new Map<number, Inode>();
  readonly #names = new Map<FileName, Inode>();
  readonly #durableNames = new Map<FileName, Inode>();
  #pendingNames: NameChange[] = [];

  /** Marks change nothing. */
  apply({ kind, name, inode: number, offset, data }: LogRecord): void {
    if (kind === 'marked') return;
    if (kind === 'synced' && name === 'folder') {
      for (const change of this.#pendingNames) set(this.#durableNames, change);
      this.#pendingNames = [];
    } else if (name !== 'queue' && name !== 'wal' && name !== 'journal') {
      throw new Error(`this disk does not know what it means that "${name}" was ${kind}`);
    } else if (kind === 'created') {
      const inode = { durable: new Content(), pending: [] };
      this.#inodes.set(number, inode);
      this.#rename({ name, inode });
    } else if (kind === 'unlinked') {
      this.#rename({ name, inode: null });
    } else {
      const inode = this.#inodes.get(number);
      if (!inode) throw new Error(`${name} was ${kind} and never created`);
      if (kind === 'written') inode.pending.push({ offset, data });
      else if (kind === 'truncated') inode.pending.push({ size: offset });
      else if (kind === 'synced') {
        for (const change of inode.pending) inode.durable.apply(change);
        inode.pending = [];
      } else throw new Error(`this disk does not know what it means that "${name}" was ${kind}`);
    }
  }

  /** The files as every process sees them. */
  files(): Files {
    return contents(this.#names, ({ durable, pending }) => {
      const content = durable.copy();
      for (const change of pending) content.apply(change);
      return content;
    });
  }

  /** Whether a power loss now leaves no choice about the WAL: its name is durable, and nothing of it is pending. */
  get walIsDurable(): boolean {
    const wal = this.#names.get('wal');
    return wal !== undefined && this.#durableNames.get('wal') === wal && wal.pending.length === 0;
  }

  /** The files after a power loss now. `random` decides what happens to what is pending. */
  lose(random: () => number): Files {
    const names = new Map(this.#durableNames);
    for (const name of ['queue', 'wal', 'journal'] as const) {
      const changes = this.#pendingNames.filter((change) => change.name === name);
      for (const change of changes.slice(0, below(random, changes.length + 1))) set(names, change);
    }
    const left = new Map<Inode, Content>();
    return contents(names, (inode) => {
      const content = left.get(inode) ?? afterLoss(inode, random);
      left.set(inode, content);
      return content;
    });
  }

  #rename(change: NameChange): void {
    set(this.#names, change);
    this.#pendingNames.push(change);
  }
}

function set(names: Map<FileName, Inode>, { name, inode }: NameChange): void {
  if (inode) names.set(name, inode);
  else names.delete(name);
}

const contents = (names: ReadonlyMap<FileName, Inode>, read: (inode: Inode) => Content): Files =>
  new Map([...names].map(([name, inode]) => [name, read(inode).bytes]));

/** A whole number from 0 to `limit`, exclusive. */
export const below = (random: () => number, limit: number): number => Math.floor(random() * limit);

function afterLoss({ durable, pending }: Inode, random: () => number): Content {
  const content = durable.copy();
  // What a sector holds that the file gained but that was never written: zeros, or what another file left there.
  const hole = random() < 0.5 ? 0 : 0xa5;
  for (const change of keep(pending, random)) content.apply(change, hole);
  return content;
}

/** Most pending changes survive, or the states of a log that is seldom synced would all be its first moments. */
const ODDS = [0.5, 0.9, 0.99, 0.999];

function keep(pending: readonly Change[], random: () => number): readonly Change[] {
  if (pending.length === 0) return pending;
  const way = random();
  if (way < 0.1) return [];
  const upTo = pending.slice(0, below(random, pending.length + 1));
  if (way < 0.2) return pending;
  if (way < 0.4) {
    const next = pending[upTo.length];
    return next ? [...upTo, ...torn(next, random, 0.5)] : upTo;
  }
  const odds = ODDS[below(random, ODDS.length)] as number;
  const some = way < 0.7 ? pending : upTo;
  if (way < 0.6) return some.filter(() => random() < odds);
  if (way < 0.8) return some.flatMap((change) => torn(change, random, odds));
  return reordered(
    some.filter(() => random() < odds),
    random,
  );
}

/** Some of the sectors of a write. */
function torn(change: Change, random: () => number, odds: number): Change[] {
  if (!('data' in change)) return random() < odds ? [change] : [];
  const { offset, data } = change;
  const parts: Change[] = [];
  for (let from = 0; from < data.length; ) {
    const to = Math.min(from + SECTOR - ((offset + from) % SECTOR), data.length);
    if (random() < odds) parts.push({ offset: offset + from, data: data.subarray(from, to) });
    from = to;
  }
  return parts;
}

/** Writes in another order, so that an older one can lie over a newer one. None crosses a truncation. */
function reordered(changes: readonly Change[], random: () => number): Change[] {
  const result = [...changes];
  for (let at = result.length - 1; at > 0; at--) {
    // A near neighbour: a disk's cache reorders what it holds at one time.
    const other = at - below(random, Math.min(at, 16) + 1);
    const between = result.slice(other, at + 1);
    if (between.some((change) => !('data' in change))) continue;
    [result[at], result[other]] = [result[other] as Change, result[at] as Change];
  }
  return result;
}
