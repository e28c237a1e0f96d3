import type { ReactNode } from 'react';
import type { MessageDetail, MessageState } from '../../../core/contract/admin.ts';
import { openOf } from '../data/open-message.ts';
import { MESSAGES_ROUTE } from '../data/route.ts';
import { useServices } from '../data/services.ts';
import { formatGroup } from '../ui/format.ts';
import { Age, Until } from '../ui/time.tsx';

const EXPIRY_NAMES: Partial<Record<MessageState, string>> = { parked: 'Parked for', lapsed: 'Lapsed' };
const NONE = <span className="no-value">–</span>;

/** The same fields in every state, so that nothing moves when the state changes. */
export function Facts({ detail }: { readonly detail: MessageDetail }) {
  const { router } = useServices();
  return (
    <dl className="facts">
      <Fact name="Group">
        <button
          type="button"
          className="link"
          title="Show only this group"
          onClick={() => router.push({ ...MESSAGES_ROUTE, group: detail.groupId, open: openOf(detail) })}
        >
          {formatGroup(detail.groupId)}
        </button>
      </Fact>
      <Fact name="Holder">{detail.holder ?? NONE}</Fact>
      <Fact name={EXPIRY_NAMES[detail.state] ?? 'Expires in'}>
        <Until at={detail.expiresAt} none={NONE} />
      </Fact>
      <Fact name="Attempts">{detail.attempts}</Fact>
      <Fact name="Age">
        <Age at={detail.publishedAt} none={NONE} />
      </Fact>
      <Fact name="Priority">{detail.priority}</Fact>
      <Fact name="Routing key">{detail.routingKey ?? NONE}</Fact>
      {detail.deadId !== null && <Fact name="Dead letter">{detail.deadId}</Fact>}
      {detail.originSeq !== null && <Fact name="Re-published from">message {detail.originSeq}</Fact>}
      {detail.lastError !== null && (
        <Fact name="Last error" wide>
          <pre className="last-error">{detail.lastError}</pre>
        </Fact>
      )}
    </dl>
  );
}

function Fact(props: { readonly name: string; readonly wide?: boolean; readonly children: ReactNode }) {
  return (
    <div className="fact" data-wide={props.wide || undefined}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
