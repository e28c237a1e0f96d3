import type { MessageDetail, Operation, OperationKind } from '../../../core/contract/admin.ts';
import { duration } from '../ui/format.ts';

export const OPERATION_NAMES: Record<OperationKind, string> = {
  ack: 'Ack',
  nack: 'Nack now',
  park: 'Park',
  republish: 'Re-publish',
};

/** Why an operation makes no sense on this message; null when it does. */
export function whyNot(kind: OperationKind, { state }: MessageDetail): string | null {
  if (state === 'dead' && (kind === 'nack' || kind === 'park')) {
    return 'A dead letter is in no group: re-publish it to have it delivered again';
  }
  if (kind === 'nack' && (state === 'ready' || state === 'waiting'))
    return 'Nobody holds it: it is free already';
  return null;
}

export function doneText(operation: Operation, seq: number): string {
  switch (operation.kind) {
    case 'ack':
      return `Message ${seq} is acked and removed.`;
    case 'nack':
      return `Message ${seq} is free: a worker can claim it now.`;
    case 'park':
      return `Message ${seq} is parked for ${duration(operation.delayMs)}.`;
    case 'republish':
      return `Message ${operation.fence.seq} is re-published as message ${seq}.`;
  }
}

/** One sentence after another, each with its full stop. */
export function sentences(...parts: readonly string[]): string {
  return parts.map((part) => (/[.!?…]$/.test(part.trim()) ? part.trim() : `${part.trim()}.`)).join(' ');
}
