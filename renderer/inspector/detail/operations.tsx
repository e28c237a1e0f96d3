/** What a person can do with one message. Every operation names the state that was seen when it was decided on. */
import { type KeyboardEvent as ReactKeyboardEvent, useCallback, useEffect, useState } from 'react';
import type { MessageDetail, Operation, OperationKind } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { MESSAGES } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { isTyping } from '../keyboard/focus.ts';
import { useNewest } from '../ui/use-latest.ts';
import { AckPanel } from './ack-panel.tsx';
import { OperationBar } from './operation-bar.tsx';
import { doneText, OPERATION_NAMES, whyNot } from './operation-format.ts';
import { Outcome, type OutcomeOf } from './outcome.tsx';
import { ParkPanel } from './park-panel.tsx';
import { RepublishPanel } from './republish-panel.tsx';
import type { Seen } from './use-detail.ts';
import { useOperations } from './use-operations.ts';

const ORDER: readonly OperationKind[] = ['ack', 'nack', 'park', 'republish'];
const KEYS: Record<string, OperationKind> = { a: 'ack', p: 'park', e: 'republish' };

type PanelKind = Exclude<OperationKind, 'nack'>;

export function Operations({ seen, read }: { readonly seen: Seen; readonly read: () => Promise<void> }) {
  const { bridge, live, address, speaker } = useServices();
  const allowed = useOperations();
  const [panel, setPanel] = useState<{ kind: PanelKind; basis: MessageDetail } | null>(null);
  const [outcome, setOutcome] = useState<OutcomeOf | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { detail, isGone } = seen;
  const newest = useNewest(detail);

  const run = async (operation: Operation) => {
    if (isBusy) return;
    setBusy(true);
    setOutcome(null);
    const answer = await answered(bridge.operate(operation));
    setBusy(false);
    // Closed before the message is read again: what was just done must not show as a change under the panel.
    if (answer.ok && answer.value.outcome === 'done') finish(operation, answer.value.seq);
    await read();
    live.poke();
    if (!answer.ok) {
      const text = `${OPERATION_NAMES[operation.kind]} failed. ${answer.error.message}`;
      setOutcome({ kind: 'failed', text });
    } else if (answer.value.outcome === 'stale') {
      setOutcome({ kind: 'stale', text: answer.value.says });
      // What was edited stays; pressing again then decides on the state that is shown now.
      if (operation.kind === 'republish')
        setPanel((open) => open && { ...open, basis: newest.current ?? open.basis });
      else closePanel(operation.kind);
    }
  };

  const finish = (operation: Operation, seq: number) => {
    const text = doneText(operation, seq);
    setOutcome({ kind: 'done', text, newSeq: operation.kind === 'republish' ? seq : null });
    speaker.say(text);
    setPanel(null);
    if (operation.kind !== 'nack') document.getElementById('detail-title')?.focus();
  };

  const closePanel = (kind: OperationKind) => {
    setPanel(null);
    setTimeout(() => document.getElementById(`operation-${kind}`)?.focus());
  };

  const start = useCallback(
    (kind: OperationKind) => {
      const basis = newest.current;
      if (basis === null || whyNot(kind, basis) !== null) return;
      setOutcome(null);
      if (kind !== 'nack') setPanel((open) => (open?.kind === kind ? null : { kind, basis }));
    },
    [newest],
  );
  const shown = isGone || detail === null ? [] : ORDER.filter((kind) => allowed.includes(kind));
  useOperationKeys(shown, start);

  const shared = panel && {
    basis: panel.basis,
    isBusy,
    hasMoved: detail !== null && JSON.stringify(detail.fence) !== JSON.stringify(panel.basis.fence),
    onRun: (operation: Operation) => void run(operation),
    onCancel: () => closePanel(panel.kind),
  };
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
          onStart={(kind) => {
            start(kind);
            if (kind === 'nack' && whyNot(kind, detail) === null) void run({ kind, fence: detail.fence });
          }}
        />
      )}
      {outcome !== null && (
        <Outcome
          outcome={outcome}
          fresh={isGone ? null : detail}
          onOpen={(seq) => address.go({ ...MESSAGES, seq })}
          onDismiss={() => setOutcome(null)}
        />
      )}
      {shared !== null && !isGone && (
        // biome-ignore lint/a11y/noStaticElementInteractions: hears the Esc of what is inside
        <div className="panel" onKeyDown={cancelOnEscape}>
          {panel?.kind === 'ack' && <AckPanel {...shared} />}
          {panel?.kind === 'park' && <ParkPanel {...shared} />}
          {panel?.kind === 'republish' && <RepublishPanel {...shared} />}
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
      const kind = KEYS[event.key];
      if (kind === undefined || !usable.split(',').includes(kind)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      start(kind);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [usable, start]);
}
