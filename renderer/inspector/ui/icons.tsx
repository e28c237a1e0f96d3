import type { ReactNode } from 'react';
import type { MessageState } from '../../../core/contract/admin.ts';

function Icon({
  children,
  className = 'icon',
}: {
  readonly children: ReactNode;
  readonly className?: string;
}) {
  return (
    <svg
      className={className}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

export const SearchIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
    <path d="m10.2 10.2 3.3 3.3" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="m4 4 8 8m0-8-8 8" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
  </Icon>
);

export const SortIcon = ({ descending }: { readonly descending: boolean }) => (
  <Icon className="icon sort-icon">
    <path
      d={descending ? 'm4.5 6.5 3.5 3.5 3.5-3.5' : 'm4.5 9.5 3.5-3.5 3.5 3.5'}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </Icon>
);

/** Each state has a shape of its own, so that it is told apart without colour. */
const SHAPES: Record<MessageState, ReactNode> = {
  ready: <circle cx="8" cy="8" r="4" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  waiting: (
    <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round" />
  ),
  leased: <path d="M5.5 3.8v8.4l6.6-4.2z" fill="currentColor" stroke="currentColor" strokeLinejoin="round" />,
  parked: <path d="M5.5 4v8M10.5 4v8" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />,
  lapsed: (
    <path
      d="M8 2.6 14 13H2zM8 6.6v2.9M8 11.4v.01"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
  dead: <path d="m4.5 4.5 7 7m0-7-7 7" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />,
};

export const StateIcon = ({ state }: { readonly state: MessageState }) => (
  <Icon className="icon state-icon">{SHAPES[state]}</Icon>
);
