import { Toolbar } from 'react-aria-components';
import type { MessageDetail, OperationKind } from '../../../core/contract/admin.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { OPERATION_STARTS } from './operation-starts.tsx';
import { OPERATIONS } from './operation-table.ts';

interface Props {
  readonly kinds: readonly OperationKind[];
  readonly detail: MessageDetail;
  readonly openPanel: OperationKind | null;
  readonly isBusy: boolean;
  readonly onStart: (kind: OperationKind) => void;
}

/** One Tab stop; the arrow keys move along it. A disabled operation keeps its place and its focus, to explain itself. */
export function OperationBar({ kinds, detail, openPanel, isBusy, onStart }: Props) {
  return (
    <Toolbar className="operation-bar" aria-label="Operations">
      {kinds.map((kind) => {
        const reason = OPERATIONS[kind].disabledReason(detail);
        return (
          <Tooltip key={kind} text={reason}>
            <button
              id={`operation-${kind}`}
              type="button"
              aria-disabled={reason !== null || isBusy || undefined}
              aria-expanded={OPERATION_STARTS[kind].panel ? openPanel === kind : undefined}
              onClick={() => onStart(kind)}
            >
              {OPERATIONS[kind].label}
            </button>
          </Tooltip>
        );
      })}
    </Toolbar>
  );
}
