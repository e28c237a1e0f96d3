import { useEffect, useRef } from 'react';
import { OPERATIONS } from '../detail/operation-table.ts';
import { CloseIcon } from '../ui/icons.tsx';

const withKey = Object.values(OPERATIONS).filter(({ key }) => key !== null);

const KEYS: readonly (readonly [string, readonly string[]])[] = [
  ['Next, previous row', ['j', 'k']],
  ['Same, with arrows; up from the first row to the headers', ['↓', '↑']],
  ['A page down, up', ['PgDn', 'PgUp']],
  ['First, last row', ['Home', 'End']],
  ['Open the row; sort by the header', ['Enter']],
  ['Close what is open', ['Esc']],
  ['Search', ['/']],
  ['Groups, Messages', ['1', '2']],
  [
    `${withKey.map(({ label }) => label).join(', ')} the open message`,
    withKey.flatMap(({ key }) => (key === null ? [] : [key])),
  ],
  ['This list', ['?']],
];

export function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    // The browser gives the focus back to where it was.
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="help" aria-labelledby="help-title" onClose={onClose}>
      <div className="help-head">
        <h2 id="help-title">Keys</h2>
        <button
          type="button"
          className="icon-button"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <CloseIcon />
        </button>
      </div>
      <dl>
        {KEYS.map(([what, keys]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
