import { type MouseEvent, type ReactNode, useCallback, useEffect, useState } from 'react';
import type { MessageState, Overview } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { count } from '../data/counts.ts';
import { useUpdates } from '../data/hooks.ts';
import { formatPlace, MESSAGES, type PageName, type Place } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import type { Problem } from '../data/windowed-list.ts';
import { STATE_NAMES } from '../ui/badge.tsx';
import { StateIcon } from '../ui/icons.tsx';
import { Age } from '../ui/time.tsx';

const COUNTED = ['leased', 'parked', 'lapsed', 'dead'] as const satisfies readonly MessageState[];

export function Header({ place }: { readonly place: Place }) {
  const { overview, problem } = useOverview();
  const title = useTitle();
  return (
    <header className="bar">
      <h1 className="visually-hidden">{title}</h1>
      <nav className="tabs" aria-label="Pages">
        <Tab name="groups" place={place} label="Groups" total={overview?.groups} shortcut="1" />
        <Tab name="messages" place={place} label="Messages" total={overview?.messages} shortcut="2" />
      </nav>
      <ul className="counts" aria-label="Overview">
        {COUNTED.map((state) => (
          <li key={state}>
            <CountLink place={place} state={state} total={overview?.[state]} />
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
  readonly place: Place;
  readonly label: string;
  readonly total: number | undefined;
  readonly shortcut: string;
}

function Tab({ name, place, label, total, shortcut }: TabProps) {
  const { address } = useServices();
  return (
    <PlaceLink
      to={address.lastOf(name)}
      className="tab"
      current={place.page === name ? 'page' : undefined}
      title={`${label} (${shortcut})`}
    >
      {label} <span className="tab-count">{total === undefined ? '' : count(total)}</span>
    </PlaceLink>
  );
}

function CountLink(props: {
  readonly place: Place;
  readonly state: MessageState;
  readonly total: number | undefined;
}) {
  const { place, state, total } = props;
  const isOn = place.page === 'messages' && place.state === state;
  return (
    <PlaceLink
      to={{ ...MESSAGES, state: isOn ? null : state }}
      className="count"
      current={isOn ? 'true' : undefined}
      title={isOn ? 'Show all messages' : `Show what is ${state}`}
      state={total ? state : undefined}
    >
      <StateIcon state={state} />
      <span className="count-name">{STATE_NAMES[state]}</span>{' '}
      <b>{total === undefined ? '' : count(total)}</b>
    </PlaceLink>
  );
}

interface LinkProps {
  readonly to: Place;
  readonly className: string;
  readonly current: 'page' | 'true' | undefined;
  readonly title: string;
  readonly state?: MessageState | undefined;
  readonly children: ReactNode;
}

function PlaceLink({ to, className, current, title, state, children }: LinkProps) {
  const { address } = useServices();
  const follow = (event: MouseEvent) => {
    event.preventDefault();
    address.go(to);
  };
  return (
    <a
      href={formatPlace(to)}
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
