import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isFiltered, type Route, withoutFilters } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { focusRows } from '../keyboard/focus.ts';
import { CloseIcon, SearchIcon } from '../ui/icons.tsx';

const TYPING_MS = 180;

interface Props {
  readonly route: Route;
  readonly searchLabel: string;
  readonly searchHint: string;
  readonly children: ReactNode;
}

/** The filters over the rows. */
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

function SearchField({
  route,
  label,
  hint,
}: {
  readonly route: Route;
  readonly label: string;
  readonly hint: string;
}) {
  const { router } = useServices();
  const [text, setText] = useState(route.search);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(route.search);

  // The address leads when it changes by another way than typing here: "back", "Clear filters".
  useEffect(() => {
    if (route.search !== sent.current) setText(route.search);
    sent.current = route.search;
  }, [route.search]);

  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      router.replace({ ...router.route(), search: text });
    }, TYPING_MS);
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
          /
        </span>
      ) : (
        <button type="button" className="icon-button" aria-label="Clear search" onClick={clear}>
          <CloseIcon />
        </button>
      )}
    </div>
  );
}

interface PickProps<Value extends string | number> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onPick: (value: Value) => void;
}

/** One choice of several. */
export function Pick<Value extends string | number>({ label, value, options, onPick }: PickProps<Value>) {
  return (
    <label className="pick" data-set={value !== options[0]?.[0] || undefined}>
      <span>{label}</span>
      <select
        value={value}
        onChange={(event) => {
          const picked = options[event.target.selectedIndex];
          if (picked !== undefined) onPick(picked[0]);
        }}
      >
        {options.map(([of, text]) => (
          <option key={of} value={of}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
