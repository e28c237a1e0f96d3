/**
 * The rooms of the project, with one line for each. The lint suite checks every source against this table. CONTRIBUTING.md
 * describes the rooms.
 *
 * A room is a folder without its subfolders. Its name ends in a slash. A line lists what the room may import: packages, and other
 * rooms with all rooms that those may import. `node:` stands for the modules of Node. `types X` allows only `import type`. Every
 * room may import itself, and no arrow leads back to a room.
 *
 * All `test` folders below a top-level folder form one room, such as `core/test/`.
 */
const CORE = ['node:', 'better-sqlite3', 'types @standard-schema/spec'];

export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'core/': ['core/admin/', 'core/worker/', 'core/sqlite/async/', ...CORE],
  'core/contract/': CORE,
  'core/validate/': ['core/contract/', ...CORE],
  'core/rpc/': ['core/validate/', ...CORE],
  'core/sqlite/file/': ['core/validate/', ...CORE],
  'core/sqlite/verbs/': ['core/sqlite/file/', ...CORE],
  'core/sqlite/checkpoints/': ['core/sqlite/file/', 'core/rpc/', ...CORE],
  'core/sqlite/backup/': ['core/sqlite/file/', 'core/rpc/', ...CORE],
  'core/sqlite/': ['core/sqlite/verbs/', 'core/sqlite/checkpoints/', 'core/sqlite/backup/', ...CORE],
  'core/sqlite/async/': ['core/sqlite/', 'core/rpc/', ...CORE],
  'core/worker/contract/': ['core/validate/', ...CORE],
  'core/worker/reporting/': ['core/worker/contract/', ...CORE],
  'core/worker/recovery/': ['core/worker/reporting/', ...CORE],
  'core/worker/executions/': ['core/worker/reporting/', ...CORE],
  'core/worker/claiming/': ['core/worker/executions/', ...CORE],
  'core/worker/': ['core/worker/claiming/', 'core/worker/recovery/', ...CORE],
  'core/admin/queries/': ['core/sqlite/', ...CORE],
  'core/admin/operations/': ['core/sqlite/', ...CORE],
  'core/admin/': ['core/admin/queries/', 'core/admin/operations/', 'core/rpc/', ...CORE],
  'core/testing/': ['core/sqlite/', ...CORE],
  'core/testing/contract/': ['core/testing/', ...CORE],
  'core/test/': ['core/', 'core/testing/contract/', 'fast-check', 'vite', 'zod', ...CORE],

  'electron/preload/': ['types core/contract/', 'electron'],
  'electron/main/': ['electron/preload/', 'core/', 'electron', 'node:'],
  'electron/': ['electron/main/'],
  'electron/test/': ['electron/', 'core/test/', 'types electron', 'node:'],

  'renderer/inspector/styles/': [],
  'renderer/inspector/keyboard/': ['react', 'react-hotkeys-hook'],
  'renderer/inspector/data/': ['types core/contract/', '@tanstack/react-query', 'react'],
  'renderer/inspector/ui/': ['renderer/inspector/data/', 'lucide-react', 'react', 'react-aria-components'],
  'renderer/inspector/json/': ['renderer/inspector/ui/', 'diff', 'react'],
  'renderer/inspector/grid/': [
    'renderer/inspector/ui/',
    'renderer/inspector/keyboard/',
    '@tanstack/react-table',
    '@tanstack/react-virtual',
    'react',
    'react-dom',
  ],
  'renderer/inspector/detail/': [
    'renderer/inspector/json/',
    'renderer/inspector/keyboard/',
    '@tanstack/react-query',
    'react',
    'react-aria-components',
  ],
  'renderer/inspector/pages/': ['renderer/inspector/detail/', 'renderer/inspector/grid/', 'react'],
  'renderer/inspector/': [
    'renderer/inspector/pages/',
    'renderer/inspector/styles/',
    '@tanstack/react-query',
    'react',
    'react-dom/client',
  ],
  'renderer/test/': ['renderer/inspector/', '@tanstack/react-query', 'node:'],

  'examples/': ['leasehold', 'node:'],
  'examples/folder-index/shared/': ['node:'],
  'examples/folder-index/page/': ['types examples/folder-index/shared/', 'react', 'react-dom/client'],
  'examples/folder-index/preload/': ['examples/folder-index/shared/', 'electron'],
  'examples/folder-index/thread/': ['examples/folder-index/shared/', 'leasehold', 'better-sqlite3', 'node:'],
  'examples/folder-index/main/': [
    'examples/folder-index/shared/',
    'types examples/folder-index/thread/',
    'leasehold',
    'leasehold/electron',
    'electron',
    'node:',
  ],
  'examples/folder-index/': ['@vitejs/plugin-react', 'vite', 'node:'],
  'examples/test/': [
    'leasehold',
    'examples/',
    'examples/folder-index/main/',
    'examples/folder-index/page/',
    'examples/folder-index/thread/',
    'better-sqlite3',
    'node:',
  ],

  'scripts/prepare/support/': ['node:'],
  'scripts/prepare/fallback/': ['scripts/prepare/support/', '@electron/fuses', 'electron', 'node:'],
  'scripts/prepare/': ['scripts/prepare/fallback/', 'node:'],
  'scripts/launch/': ['scripts/prepare/support/', 'node:'],
  'scripts/lint/': ['vite', 'node:'],
  'scripts/suites/': ['scripts/launch/', 'node:'],
  'scripts/': ['scripts/prepare/', 'scripts/suites/', 'node:'],
  'scripts/test/': ['scripts/', 'scripts/lint/', 'node:'],

  'e2e/support/': ['scripts/launch/', '@playwright/test', 'axe-core', 'node:'],
  'e2e/': ['e2e/support/', '@playwright/test', 'node:'],
  'bench/': ['core/', 'scripts/launch/', 'better-sqlite3', 'electron', 'plainjob', 'vite', 'node:'],
  'bench/torture/': ['bench/', 'core/', 'core/test/', 'better-sqlite3', 'node:'],
  'bench/test/': ['bench/torture/', 'node:'],
  './': ['@vitejs/plugin-react', 'vite', 'node:'],
};

/** Rooms whose files do not import one another, and the files that they share. */
export const SHARED_FILES: Readonly<Record<string, readonly string[]>> = {
  'core/sqlite/verbs/': [
    'claim-order.ts',
    'drop-empty-group.ts',
    'fence.ts',
    'issued-locks.ts',
    'key-walk.ts',
    'locked-messages.ts',
    'marks.ts',
    'next-group.ts',
    'turns.ts',
    'verb-context.ts',
  ],
};
