/**
 * A list of any length of which only pages around the visible rows are held.
 *
 * Rows are asked for by `offset` and `limit`, one batch at a time, so that a fast scroll never queues up work behind it.
 * `refresh` asks again for the visible pages and swaps them in all at once; pages outside the view are dropped then, as
 * they belong to an older state. While `hold` holds, a refresh that would change what is seen waits as `waiting`.
 * A new query keeps the old rows until the first new page is there, so that nothing flashes.
 */
import type { Answer, Page } from '../../../core/contract/admin.ts';
import type { RefreshPauser } from './refresh-pauser.ts';

export const PAGE_ROWS = 200;
const MOST_PAGES = 24;

export type FetchPage<Row> = (offset: number, limit: number) => Promise<Answer<Page<Row>>>;

export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** What is to be drawn: a new object after every change. */
export interface ListView<Row> {
  /** Which query the rows belong to; null before the first answer. */
  readonly query: string | null;
  /** True while the rows of another query are still on their way. */
  readonly turning: boolean;
  readonly total: number;
  readonly rows: (index: number) => Row | undefined;
  /** Changes when a refresh replaced rows, not when more were loaded. */
  readonly epoch: number;
  readonly waiting: boolean;
  readonly problem: Problem | null;
}

type Pages<Row> = ReadonlyMap<number, readonly Row[]>;

interface Held<Row> {
  readonly pages: Pages<Row>;
  readonly total: number;
}

export class WindowedList<Row extends object> {
  readonly #pauser: RefreshPauser;
  readonly #rowKey: (row: Row) => string;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;

  #fetch: FetchPage<Row> | null = null;
  #query: string | null = null;
  /** Counts queries: an answer to an older one is dropped. */
  #turn = 0;
  #busyTurn = 0;
  #stale = false;
  #first = 0;
  #last = 0;
  #held: Held<Row> = { pages: new Map(), total: 0 };
  #stash: Held<Row> | null = null;
  #view: ListView<Row> = {
    query: null,
    turning: true,
    total: 0,
    rows: () => undefined,
    epoch: 0,
    waiting: false,
    problem: null,
  };

  constructor(pauser: RefreshPauser, rowKey: (row: Row) => string) {
    this.#pauser = pauser;
    this.#rowKey = rowKey;
    this.#unsubscribe = pauser.subscribe(() => {
      if (!pauser.isPaused()) this.show();
    });
  }

  close(): void {
    this.#turn++;
    this.#unsubscribe();
    this.#listeners.clear();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): ListView<Row> => this.#view;

  /** Asks for other rows; `query` names them, and the same name again changes nothing. */
  ask(query: string, fetch: FetchPage<Row>): void {
    if (query === this.#query) return;
    this.#query = query;
    this.#fetch = fetch;
    this.#turn++;
    this.#stash = null;
    this.#stale = true;
    this.#first = 0;
    this.#last = 0;
    this.#emit({ turning: true, waiting: false });
    void this.#work();
  }

  /** The rows that are seen: what is missing of them is loaded. */
  see(first: number, last: number): void {
    this.#first = Math.max(0, first);
    this.#last = Math.max(this.#first, last);
    void this.#work();
  }

  /** The queue changed. Resolves when what is seen is up to date, or waits. */
  async refresh(): Promise<void> {
    this.#stale = true;
    await this.#work();
  }

  /** Lets what waits be seen. */
  show(): void {
    const stash = this.#stash;
    if (stash === null) return;
    this.#stash = null;
    this.#commit(stash);
    // The view may have been scrolled since.
    void this.#work();
  }

  async #work(): Promise<void> {
    const turn = this.#turn;
    if (this.#fetch === null || this.#busyTurn === turn) return;
    this.#busyTurn = turn;
    try {
      while (turn === this.#turn) {
        const all = this.#stale;
        const wanted = this.#wanted(all);
        if (wanted.length === 0) return;
        this.#stale = false;
        const answers = await Promise.all(wanted.map((page) => this.#fetch?.(page * PAGE_ROWS, PAGE_ROWS)));
        if (turn !== this.#turn) return;
        const pages = new Map<number, readonly Row[]>();
        let total = 0;
        for (const [at, answer] of answers.entries()) {
          if (answer === undefined) return;
          if (!answer.ok) {
            this.#emit({ problem: answer.error, turning: false });
            return;
          }
          total = answer.value.total;
          pages.set(wanted[at] ?? 0, answer.value.rows);
        }
        this.#arrived({ pages, total }, all);
      }
    } finally {
      if (this.#busyTurn === turn) this.#busyTurn = 0;
    }
  }

  /** What is held belongs to another query; so it stays after a failure. */
  get #isTurning(): boolean {
    return this.#view.query !== this.#query;
  }

  #wanted(all: boolean): number[] {
    const lastRow = Math.min(this.#last, Math.max(0, this.#isTurning ? 0 : this.#held.total - 1));
    const from = Math.floor(Math.min(this.#first, lastRow) / PAGE_ROWS);
    const to = Math.floor(lastRow / PAGE_ROWS);
    const wanted: number[] = [];
    for (let page = from; page <= to; page++) {
      if (all || !this.#held.pages.has(page)) wanted.push(page);
    }
    // Nothing can be missing of an empty list.
    return all || this.#held.total > 0 ? wanted : [];
  }

  #arrived(fresh: Held<Row>, all: boolean): void {
    if (!all) {
      this.#held = { pages: this.#kept(fresh.pages), total: this.#held.total };
      this.#emit({ problem: null });
      // The list changed between the pages: what is held no longer fits together.
      if (fresh.total !== this.#held.total) this.#stale = true;
      return;
    }
    const turning = this.#isTurning;
    const next = turning ? fresh : this.#reusing(fresh);
    if (!turning && this.#pauser.isPaused() && this.#differs(next)) {
      this.#stash = next;
      this.#emit({ waiting: true, problem: null });
      return;
    }
    this.#stash = null;
    this.#commit(next);
  }

  #commit(next: Held<Row>): void {
    this.#held = next;
    this.#emit({
      query: this.#query,
      turning: false,
      waiting: false,
      problem: null,
      epoch: this.#view.epoch + 1,
    });
  }

  #emit(change: Partial<ListView<Row>>): void {
    const { pages, total } = this.#held;
    const rows = (index: number) => pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
    this.#view = { ...this.#view, ...change, total, rows };
    for (const listener of this.#listeners) listener();
  }

  /** The pages held and the new ones, without those furthest from the view when they are too many. */
  #kept(fresh: Pages<Row>): Pages<Row> {
    const pages = new Map([...this.#held.pages, ...fresh]);
    const middle = (this.#first + this.#last) / 2 / PAGE_ROWS;
    const far = [...pages.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const page of far.slice(0, Math.max(0, pages.size - MOST_PAGES))) pages.delete(page);
    return pages;
  }

  /** Rows that did not change stay the same objects, so that they are not drawn again. */
  #reusing(fresh: Held<Row>): Held<Row> {
    const known = new Map<string, Row>();
    for (const page of this.#held.pages.values()) for (const row of page) known.set(this.#rowKey(row), row);
    const pages = new Map<number, readonly Row[]>();
    for (const [page, rows] of fresh.pages) {
      pages.set(
        page,
        rows.map((row) => {
          const old = known.get(this.#rowKey(row));
          return old !== undefined && sameFields(old, row) ? old : row;
        }),
      );
    }
    return { pages, total: fresh.total };
  }

  #differs(next: Held<Row>): boolean {
    if (next.total !== this.#held.total) return true;
    for (let index = this.#first; index <= this.#last; index++) {
      const page = Math.floor(index / PAGE_ROWS);
      if (next.pages.get(page)?.[index % PAGE_ROWS] !== this.#held.pages.get(page)?.[index % PAGE_ROWS]) {
        return true;
      }
    }
    return false;
  }
}

/** Rows are flat: plain values only. */
function sameFields<Row extends object>(a: Row, b: Row): boolean {
  const keys = Object.keys(a) as (keyof Row)[];
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is(a[key], b[key]));
}
