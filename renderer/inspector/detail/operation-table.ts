/**
 * How the page presents each operation, in the order of the operation bar. operation-starts.tsx says how each one starts.
 */
import type { MessageDetail, Operation, OperationKind, OperationOf } from '../../../core/contract/admin.ts';
import { formatDuration } from '../ui/format.ts';

interface OperationEntry<Kind extends OperationKind> {
  readonly label: string;
  /** The key that starts it on the open message; null for none. */
  readonly key: string | null;
  /** Why the operation makes no sense on this message; null when it does. */
  disabledReason(detail: MessageDetail): string | null;
  /** `seq` is the operation's result. */
  doneText(operation: OperationOf<Kind>, seq: number): string;
}

const notForDeadLetters = ({ state }: MessageDetail) =>
  state === 'dead' ? 'A dead letter is in no group: re-publish it to have it delivered again' : null;

export const OPERATIONS: { readonly [Kind in OperationKind]: OperationEntry<Kind> } = {
  ack: {
    label: 'Ack',
    key: 'a',
    disabledReason: () => null,
    doneText: (_operation, seq) => `Message ${seq} is acked and removed.`,
  },
  nack: {
    label: 'Nack now',
    key: null,
    disabledReason: (detail) =>
      notForDeadLetters(detail) ??
      (detail.state === 'ready' || detail.state === 'waiting'
        ? 'No worker holds this message: it is free already'
        : null),
    doneText: (_operation, seq) => `Message ${seq} is free: a worker can claim it now.`,
  },
  park: {
    label: 'Park',
    key: 'p',
    disabledReason: notForDeadLetters,
    doneText: ({ delayMs }, seq) => `Message ${seq} is parked for ${formatDuration(delayMs)}.`,
  },
  republish: {
    label: 'Re-publish',
    key: 'e',
    disabledReason: () => null,
    doneText: ({ fence }, seq) => `Message ${fence.seq} is re-published as message ${seq}.`,
  },
};

export const OPERATION_KINDS = Object.keys(OPERATIONS) as readonly OperationKind[];

export function doneText(operation: Operation, seq: number): string {
  // The entry and the operation have the same kind, which TypeScript cannot follow through the lookup.
  return OPERATIONS[operation.kind].doneText(operation as never, seq);
}
