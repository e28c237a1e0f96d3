/** What both pages share around their grid: the states without rows, and the line below the rows. */
import { type ReactNode, useEffect, useRef } from 'react';
import { isFinal } from '../data/bridge.ts';
import { isFiltered, type Route, withoutFilters } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import type { ListHandle } from '../data/use-list.ts';
import type { ListView } from '../data/windowed-list.ts';
import { keyOf } from '../keyboard/shortcuts.ts';
import { formatCount } from '../ui/format.ts';

interface ListProps<Row extends object> {
  readonly route: Route;
  readonly handle: ListHandle<Row>;
  /** "message" or "group". */
  readonly noun: string;
}

interface BodyProps<Row extends object> extends ListProps<Row> {
  /** Shown when the list is empty without filters. */
  readonly emptyState: ReactNode;
  readonly children: ReactNode;
}

export function ListBody<Row extends object>({ route, handle, noun, emptyState, children }: BodyProps<Row>) {
  const { view } = handle;
  useAnnouncements(view, route, noun);
  if (view.error !== null && view.isPlaceholder) {
    return (
      <div className="placeholder" role="alert">
        <h2>Could not read the {noun}s</h2>
        <p>{view.error.message}</p>
        {!isFinal(view.error) && <TryAgain />}
      </div>
    );
  }
  if (view.source === null) return <p className="placeholder delayed">Loading the {noun}s…</p>;
  return (
    <>
      {children}
      {view.isPlaceholder && <div className="progress-line" />}
      {view.total === 0 && !view.isPlaceholder && (
        <NoRows route={route} noun={noun} emptyState={emptyState} />
      )}
    </>
  );
}

function TryAgain({ className }: { readonly className?: string }) {
  const { changeFeed } = useServices();
  return (
    <button type="button" className={className} onClick={() => void changeFeed.requestRefresh()}>
      Try again
    </button>
  );
}

interface NoRowsProps {
  readonly route: Route;
  readonly noun: string;
  readonly emptyState: ReactNode;
}

function NoRows({ route, noun, emptyState }: NoRowsProps) {
  const { router } = useServices();
  if (!isFiltered(route)) return <div className="placeholder overlay">{emptyState}</div>;
  return (
    <div className="placeholder overlay">
      <h2>No {noun} matches these filters</h2>
      <button type="button" onClick={() => router.push(withoutFilters(route))}>
        Clear filters
      </button>
    </div>
  );
}

interface StatusProps<Row extends object> extends ListProps<Row> {
  readonly onHelp: () => void;
}

export function StatusLine<Row extends object>({ route, handle, noun, onHelp }: StatusProps<Row>) {
  const { list, view } = handle;
  const hasRows = view.source !== null;
  return (
    <footer className="status-line">
      <span className="status-count">
        {hasRows && formatCount(view.total, noun)}
        {hasRows && isFiltered(route) && (view.total === 1 ? ' matches' : ' match')}
      </span>
      <span className="status-middle">
        {view.hasChangesWaiting && (
          <button type="button" className="pill" onClick={() => list.showChanges()}>
            Changes waiting · <b>Show</b>
          </button>
        )}
        {hasRows && view.error !== null && (
          <span className="status-problem" role="alert">
            <span title={`${view.error.code}: ${view.error.message}`}>
              Not up to date: {view.error.message}
            </span>
            {!isFinal(view.error) && <TryAgain className="link" />}
          </span>
        )}
      </span>
      <button type="button" className="quiet small" onClick={onHelp} aria-keyshortcuts={keyOf('help')}>
        Keys{' '}
        <span className="key" aria-hidden="true">
          {keyOf('help')}
        </span>
      </button>
    </footer>
  );
}

/**
 * Announces the count when the filters or the order change, and that changes wait. A busy queue changes too often for more.
 */
function useAnnouncements(view: ListView<object>, route: Route, noun: string): void {
  const { announcer } = useServices();
  const announced = useRef<string | null>(null);
  useEffect(() => {
    if (view.isPlaceholder || view.source === announced.current) return;
    announced.current = view.source;
    const text = view.total === 0 ? `No ${noun}s` : formatCount(view.total, noun);
    announcer.announce(isFiltered(route) ? `${text} match` : text);
  }, [view, route, noun, announcer]);
  useEffect(() => {
    if (view.hasChangesWaiting) announcer.announce('Changes waiting');
  }, [view.hasChangesWaiting, announcer]);
}
