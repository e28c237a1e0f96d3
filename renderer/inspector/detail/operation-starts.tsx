/** What happens when an operation is chosen. */
import type { ComponentType } from 'react';
import type { MessageFence, Operation, OperationKind } from '../../../core/contract/admin.ts';
import { AckPanel } from './ack-panel.tsx';
import type { PanelProps } from './panel-props.ts';
import { ParkPanel } from './park-panel.tsx';
import { RepublishPanel } from './republish-panel.tsx';

type OperationStart =
  /** Opens a panel, which runs the operation. `keepsDraft`: the panel stays open when the message has changed meanwhile. */
  | { readonly panel: ComponentType<PanelProps>; readonly keepsDraft?: true }
  /** Runs the operation at once. */
  | { readonly panel: null; operation(fence: MessageFence): Operation };

export const OPERATION_STARTS: { readonly [Kind in OperationKind]: OperationStart } = {
  ack: { panel: AckPanel },
  nack: { panel: null, operation: (fence) => ({ kind: 'nack', fence }) },
  park: { panel: ParkPanel },
  republish: { panel: RepublishPanel, keepsDraft: true },
};
