import {
  ChevronDown,
  ChevronUp,
  Circle,
  Ellipsis,
  type LucideIcon,
  type LucideProps,
  Pause,
  Play,
  Search,
  TriangleAlert,
  X,
} from 'lucide-react';
import type { MessageState } from '../../../core/contract/admin.ts';

/** Line widths are in pixels, whatever the icon's size. */
const LINE: LucideProps = { strokeWidth: 1.5, nonScalingStroke: true };
const BOLD: LucideProps = { ...LINE, strokeWidth: 2.2 };
const SOLID: LucideProps = { fill: 'currentColor', nonScalingStroke: true };

export const SearchIcon = () => <Search className="icon" size={14} {...LINE} />;

export const CloseIcon = () => <X className="icon" size={16} {...LINE} />;

export const SortIcon = ({ descending }: { readonly descending: boolean }) => {
  const Chevron = descending ? ChevronDown : ChevronUp;
  return <Chevron className="icon sort-icon" size={16} {...LINE} />;
};

/** Each state has its own shape, so that it does not depend on colour. The sizes give the shapes the same weight. */
const SHAPES: Record<MessageState, readonly [LucideIcon, LucideProps]> = {
  ready: [Circle, { size: 10, ...LINE }],
  waiting: [Ellipsis, { size: 16, ...LINE }],
  leased: [Play, { size: 11, strokeWidth: 1, ...SOLID }],
  parked: [Pause, { size: 12, strokeWidth: 0, ...SOLID }],
  lapsed: [TriangleAlert, { size: 15, ...LINE }],
  dead: [X, { size: 14, ...BOLD }],
};

export function StateIcon({ state }: { readonly state: MessageState }) {
  const [Shape, props] = SHAPES[state];
  return (
    <span className="state-icon">
      <Shape {...props} />
    </span>
  );
}
