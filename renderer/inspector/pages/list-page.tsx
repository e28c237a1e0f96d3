/** What both pages share around their grid: empty, failed and first-loading states, and the line below the rows. */
import { type ReactNode, useEffect, useRef } from 'react';
import { counted } from '../data/counts.ts';
import { isFiltered, type Route, withoutFilters } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import type { ListView, WindowedList } from '../data/windowed-list.ts';

interface Props<Row extends object> {
  readonly route: Route;
  readonly list: WindowedList<Row>;
  readonly view: ListView<Row>;
  readonly query: string;
  /** "message", "group". */
  readonly noun: string;
  /** What to do where there is nothing at all. */
  readonly teach: ReactNode;
  readonly children: ReactNode;
}

export function ListBody<Row extends object>(props: Props<Row>) {
  const { route, list, view, query, noun, teach, children } = props;
  useCountSaid(view, route, noun);
  if (view.problem !== null && view.query !== query) {
    return (
      <div className="blank" role="alert">
        <h2>Could not read the {noun}s</h2>
        <p>{view.problem.message}</p>
        <button type="button" onClick={() => void list.refresh()}>
          Try again
        </button>
      </div>
    );
  }
  if (view.query === null) return <p className="blank late">Reading the {noun}s…</p>;
  return (
    <>
      {children}
      {view.turning && <div className="turning" />}
      {view.total === 0 && !view.turning && <Nothing route={route} noun={noun} teach={teach} />}
    </>
  );
}

function Nothing({
  route,
  noun,
  teach,
}: {
  readonly route: Route;
  readonly noun: string;
  readonly teach: ReactNode;
}) {
  const { router } = useServices();
  if (!isFiltered(route)) return <div className="blank over">{teach}</div>;
  return (
    <div className="blank over">
      <h2>No {noun} matches these filters</h2>
      <button type="button" onClick={() => router.push(withoutFilters(route))}>
        Clear filters
      </button>
    </div>
  );
}

interface StatusProps<Row extends object> {
  readonly route: Route;
  readonly list: WindowedList<Row> | null;
  readonly view: ListView<Row> | null;
  readonly noun: string;
  readonly onHelp: () => void;
}

export function StatusLine<Row extends object>({ route, list, view, noun, onHelp }: StatusProps<Row>) {
  const known = view !== null && view.query !== null;
  return (
    <footer className="status-line">
      <span className="status-count">
        {known && counted(view.total, noun)}
        {known && isFiltered(route) && (view.total === 1 ? ' matches' : ' match')}
      </span>
      <span className="status-middle">
        {view?.waiting && (
          <button type="button" className="pill" onClick={() => list?.show()}>
            Changes waiting · <b>Show</b>
          </button>
        )}
        {known && view.problem !== null && (
          <span className="status-problem" role="alert">
            <span title={`${view.problem.code}: ${view.problem.message}`}>
              Not up to date: {view.problem.message}
            </span>
            <button type="button" className="link" onClick={() => void list?.refresh()}>
              Try again
            </button>
          </span>
        )}
      </span>
      <button type="button" className="quiet small" onClick={onHelp} aria-keyshortcuts="?">
        Keys{' '}
        <span className="key" aria-hidden="true">
          ?
        </span>
      </button>
    </footer>
  );
}

/** Says the count when other rows are asked for, and that changes wait; not every change of a busy queue. */
function useCountSaid(view: ListView<object>, route: Route, noun: string): void {
  const { announcer } = useServices();
  const saidFor = useRef<string | null>(null);
  useEffect(() => {
    if (view.turning || view.query === null || view.query === saidFor.current) return;
    saidFor.current = view.query;
    const text = view.total === 0 ? `No ${noun}s` : counted(view.total, noun);
    announcer.announce(isFiltered(route) ? `${text} match` : text);
  }, [view, route, noun, announcer]);
  useEffect(() => {
    if (view.waiting) announcer.announce('Changes waiting');
  }, [view.waiting, announcer]);
}
