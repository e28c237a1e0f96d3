/** One message beside the list: its state, the operations on it, its facts and its event. */
import { isFinal } from '../data/bridge.ts';
import { type OpenMessage, textOf } from '../data/open-message.ts';
import { JsonView } from '../json/json-view.tsx';
import { shortcutOf } from '../keyboard/shortcuts.ts';
import { useHotkeys } from '../keyboard/use-hotkeys.ts';
import { CloseButton } from '../ui/close-button.tsx';
import { StateBadge } from '../ui/state-badge.tsx';
import { Facts } from './facts.tsx';
import { Operations } from './operations.tsx';
import { type DetailRead, type SeenMessage, useDetail } from './use-detail.ts';

interface Props {
  readonly message: OpenMessage;
  readonly onClose: () => void;
}

export function Detail({ message, onClose }: Props) {
  const { seen, refresh } = useDetail(message);
  const shown = seen?.message ?? message;
  useHotkeys((key) => {
    if (shortcutOf(key) !== 'close') return false;
    onClose();
    return true;
  });
  return (
    <section
      className="detail"
      aria-labelledby="detail-title"
      aria-busy={seen === null || textOf(shown) !== textOf(message)}
    >
      <div className="detail-head">
        <h2 id="detail-title" tabIndex={-1}>
          Message {shown.seq}
        </h2>
        {seen?.detail && !seen.isGone && <StateBadge state={seen.detail.state} />}
        <CloseButton label="Close message" title="Close (Esc)" onClick={onClose} />
      </div>
      {seen === null ? (
        <p className="delayed padded">Loading message {message.seq}…</p>
      ) : (
        <Body key={textOf(seen.message)} seen={seen} refresh={refresh} />
      )}
    </section>
  );
}

interface BodyProps {
  readonly seen: SeenMessage;
  readonly refresh: DetailRead['refresh'];
}

function Body({ seen, refresh }: BodyProps) {
  const { detail, isGone, error } = seen;
  return (
    <>
      <Operations seen={seen} refresh={refresh} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard */}
      <section className="detail-scroll" aria-label="State and event" tabIndex={0}>
        {error !== null && (
          <div className="notice" data-kind="failed" role="alert">
            <p>Could not read this message. {error.message}</p>
            {!isFinal(error) && (
              <button type="button" onClick={() => void refresh()}>
                Try again
              </button>
            )}
          </div>
        )}
        {isGone && (
          <p className="notice" data-kind="gone">
            {detail === null
              ? `Message ${seen.message.seq} does not exist. It may have been acked or re-published.`
              : 'This message is no longer in the queue. Its last known state is below.'}
          </p>
        )}
        {detail !== null && (
          <>
            {!isGone && <p className="state-sentence">{detail.why}</p>}
            <Facts detail={detail} />
            <JsonView text={detail.eventJson} />
          </>
        )}
      </section>
    </>
  );
}
