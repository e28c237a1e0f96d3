import { type ComponentType, type KeyboardEvent, useEffect } from 'react';
import type { MessageDetail } from '../../../core/contract/admin.ts';
import { useServices } from '../data/services.ts';
import type { PanelProps } from './panel-props.ts';

interface Props extends PanelProps {
  readonly Panel: ComponentType<PanelProps>;
  /** The message as it is now; null while it cannot be read. */
  readonly current: MessageDetail | null;
}

/** The frame of the open panel: it pauses the rows, closes on Esc and warns when the message has changed. */
export function OperationPanel({ Panel, current, ...panelProps }: Props) {
  const { pauser } = useServices();
  useEffect(() => pauser.pause(), [pauser]);
  const { message, onCancel } = panelProps;
  const hasChanged = current !== null && JSON.stringify(current.fence) !== JSON.stringify(message.fence);
  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onCancel();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the Esc key of the controls inside
    <div className="panel" onKeyDown={cancelOnEscape}>
      {hasChanged && (
        <p className="changed-note">
          This message has changed since you opened this panel. Check its state before you continue.
        </p>
      )}
      <Panel {...panelProps} />
    </div>
  );
}
