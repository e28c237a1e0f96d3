import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { MessageState } from '../../../core/contract/admin.ts';
import { isFiltered, type Route, withoutFilters } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { focusRows } from '../keyboard/focus.ts';
import { keyOf } from '../keyboard/shortcuts.ts';
import { CloseButton } from '../ui/close-button.tsx';
import { SearchIcon } from '../ui/icons.tsx';
import { Select } from '../ui/select.tsx';
import { STATE_NAMES } from '../ui/state-badge.tsx';

/** How long typing must pause before the search is applied. */
const DEBOUNCE_MS = 180;

interface Props {
  readonly route: Route;
  readonly searchLabel: string;
  readonly searchHint: string;
  readonly children: ReactNode;
}

/** The filters above the rows. */
export function Toolbar({ route, searchLabel, searchHint, children }: Props) {
  const { router } = useServices();
  return (
    <search className="toolbar" aria-label="Filters">
      <SearchField route={route} label={searchLabel} hint={searchHint} />
      {children}
      {isFiltered(route) && (
        <button type="button" className="quiet" onClick={() => router.push(withoutFilters(route))}>
          Clear filters
        </button>
      )}
    </search>
  );
}

interface SearchProps {
  readonly route: Route;
  readonly label: string;
  readonly hint: string;
}

function SearchField({ route, label, hint }: SearchProps) {
  const { router } = useServices();
  const [text, setText] = useState(route.search);
  const field = useRef<HTMLInputElement>(null);
  const applied = useRef(route.search);

  // The route also changes by "back" and by "Clear filters"; the field follows.
  useEffect(() => {
    if (route.search !== applied.current) setText(route.search);
    applied.current = route.search;
  }, [route.search]);

  useEffect(() => {
    if (text === applied.current) return undefined;
    const timer = setTimeout(() => {
      applied.current = text;
      router.replace({ ...router.route(), search: text });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, router]);

  const clear = () => {
    setText('');
    field.current?.focus();
  };

  return (
    <div className="search-field">
      <SearchIcon />
      <input
        ref={field}
        id="search"
        type="text"
        aria-label={label}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          focusRows();
        }}
      />
      {text === '' ? (
        <span className="key" aria-hidden="true">
          {keyOf('search')}
        </span>
      ) : (
        <CloseButton label="Clear search" onClick={clear} />
      )}
    </div>
  );
}

interface StateFilterProps<State extends MessageState> {
  readonly label: string;
  /** Null: all states. */
  readonly state: State | null;
  readonly states: readonly State[];
  readonly onChange: (state: State | null) => void;
}

export function StateFilter<State extends MessageState>(props: StateFilterProps<State>) {
  const { label, state, states, onChange } = props;
  const options = [['', 'All states'] as const, ...states.map((each) => [each, STATE_NAMES[each]] as const)];
  return (
    <FilterSelect<State | ''>
      label={label}
      value={state ?? ''}
      options={options}
      onChange={(value) => onChange(value === '' ? null : value)}
    />
  );
}

interface FilterProps<Value extends string | number> {
  readonly label: string;
  readonly value: Value;
  /** The first option is the one without a filter. */
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
}

export function FilterSelect<Value extends string | number>(props: FilterProps<Value>) {
  const { label, ...select } = props;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Select renders the control
    <label className="filter-select" data-set={props.value !== props.options[0]?.[0] || undefined}>
      <span>{label}</span>
      <Select {...select} />
    </label>
  );
}
