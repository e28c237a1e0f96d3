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

const DESCRIPTIONS: Record<MessageState, string> = {
  ready: 'The head of its group: a worker can claim it',
  waiting: 'Behind the head of its group, or behind a lock in its group',
  leased: 'A worker holds it',
  parked: 'Nacked with a delay that has not passed',
  lapsed: 'Its lease or park has expired, and no worker has claimed it since',
  dead: 'A dead letter: taken out of its group after its last attempt',
};

export function StateBadge({ state }: { readonly state: MessageState }) {
  return (
    <span className="state" data-state={state} title={DESCRIPTIONS[state]}>
      <StateIcon state={state} />
      {STATE_NAMES[state]}
    </span>
  );
}
