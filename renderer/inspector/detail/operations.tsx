/** The operations on one message. Each operation is fenced with the state that the operator saw when deciding on it. */
import { useState } from 'react';
import type { MessageDetail, Operation, OperationKind } from '../../../core/contract/admin.ts';
import { asAnswer } from '../data/bridge.ts';
import { useInfo } from '../data/hooks.ts';
import { MESSAGES_ROUTE } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { focusDetail } from '../keyboard/focus.ts';
import { useHotkeys } from '../keyboard/use-hotkeys.ts';
import { OperationBar } from './operation-bar.tsx';
import { type Notice, OperationNotice } from './operation-notice.tsx';
import { OperationPanel } from './operation-panel.tsx';
import { OPERATION_STARTS } from './operation-starts.tsx';
import { doneText, OPERATION_KINDS, OPERATIONS } from './operation-table.ts';
import type { DetailRead, SeenMessage } from './use-detail.ts';

interface OpenPanel {
  readonly kind: OperationKind;
  /** The message in the state that the operator decides on. */
  readonly message: MessageDetail;
}

interface Props {
  readonly seen: SeenMessage;
  readonly refresh: DetailRead['refresh'];
}

export function Operations({ seen, refresh }: Props) {
  const { bridge, changeFeed, router, announcer } = useServices();
  const allowed = useInfo()?.operations ?? [];
  const [open, setOpen] = useState<OpenPanel | null>(null);
  const [notice, setNotice] = useState<Notice | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { detail, isGone } = seen;

  const run = async (operation: Operation) => {
    if (isBusy) return;
    setBusy(true);
    setNotice(null);
    const answer = await asAnswer(bridge.operate(operation));
    setBusy(false);
    // The panel closes before the message is read again: the operation itself must not appear as a change under it.
    if (answer.ok && answer.value.outcome === 'done') finish(operation, answer.value.seq);
    const newest = await refresh();
    void changeFeed.requestRefresh();
    if (!answer.ok) {
      const text = `${OPERATIONS[operation.kind].label} failed. ${answer.error.message}`;
      setNotice({ kind: 'failed', text });
    } else if (answer.value.outcome === 'stale') {
      setNotice({ kind: 'stale', text: answer.value.message });
      const start = OPERATION_STARTS[operation.kind];
      // The edits stay in the panel. Submitting them again decides on the state that is shown now.
      if (start.panel && start.keepsDraft)
        setOpen((panel) => panel && { ...panel, message: newest ?? panel.message });
      else close(operation.kind);
    }
  };

  const finish = (operation: Operation, seq: number) => {
    const text = doneText(operation, seq);
    setNotice({ kind: 'done', text, newSeq: operation.kind === 'republish' ? seq : null });
    announcer.announce(text);
    setOpen(null);
    if (OPERATION_STARTS[operation.kind].panel) focusDetail();
  };

  const close = (kind: OperationKind) => {
    setOpen(null);
    document.getElementById(`operation-${kind}`)?.focus();
  };

  const start = (kind: OperationKind) => {
    if (detail === null || OPERATIONS[kind].disabledReason(detail) !== null) return;
    setNotice(null);
    const chosen = OPERATION_STARTS[kind];
    if (chosen.panel) setOpen(open?.kind === kind ? null : { kind, message: detail });
    else void run(chosen.operation(detail.fence));
  };

  const kinds = isGone || detail === null ? [] : OPERATION_KINDS.filter((kind) => allowed.includes(kind));
  useHotkeys((key) => {
    const kind = kinds.find((candidate) => OPERATIONS[candidate].key === key);
    if (kind === undefined) return false;
    start(kind);
    return true;
  });

  const Panel = open && OPERATION_STARTS[open.kind].panel;
  return (
    <div className="operations">
      {kinds.length > 0 && detail !== null && (
        <OperationBar
          kinds={kinds}
          detail={detail}
          openPanel={open?.kind ?? null}
          isBusy={isBusy}
          onStart={start}
        />
      )}
      {notice !== null && (
        <OperationNotice
          notice={notice}
          current={isGone ? null : detail}
          onOpen={(seq) => {
            router.push({ ...MESSAGES_ROUTE, open: { seq, deadId: null } });
            focusDetail();
          }}
          onDismiss={() => setNotice(null)}
        />
      )}
      {open !== null && Panel !== null && !isGone && (
        <OperationPanel
          key={open.kind}
          Panel={Panel}
          message={open.message}
          current={detail}
          isBusy={isBusy}
          onRun={(operation) => void run(operation)}
          onCancel={() => close(open.kind)}
        />
      )}
    </div>
  );
}
