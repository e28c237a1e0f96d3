import { useEffect } from 'react';
import type { MessageDetail, Operation } from '../../../core/contract/admin.ts';
import { useServices } from '../data/services.ts';

export interface PanelProps {
  /** The message as it was seen when the panel was opened. */
  readonly basis: MessageDetail;
  readonly isBusy: boolean;
  /** The message changed since. */
  readonly hasMoved: boolean;
  readonly onRun: (operation: Operation) => void;
  readonly onCancel: () => void;
}

/** While a panel is open, changes of the rows wait. */
export function usePauseWhileOpen(): void {
  const { pauser } = useServices();
  useEffect(() => pauser.pause(), [pauser]);
}

export function MovedNote({ hasMoved }: { readonly hasMoved: boolean }) {
  if (!hasMoved) return null;
  return (
    <p className="moved-note">This message has changed since you opened this: check its state below first.</p>
  );
}
