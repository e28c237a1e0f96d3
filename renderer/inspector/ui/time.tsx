import type { ReactNode } from 'react';
import { useTicking } from '../data/hooks.ts';
import { age, moment, until } from './format.ts';

/** How long ago, ticking; the absolute time on hover. */
export function Age({ at, none = null }: { readonly at: number | null; readonly none?: ReactNode }) {
  const text = useTicking((now) => (at === null ? '' : age(at, now)));
  if (at === null) return none;
  return (
    <time className="time" dateTime={iso(at)} title={moment(at)}>
      {text}
    </time>
  );
}

/** How long until, ticking; the absolute time on hover. */
export function Until({ at, none = null }: { readonly at: number | null; readonly none?: ReactNode }) {
  const text = useTicking((now) => (at === null ? '' : until(at, now)));
  if (at === null) return none;
  return (
    <time className="time" dateTime={iso(at)} title={moment(at)}>
      {text}
    </time>
  );
}

function iso(at: number): string | undefined {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;
}
