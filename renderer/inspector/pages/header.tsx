import { type MouseEvent, type ReactNode, useEffect } from 'react';
import type { MessageState } from '../../../core/contract/admin.ts';
import { useInfo, useOverview } from '../data/hooks.ts';
import { formatRoute, MESSAGES_ROUTE, type PageName, type Route } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { keyOf } from '../keyboard/shortcuts.ts';
import { formatNumber } from '../ui/format.ts';
import { StateIcon } from '../ui/icons.tsx';
import { STATE_NAMES } from '../ui/state-badge.tsx';
import { Age } from '../ui/time.tsx';

const COUNTED = ['leased', 'parked', 'lapsed', 'dead'] as const satisfies readonly MessageState[];

export function Header({ route }: { readonly route: Route }) {
  const { overview, error } = useOverview();
  const title = useTitle();
  return (
    <header className="header">
      <h1 className="visually-hidden">{title}</h1>
      <nav className="tabs" aria-label="Pages">
        <Tab name="groups" route={route} label="Groups" total={overview?.groups} />
        <Tab name="messages" route={route} label="Messages" total={overview?.messages} />
      </nav>
      <ul className="counts" aria-label="Overview">
        {COUNTED.map((state) => (
          <li key={state}>
            <CountLink route={route} state={state} total={overview?.[state]} />
          </li>
        ))}
        <li className="count-oldest">
          Oldest <b>{overview && <Age at={overview.oldestPublishedAt} none="–" />}</b>
        </li>
      </ul>
      <span className="file" title={overview?.file}>
        {error === null ? (
          overview && <bdi>{baseName(overview.file)}</bdi>
        ) : (
          <span className="error-text" title={error.message}>
            Counts not up to date
          </span>
        )}
      </span>
    </header>
  );
}

interface TabProps {
  readonly name: PageName;
  readonly route: Route;
  readonly label: string;
  readonly total: number | undefined;
}

function Tab({ name, route, label, total }: TabProps) {
  const { router } = useServices();
  return (
    <RouteLink
      to={router.lastRoute(name)}
      className="tab"
      current={route.page === name ? 'page' : undefined}
      title={`${label} (${keyOf(name)})`}
    >
      {label} <span className="tab-count">{total === undefined ? '' : formatNumber(total)}</span>
    </RouteLink>
  );
}

function CountLink(props: {
  readonly route: Route;
  readonly state: MessageState;
  readonly total: number | undefined;
}) {
  const { route, state, total } = props;
  const isOn = route.page === 'messages' && route.state === state;
  return (
    <RouteLink
      to={{ ...MESSAGES_ROUTE, state: isOn ? null : state }}
      className="count"
      current={isOn ? 'true' : undefined}
      title={isOn ? 'Show all messages' : `Show ${state} messages`}
      state={total ? state : undefined}
    >
      <StateIcon state={state} />
      <span>{STATE_NAMES[state]}</span> <b>{total === undefined ? '' : formatNumber(total)}</b>
    </RouteLink>
  );
}

interface LinkProps {
  readonly to: Route;
  readonly className: string;
  readonly current: 'page' | 'true' | undefined;
  readonly title: string;
  readonly state?: MessageState | undefined;
  readonly children: ReactNode;
}

function RouteLink({ to, className, current, title, state, children }: LinkProps) {
  const { router } = useServices();
  const follow = (event: MouseEvent) => {
    event.preventDefault();
    router.push(to);
  };
  return (
    <a
      href={formatRoute(to)}
      className={className}
      aria-current={current}
      title={title}
      data-state={state}
      onClick={follow}
    >
      {children}
    </a>
  );
}

function useTitle(): string {
  const title = useInfo()?.title ?? 'Background jobs';
  useEffect(() => {
    document.title = title;
  }, [title]);
  return title;
}

const baseName = (path: string) => path.split(/[\\/]/).at(-1) ?? path;
