import type { MessageDetail, Operation } from '../../../core/contract/admin.ts';

export interface PanelProps {
  /** The message in the state that the operator decides on. */
  readonly message: MessageDetail;
  /** An operation is running. */
  readonly isBusy: boolean;
  readonly onRun: (operation: Operation) => void;
  readonly onCancel: () => void;
}
