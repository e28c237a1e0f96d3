import type { MessageState } from '../../../core/contract/admin.ts';
import { StateIcon } from './icons.tsx';

export const STATE_NAMES: Record<MessageState, string> = {
  ready: 'Ready',
  waiting: 'Waiting',
  leased: 'Leased',
  parked: 'Parked',
  lapsed: 'Lapsed',
  dead: 'Dead',
};

const MEANINGS: Record<MessageState, string> = {
  ready: 'At the head of its group: a claim may take it',
  waiting: 'Behind the head of its group, or behind a lock of its group',
  leased: 'Held by a worker',
  parked: 'Given back with a delay that still runs',
  lapsed: 'Its lease or park is over and nobody took it since',
  dead: 'Among the dead letters',
};

export function StateBadge({ state }: { readonly state: MessageState }) {
  return (
    <span className="state" data-state={state} title={MEANINGS[state]}>
      <StateIcon state={state} />
      {STATE_NAMES[state]}
    </span>
  );
}
