/**
 * The visible part of a list of any length.
 *
 * One window of rows around the visible ones is in memory, and each window is one query of TanStack Query, which brings
 * cancellation, errors, caching and rows that keep their identity while they are equal. On top of that this class decides
 * which window to read and what to show:
 *
 * - Rows stay on screen until the rows that replace them have arrived, also when another source is chosen (isPlaceholder).
 * - While refreshes are paused, visible rows do not change; changes wait until the pause ends or showChanges() is called.
 * - One read is in flight at a time, and a read that a newer one has replaced before it began never begins.
 */
import {
  hashKey,
  type QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverOptions,
  replaceEqualDeep,
} from '@tanstack/react-query';
import type { Page } from '../../../core/contract/admin.ts';
import type { ReadError } from './bridge.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { RefreshPauser } from './refresh-pauser.ts';
import { Subscribable } from './subscribable.ts';

/** The number of rows in a window, unless more are visible. */
export const WINDOW_ROWS = 200;
/** The most that one read may return. */
const MAX_ROWS = 1000;
/** Windows begin at multiples of this, so that scrolling back finds them in the cache. */
const WINDOW_STEP = 50;

/** Where rows come from. Equal keys stand for equal rows. */
export interface RowSource<Row> {
  readonly key: QueryKey;
  readonly read: (offset: number, limit: number) => Promise<Page<Row>>;
}

/** What to draw. A new object after every change. */
export interface ListView<Row> {
  /** The source of the rows; null before the first rows have arrived. */
  readonly source: string | null;
  /** The rows belong to the previous source. */
  readonly isPlaceholder: boolean;
  readonly total: number;
  /** Undefined where the row is not in memory. A new function whenever rows were replaced. */
  readonly rowAt: (index: number) => Row | undefined;
  /** The visible rows have changed, but refreshes are paused. */
  readonly hasChangesWaiting: boolean;
  /** Why the last read failed. */
  readonly error: ReadError | null;
}

interface Chunk<Row> {
  readonly source: string;
  readonly offset: number;
  readonly rows: readonly Row[];
  readonly total: number;
}

export class WindowedList<Row extends object> extends Subscribable {
  readonly #pauser: RefreshPauser;
  readonly #observer: QueryObserver<Chunk<Row>, ReadError>;
  readonly #enqueue = oneAtATime();
  #source: RowSource<Row>;
  #sourceHash: string;
  #first = 0;
  #last = 0;
  #window = windowAround(0, 0);
  #shown: Chunk<Row> | undefined;
  #view: ListView<Row> = {
    source: null,
    isPlaceholder: true,
    total: 0,
    rowAt: () => undefined,
    hasChangesWaiting: false,
    error: null,
  };
  #unsubscribe: readonly (() => void)[] = [];

  constructor(client: QueryClient, pauser: RefreshPauser, source: RowSource<Row>) {
    super();
    this.#pauser = pauser;
    this.#source = source;
    this.#sourceHash = hashKey(source.key);
    this.#observer = new QueryObserver(client, this.#queryOptions());
  }

  readonly view = (): ListView<Row> => this.#view;

  /** Changes the source. The current rows stay as placeholders until the first rows of the new source have arrived. */
  setSource(source: RowSource<Row>): void {
    const hash = hashKey(source.key);
    if (hash === this.#sourceHash) return;
    this.#source = source;
    this.#sourceHash = hash;
    // A return to the rows that are still on screen keeps their position. Other rows begin at the top.
    if (this.#shown?.source === hash) this.#moveWindow(this.#first, this.#last);
    else this.#moveWindow(0, 0);
  }

  /** Sets the range of visible rows. Rows of it that are not in memory are read. */
  setVisible(first: number, last: number): void {
    this.#first = first;
    this.#last = last;
    // The rows of a new source begin at the top.
    if (this.#view.isPlaceholder) return;
    const { offset, limit } = this.#window;
    if (first < offset || last >= offset + limit) this.#moveWindow(first, last);
    else this.#update();
  }

  /** Shows the waiting changes during the pause. */
  showChanges(): void {
    this.#show(true);
  }

  protected override start(): void {
    // A refresh may have dropped the query from the cache while there was no subscriber.
    this.#observer.setOptions(this.#queryOptions());
    this.#unsubscribe = [this.#observer.subscribe(this.#update), this.#pauser.subscribe(this.#update)];
    this.#update();
  }

  protected override stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #moveWindow(first: number, last: number): void {
    this.#window = windowAround(first, last);
    this.#observer.setOptions(this.#queryOptions());
    this.#update();
  }

  #queryOptions(): QueryObserverOptions<Chunk<Row>, ReadError> {
    const { read, key } = this.#source;
    const source = this.#sourceHash;
    const { offset, limit } = this.#window;
    return {
      queryKey: [...key, offset, limit],
      queryFn: async ({ client, queryKey, signal }) => {
        const isRefresh = client.getQueryData(queryKey) !== undefined;
        const { rows, total } = await this.#enqueue(() => read(offset, limit), signal, isRefresh);
        return { source, offset, rows, total };
      },
      notifyOnChangeProps: ['data', 'error'],
    };
  }

  readonly #update = (): void => this.#show(false);

  #show(withChanges: boolean): void {
    const { data, error, errorUpdateCount } = this.#observer.getCurrentResult();
    const before = this.#shown;
    const hasChangesWaiting = data !== undefined && !withChanges && this.#mustWait(data);
    const shown = hasChangesWaiting ? before : (data ?? before);
    this.#shown = shown;
    const view = replaceEqualDeep(this.#view, {
      source: shown?.source ?? null,
      isPlaceholder: shown?.source !== this.#sourceHash,
      total: shown?.total ?? 0,
      rowAt: shown === before ? this.#view.rowAt : (index: number) => shown?.rows[index - shown.offset],
      hasChangesWaiting,
      // TanStack Query clears the error of a query without data when it reads again. It stays until the next answer.
      error: error ?? (data === undefined && errorUpdateCount > 0 ? this.#view.error : null),
    });
    if (view === this.#view) return;
    this.#view = view;
    this.notify();
  }

  /** Whether a pause keeps these rows off the screen. Visible rows that are not in memory do not wait. */
  #mustWait(next: Chunk<Row>): boolean {
    const shown = this.#shown;
    if (shown === undefined || shown.source !== next.source || !this.#pauser.isPaused()) return false;
    const last = Math.min(this.#last, shown.total - 1);
    if (this.#first < shown.offset || last >= shown.offset + shown.rows.length) return false;
    const visible = ({ rows, offset }: Chunk<Row>) =>
      rows.slice(Math.max(0, this.#first - offset), last + 1 - offset);
    const now = visible(shown);
    return next.total !== shown.total || replaceEqualDeep(now, visible(next)) !== now;
  }
}

/** A window with the visible rows in its middle. */
function windowAround(first: number, last: number): { readonly offset: number; readonly limit: number } {
  const visible = last - first + 1;
  const limit = Math.min(
    MAX_ROWS,
    Math.max(WINDOW_ROWS, Math.ceil((2 * visible) / WINDOW_STEP) * WINDOW_STEP),
  );
  const start = first - (limit - visible) / 2;
  return { offset: Math.max(0, Math.round(start / WINDOW_STEP) * WINDOW_STEP), limit };
}
