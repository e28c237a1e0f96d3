import type { ReactNode } from 'react';
import { useTicking } from '../data/hooks.ts';
import { formatAge, formatDateTime, formatTimeLeft, isDate } from './format.ts';

interface Props {
  readonly at: number | null;
  /** Shown when there is no time. */
  readonly none?: ReactNode;
}

/** The time since `at`, updated as it passes, with the absolute time on hover. */
export const Age = (props: Props) => <RelativeTime {...props} format={formatAge} />;

/** The time left until `at`, updated as it passes, with the absolute time on hover. */
export const Until = (props: Props) => <RelativeTime {...props} format={formatTimeLeft} />;

interface RelativeProps extends Props {
  readonly format: (at: number, now: number) => string;
}

function RelativeTime({ at, none = null, format }: RelativeProps) {
  const text = useTicking((now) => (at === null ? '' : format(at, now)));
  if (at === null) return none;
  return (
    <time
      className="time"
      dateTime={isDate(at) ? new Date(at).toISOString() : undefined}
      title={formatDateTime(at)}
    >
      {text}
    </time>
  );
}
