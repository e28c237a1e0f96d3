import { type MouseEvent, type ReactNode, useCallback, useEffect, useState } from 'react';
import type { MessageState, Overview } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { count } from '../data/counts.ts';
import { useUpdates } from '../data/hooks.ts';
import { formatRoute, MESSAGES_ROUTE, type PageName, type Route } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import type { Problem } from '../data/windowed-list.ts';
import { STATE_NAMES } from '../ui/badge.tsx';
import { StateIcon } from '../ui/icons.tsx';
import { Age } from '../ui/time.tsx';

const COUNTED = ['leased', 'parked', 'lapsed', 'dead'] as const satisfies readonly MessageState[];

export function Header({ route }: { readonly route: Route }) {
  const { overview, problem } = useOverview();
  const title = useTitle();
  return (
    <header className="bar">
      <h1 className="visually-hidden">{title}</h1>
      <nav className="tabs" aria-label="Pages">
        <Tab name="groups" route={route} label="Groups" total={overview?.groups} shortcut="1" />
        <Tab name="messages" route={route} label="Messages" total={overview?.messages} shortcut="2" />
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
        {problem === null ? (
          overview && <bdi>{nameOf(overview.file)}</bdi>
        ) : (
          <span className="error-text" title={problem.message}>
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
  readonly shortcut: string;
}

function Tab({ name, route, label, total, shortcut }: TabProps) {
  const { router } = useServices();
  return (
    <RouteLink
      to={router.lastRoute(name)}
      className="tab"
      current={route.page === name ? 'page' : undefined}
      title={`${label} (${shortcut})`}
    >
      {label} <span className="tab-count">{total === undefined ? '' : count(total)}</span>
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
      title={isOn ? 'Show all messages' : `Show what is ${state}`}
      state={total ? state : undefined}
    >
      <StateIcon state={state} />
      <span className="count-name">{STATE_NAMES[state]}</span>{' '}
      <b>{total === undefined ? '' : count(total)}</b>
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

function useOverview() {
  const { bridge, clock } = useServices();
  const [overview, setOverview] = useState<Overview | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const read = useCallback(async () => {
    const answer = await answered(bridge.overview());
    setProblem(answer.ok ? null : answer.error);
    if (!answer.ok) return;
    clock.correct(answer.value.now);
    setOverview(answer.value);
  }, [bridge, clock]);
  useEffect(() => void read(), [read]);
  useUpdates(read);
  return { overview, problem };
}

function useTitle(): string {
  const { bridge } = useServices();
  const [title, setTitle] = useState('Background jobs');
  useEffect(() => {
    void answered(bridge.info()).then((answer) => {
      if (!answer.ok) return;
      setTitle(answer.value.title);
      document.title = answer.value.title;
    });
  }, [bridge]);
  return title;
}

const nameOf = (file: string) => file.split(/[\\/]/).at(-1) ?? file;
