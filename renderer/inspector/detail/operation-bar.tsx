import { type KeyboardEvent, useState } from 'react';
import type { MessageDetail, OperationKind } from '../../../core/contract/admin.ts';
import { OPERATION_STARTS } from './operation-starts.tsx';
import { OPERATIONS } from './operation-table.ts';

interface Props {
  readonly kinds: readonly OperationKind[];
  readonly detail: MessageDetail;
  readonly openPanel: OperationKind | null;
  readonly isBusy: boolean;
  readonly onStart: (kind: OperationKind) => void;
}

/** The operations as one Tab stop; arrows walk along it. What makes no sense now stays in its place and says why. */
export function OperationBar({ kinds, detail, openPanel, isBusy, onStart }: Props) {
  const [visited, setVisited] = useState(kinds[0]);
  const stop = visited !== undefined && kinds.includes(visited) ? visited : kinds[0];
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[(at + by + buttons.length) % buttons.length]?.focus();
    event.preventDefault();
  };
  return (
    <div className="operation-bar" role="toolbar" aria-label="Operations" tabIndex={-1} onKeyDown={walk}>
      {kinds.map((kind) => {
        const reason = OPERATIONS[kind].disabledReason(detail);
        return (
          <button
            key={kind}
            id={`operation-${kind}`}
            type="button"
            tabIndex={kind === stop ? 0 : -1}
            aria-disabled={reason !== null || isBusy || undefined}
            aria-expanded={OPERATION_STARTS[kind].panel ? openPanel === kind : undefined}
            title={reason ?? undefined}
            onFocus={() => setVisited(kind)}
            onClick={() => onStart(kind)}
          >
            {OPERATIONS[kind].label}
          </button>
        );
      })}
    </div>
  );
}
