import { OPERATIONS } from '../detail/operation-table.ts';
import { Dialog } from '../ui/dialog.tsx';

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
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="key-list">
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
    </Dialog>
  );
}
