/**
 * The commits of a log, in order, with the contents of the file after each of them, and what the processes were promised.
 *
 * The contents come from the files as a crash of the processes alone would have left them (no write is lost). The commits are
 * found in the WAL: a frame whose header has a size of the database ends one. In an older journal mode the unlink of the
 * journal ends one.
 */
import { type Contents, contentsOf } from './contents.ts';
import { Disk } from './disk.ts';
import type { LogRecord } from './power-log.ts';

/** One claim of one message. */
export type Delivery = readonly [seq: number, worker: string, delivery: number];

/** What a process writes after a call returned or its promise resolved: effects that are now promised. */
export interface Mark {
  readonly published?: readonly number[];
  /** Acked. */
  readonly gone?: readonly number[];
  readonly buried?: readonly number[];
  readonly claimed?: readonly Delivery[];
  /** Nacked or parked. */
  readonly returned?: readonly Delivery[];
  /** Nothing that this process has called is still running, so all its commits are promised. */
  readonly quiet?: boolean;
  /** The end of the process, in epoch ms. */
  readonly at?: number;
}

export interface History {
  /** The contents after each commit; first those of no file. */
  readonly states: readonly Contents[];
  /** By record: how many commits are complete after it. */
  readonly commits: readonly number[];
  /** By record: the latest commit that was promised up to it. */
  readonly promised: readonly number[];
  /** By record: the latest commit that a sync has made durable up to it. */
  readonly synced: readonly number[];
  /** What does not fit without any power loss, in words: a mark whose effects are in no commit, or in more than one. */
  readonly faults: readonly string[];
  /** The end of the last process, in epoch ms. */
  readonly now: number;
}

const FRAME_HEADER = 24;
const WAL_HEADER = 32;

/** `folder` is for the files of each commit. */
export function readHistory(records: readonly LogRecord[], folder: string): History {
  const disk = new Disk();
  const states: Contents[] = [contentsOf(folder, disk.files())];
  const commits: number[] = [];
  const promised: number[] = [];
  const synced: number[] = [];
  const faults: string[] = [];
  const lastOf = new Map<number, number>();
  const endsCommit = commitFinder();
  let latestPromise = 0;
  let latestSync = 0;
  let now = 0;
  for (const record of records) {
    disk.apply(record);
    if (endsCommit(record)) {
      states.push(contentsOf(folder, disk.files()));
      lastOf.set(record.pid, states.length - 1);
    }
    if (disk.walIsDurable) latestSync = states.length - 1;
    if (record.kind === 'marked') {
      const mark = JSON.parse(record.data.toString()) as Mark;
      now = Math.max(now, mark.at ?? 0);
      const kept = keptBy(mark, states);
      if (kept === null) faults.push(`promised, and in no commit: ${record.data}`);
      else if (kept > 0 && effectsOf(mark, states[kept - 1] as Contents).some(Boolean))
        faults.push(`a commit has a part of it: ${record.data}`);
      const own = mark.quiet ? (lastOf.get(record.pid) ?? 0) : 0;
      latestPromise = Math.max(latestPromise, kept ?? 0, own);
    }
    commits.push(states.length - 1);
    promised.push(latestPromise);
    synced.push(latestSync);
  }
  return { states, commits, promised, synced, faults, now };
}

/** Returns a function that tells for each record, in order, whether a commit is complete with it. */
function commitFinder(): (record: LogRecord) => boolean {
  /** The offset of the page that completes a commit. */
  let lastPage = -1;
  return ({ kind, name, offset, data }) => {
    if (kind === 'unlinked' && name === 'journal') return true;
    if (kind !== 'written' || name !== 'wal') return false;
    if (offset === lastPage) {
      lastPage = -1;
      return true;
    }
    if (data.length === FRAME_HEADER && offset >= WAL_HEADER && data.readUInt32BE(4) > 0)
      lastPage = offset + FRAME_HEADER;
    return false;
  };
}

/**
 * The first of the states (the latest is looked at first, since nearly every mark follows its commit at once) that has what the
 * mark promises; null when none has.
 */
function keptBy(mark: Mark, states: readonly Contents[]): number | null {
  const first = states.findLastIndex((state) => !effectsOf(mark, state).every(Boolean)) + 1;
  return first < states.length ? first : null;
}

/** Which of the mark's effects are there. No later commit of another process undoes one. */
function effectsOf(
  { published = [], gone = [], buried = [], claimed = [], returned = [] }: Mark,
  { messages, dead, lastSeq }: Contents,
): boolean[] {
  const isHeld = ([seq, worker, delivery]: Delivery) => {
    const message = messages.get(seq);
    return message?.locked_by === worker && message.deliveries === delivery;
  };
  return [
    ...published.map((seq) => seq <= lastSeq),
    ...gone.map((seq) => seq <= lastSeq && !messages.has(seq) && !dead.has(seq)),
    ...buried.map((seq) => dead.has(seq)),
    ...claimed.map(isHeld),
    ...returned.map((delivery) => !isHeld(delivery)),
  ];
}
