/** What a person can do with one message. Every operation names the state that was seen when it was decided on. */
import { type KeyboardEvent as ReactKeyboardEvent, useCallback, useEffect, useState } from 'react';
import type { MessageDetail, Operation, OperationKind } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { MESSAGES_ROUTE } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { isTyping } from '../keyboard/focus.ts';
import { useLatest } from '../ui/use-latest.ts';
import { OperationBar } from './operation-bar.tsx';
import { OPERATION_STARTS } from './operation-starts.tsx';
import { doneText, OPERATION_KINDS, OPERATIONS } from './operation-table.ts';
import { Outcome, type OutcomeOf } from './outcome.tsx';
import type { Seen } from './use-detail.ts';
import { useOperations } from './use-operations.ts';

export function Operations({ seen, read }: { readonly seen: Seen; readonly read: () => Promise<void> }) {
  const { bridge, changeFeed, router, announcer } = useServices();
  const allowed = useOperations();
  const [panel, setPanel] = useState<{ kind: OperationKind; basis: MessageDetail } | null>(null);
  const [outcome, setOutcome] = useState<OutcomeOf | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { detail, isGone } = seen;
  const newest = useLatest(detail);

  const run = async (operation: Operation) => {
    if (isBusy) return;
    setBusy(true);
    setOutcome(null);
    const answer = await answered(bridge.operate(operation));
    setBusy(false);
    // Closed before the message is read again: what was just done must not show as a change under the panel.
    if (answer.ok && answer.value.outcome === 'done') finish(operation, answer.value.seq);
    await read();
    changeFeed.requestRefresh();
    if (!answer.ok) {
      const text = `${OPERATIONS[operation.kind].label} failed. ${answer.error.message}`;
      setOutcome({ kind: 'failed', text });
    } else if (answer.value.outcome === 'stale') {
      setOutcome({ kind: 'stale', text: answer.value.message });
      // What was edited stays; pressing again then decides on the state that is shown now.
      const start = OPERATION_STARTS[operation.kind];
      if (start.panel && start.keepsDraft)
        setPanel((open) => open && { ...open, basis: newest.current ?? open.basis });
      else closePanel(operation.kind);
    }
  };

  const finish = (operation: Operation, seq: number) => {
    const text = doneText(operation, seq);
    setOutcome({ kind: 'done', text, newSeq: seq === operation.fence.seq ? null : seq });
    announcer.announce(text);
    setPanel(null);
    if (OPERATION_STARTS[operation.kind].panel) document.getElementById('detail-title')?.focus();
  };

  const closePanel = (kind: OperationKind) => {
    setPanel(null);
    setTimeout(() => document.getElementById(`operation-${kind}`)?.focus());
  };

  const newestRun = useLatest(run);
  const start = useCallback(
    (kind: OperationKind) => {
      const basis = newest.current;
      if (basis === null || OPERATIONS[kind].disabledReason(basis) !== null) return;
      setOutcome(null);
      const chosen = OPERATION_STARTS[kind];
      if (chosen.panel) setPanel((open) => (open?.kind === kind ? null : { kind, basis }));
      else void newestRun.current(chosen.operation(basis.fence));
    },
    [newest, newestRun],
  );
  const shown = isGone || detail === null ? [] : OPERATION_KINDS.filter((kind) => allowed.includes(kind));
  useOperationKeys(shown, start);

  const shared = panel && {
    basis: panel.basis,
    isBusy,
    hasMoved: detail !== null && JSON.stringify(detail.fence) !== JSON.stringify(panel.basis.fence),
    onRun: (operation: Operation) => void run(operation),
    onCancel: () => closePanel(panel.kind),
  };
  const Panel = panel && OPERATION_STARTS[panel.kind].panel;
  const cancelOnEscape = (event: ReactKeyboardEvent) => {
    if (event.key !== 'Escape' || panel === null) return;
    event.preventDefault();
    closePanel(panel.kind);
  };

  return (
    <div className="operations">
      {shown.length > 0 && detail !== null && (
        <OperationBar
          kinds={shown}
          detail={detail}
          openPanel={panel?.kind ?? null}
          isBusy={isBusy}
          onStart={start}
        />
      )}
      {outcome !== null && (
        <Outcome
          outcome={outcome}
          fresh={isGone ? null : detail}
          onOpen={(seq) => router.push({ ...MESSAGES_ROUTE, seq })}
          onDismiss={() => setOutcome(null)}
        />
      )}
      {shared !== null && !isGone && (
        // biome-ignore lint/a11y/noStaticElementInteractions: hears the Esc of what is inside
        <div className="panel" onKeyDown={cancelOnEscape}>
          {Panel && <Panel {...shared} />}
        </div>
      )}
    </div>
  );
}

function useOperationKeys(shown: readonly OperationKind[], start: (kind: OperationKind) => void): void {
  const usable = shown.join();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const kind = OPERATION_KINDS.find((one) => OPERATIONS[one].key === event.key);
      if (kind === undefined || !usable.split(',').includes(kind)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      start(kind);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [usable, start]);
}
