import { OPERATION_KINDS, OPERATIONS } from '../detail/operation-table.ts';
import { keyCap, SHORTCUT_LINES } from '../keyboard/shortcuts.ts';
import { Dialog } from '../ui/dialog.tsx';

const OPERATIONS_WITH_KEY = OPERATION_KINDS.map((kind) => OPERATIONS[kind]).filter(({ key }) => key !== null);
const OPERATIONS_LINE = {
  help: `${OPERATIONS_WITH_KEY.map(({ label }) => label).join(', ')} the open message`,
  keys: OPERATIONS_WITH_KEY.map(({ key }) => key ?? ''),
};

const LINES = [
  ...SHORTCUT_LINES.map(({ help, keys }) => ({ help, keys: Object.values(keys) as readonly string[] })),
  OPERATIONS_LINE,
];

/** All shortcuts, from the tables that their handlers use. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="key-list">
        {LINES.map(({ help, keys }) => (
          <div key={help}>
            <dt>{help}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{keyCap(key)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
