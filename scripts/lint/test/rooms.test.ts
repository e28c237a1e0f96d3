import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { accessOf, checkRooms } from '../check-rooms.ts';
import { ROOMS, SHARED_FILES } from '../rooms.ts';

type Fixture = readonly [path: string, code: string];

const oneLine = (code: string) => code.replace(/\s+/g, ' ');

const forbidden: Record<string, readonly Fixture[]> = {
  'core imports neither Electron nor the page': [
    ['core/a.ts', "import { app } from 'electron';"],
    ['core/b.ts', "import { app } from 'electron/main';"],
    ['core/c.ts', "import { useState } from 'react';"],
    ['core/d.ts', "import { x } from '../electron/main/x.ts';"],
    ['core/e.ts', "import type { X } from '../renderer/inspector/app.tsx';"],
    ['core/sqlite/f.ts', "import { x } from '../../electron/main/x.ts';"],
    ['core/sqlite/g.ts', "export * from '../../renderer/inspector/app.tsx';"],
    ['core/h.ts', "export const x = await import('electron');"],
    ['core/sqlite/test/i.test.ts', "import { x } from '../../../electron/main/x.ts';"],
  ],
  'core imports no package except better-sqlite3': [
    ['core/a.ts', "import { z } from 'zod';"],
    ['core/b.ts', "import fc from 'fast-check';"],
    ['core/c.ts', "import fs from 'fs';"],
    ['core/testing/d.ts', "import { useState } from 'react';"],
    ['core/testing/contract/e.ts', "import fc from 'fast-check';"],
    ['core/f.ts', "import { x } from '../bench/x.ts';"],
    ['core/g.ts', "import { x } from '../e2e/x.ts';"],
    ['core/h.ts', "import { x } from '../scripts/x.ts';"],
  ],
  'core imports only types from the schema standard': [
    ['core/a.ts', "import { x } from '@standard-schema/spec';"],
    ['core/b.ts', "export { x } from '@standard-schema/spec';"],
  ],
  'a verb imports no other verb': [
    ['core/sqlite/verbs/ack.ts', "import { claim } from './claim.ts';"],
    ['core/sqlite/verbs/nack.ts', "import type { Claim } from './claim.ts';"],
    ['core/sqlite/verbs/park.ts', "import { claim } from '../verbs/claim.ts';"],
    ['core/sqlite/verbs/x.ts', "import { x } from '../../../electron/main/x.ts';"],
  ],
  'no arrow inside core leads back': [
    ['core/contract/a.ts', "import type { X } from '../validate/x.ts';"],
    ['core/validate/a.ts', "import { x } from '../sqlite/file/x.ts';"],
    ['core/sqlite/file/a.ts', "import { x } from '../sqlite-transport.ts';"],
    ['core/sqlite/verbs/a.ts', "import type { X } from '../transport-options.ts';"],
    ['core/sqlite/a.ts', "import { x } from './async/x.ts';"],
    ['core/rpc/a.ts', "import { x } from '../sqlite/x.ts';"],
    ['core/worker/contract/a.ts', "import type { X } from '../loop.ts';"],
    ['core/worker/reporting/a.ts', "import type { X } from '../executions/x.ts';"],
    ['core/worker/loop.ts', "import { x } from '../sqlite/x.ts';"],
    ['core/admin/queries/a.ts', "import { x } from '../operations/x.ts';"],
    ['core/admin/a.ts', "import { x } from '../worker/x.ts';"],
    ['core/sqlite/b.ts', "import { x } from '../testing/fake-clock.ts';"],
    ['core/sqlite/c.ts', "import { x } from './test/support/x.ts';"],
  ],
  'the page imports only types of core/contract': [
    ['renderer/inspector/a.ts', "import { x } from '../../core/contract/admin.ts';"],
    ['renderer/inspector/b.ts', "import { type X } from '../../core/contract/admin.ts';"],
    ['renderer/inspector/c.ts', "import type { X } from '../../core/index.ts';"],
    ['renderer/inspector/pages/d.tsx', "import type { X } from '../../../core/sqlite/file/schema.ts';"],
    ['renderer/inspector/e.ts', "export { x } from '../../core/contract/admin.ts';"],
    ['renderer/inspector/f.ts', "import '../../core/contract/admin.ts';"],
    ['renderer/inspector/g.ts', "import type { X } from '../../electron/preload/x.ts';"],
    ['renderer/inspector/h.ts', "import { ipcRenderer } from 'electron';"],
    ['renderer/inspector/i.ts', "import Database from 'better-sqlite3';"],
    ['renderer/inspector/j.ts', "export const x = await import('../../core/index.ts');"],
    ['renderer/inspector/k.ts', "import { join } from 'node:path';"],
    ['renderer/inspector/styles/l.css', "@import url('../../../examples/folder-index/page/base.css');"],
  ],
  'the main process imports nothing of the page': [
    ['electron/main/a.ts', "import { x } from '../../renderer/inspector/app.tsx';"],
    ['electron/main/b.ts', "import type { X } from '../../renderer/inspector/app.tsx';"],
    ['electron/main/c.ts', "import { x } from '../../e2e/support/x.ts';"],
    ['electron/preload/d.ts', "import { x } from '../main/x.ts';"],
    ['electron/preload/e.ts', "import { x } from '../../core/contract/errors.ts';"],
  ],
  'examples import only the public names of the package': [
    ['examples/a.ts', "import { x } from '../core/index.ts';"],
    ['examples/b.ts', "import { x } from 'leasehold/core';"],
    ['examples/folder-index/main/c.ts', "import type { X } from '../../../electron/index.ts';"],
    ['examples/folder-index/main/d.ts', "import { x } from '../page/x.ts';"],
    ['examples/folder-index/thread/e.ts', "import { x } from 'leasehold/electron';"],
    ['examples/folder-index/thread/f.ts', "import type { X } from '../main/x.ts';"],
    ['examples/folder-index/page/g.tsx', "import '../../../renderer/inspector/styles/base.css';"],
    ['examples/folder-index/page/h.css', '@import "../../../renderer/inspector/styles/base.css";'],
    ['examples/folder-index/page/i.html', '<script type="module" src="../main/main.ts"></script>'],
    ['examples/folder-index/page/j.ts', "import { x } from 'leasehold';"],
  ],
  'e2e imports no product module': [
    ['e2e/a.spec.ts', "import { x } from '../core/index.ts';"],
    ['e2e/b.spec.ts', "import type { X } from '../electron/main/x.ts';"],
    ['e2e/c.spec.ts', "import { x } from '../renderer/inspector/app.tsx';"],
    ['e2e/support/d.ts', "import type { X } from '../../examples/folder-index/shared/bridge.ts';"],
    ['e2e/support/e.ts', "import { x } from '../a.spec.ts';"],
  ],
  'a folder without a line in the table is refused': [
    ['core/new/a.ts', 'export {};'],
    ['core/a.ts', "import { x } from './new/a.ts';"],
  ],
};

const allowed: readonly Fixture[] = [
  ['core/a.ts', "import { join } from 'node:path';\nimport Database from 'better-sqlite3';"],
  ['core/contract/b.ts', "import type { StandardSchemaV1 } from '@standard-schema/spec';"],
  [
    'core/sqlite/c.ts',
    "import { x } from '../contract/errors.ts';\nimport { y } from './file/open-file.ts';",
  ],
  ['core/sqlite/test/e.test.ts', "import fc from 'fast-check';\nimport { z } from 'zod';"],
  ['core/testing/f.ts', "import { x } from '../sqlite/x.ts';\nimport { test } from 'node:test';"],
  [
    'core/sqlite/verbs/ack.ts',
    "import { x } from '../file/schema.ts';\nimport { y } from './verb-context.ts';",
  ],
  [
    'core/sqlite/test/g.test.ts',
    "import { x } from '../verbs/ack.ts';\nimport { y } from '../verbs/claim.ts';",
  ],
  [
    'renderer/inspector/a.ts',
    "import type { X } from '../../core/contract/admin.ts';\nimport { useState } from 'react';",
  ],
  ['renderer/inspector/pages/b.tsx', "export type { X } from '../../../core/contract/admin.ts';"],
  ['electron/main/a.ts', "import { x } from '../../core/index.ts';\nimport { app } from 'electron';"],
  [
    'examples/folder-index/main/a.ts',
    "import { x } from 'leasehold';\nimport { y } from 'leasehold/electron';",
  ],
  ['e2e/a.spec.ts', "import { test } from './support/x.ts';"],
];

for (const [rule, fixtures] of Object.entries(forbidden)) {
  describe(rule, () => {
    for (const [path, code] of fixtures) {
      test(`${path} is refused: ${oneLine(code)}`, () =>
        assert.equal(checkRooms(new Map([[path, code]])).length, 1));
    }
  });
}

describe('the rooms allow', () => {
  for (const [path, code] of allowed) {
    test(`${path}: ${oneLine(code)}`, () => assert.deepEqual(checkRooms(new Map([[path, code]])), []));
  }
});

describe('an import is found', () => {
  const forms: readonly Fixture[] = [
    ['core/a.ts', "import 'electron';"],
    ['core/a.ts', "import x from 'electron';"],
    ['core/a.ts', "import {\n  x,\n  y,\n} from 'electron';"],
    ['core/a.ts', "import type { X } from 'electron';"],
    ['core/a.ts', "export { x } from 'electron';"],
    ['core/a.ts', "export * from 'electron';"],
    ['core/a.ts', "export const load = () => import('electron');"],
    ['core/a.ts', "export const x = require('electron');"],
    ['core/a.ts', "export type X = import('electron').App;"],
    ['core/a.ts', "export let x: typeof import('electron');"],
    ['renderer/inspector/a.tsx', "export const x = <p />;\nimport 'electron';"],
    ['scripts/a.mjs', "import 'electron';"],
    ['renderer/inspector/styles/a.css', "@import 'electron';"],
    ['renderer/inspector/a.html', '<link rel="stylesheet" href="../../electron/x.css" />'],
  ];
  for (const [path, code] of forms) {
    test(`in ${path}: ${oneLine(code)}`, () => assert.equal(checkRooms(new Map([[path, code]])).length, 1));
  }

  test('but not in a comment or in a string', () => {
    const code = "// import 'electron';\nexport const x = \"import 'electron';\";";
    assert.deepEqual(checkRooms(new Map([['core/a.ts', code]])), []);
  });

  test('and is reported with its file, line and reason', () => {
    const problems = checkRooms(new Map([['core/a.ts', "\nimport 'electron';"]]));
    assert.deepEqual(problems, ['core/a.ts:2: imports electron. core/ may not import electron.']);
  });
});

describe('the table', () => {
  const rooms = Object.keys(ROOMS);
  const targets = (room: string) => (ROOMS[room] ?? []).map((entry) => entry.replace(/^types /, ''));

  test('has no circle, not even one of types or between a folder and its subfolder', () => {
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      targets(from).some((next) => {
        if (next === to) return true;
        if (!(next in ROOMS) || seen.has(next)) return false;
        seen.add(next);
        return reaches(next, to, seen);
      });
    assert.deepEqual(
      rooms.filter((room) => reaches(room, room)),
      [],
    );
  });

  test('names only rooms that have a line', () => {
    const unknown = rooms.flatMap(targets).filter((name) => name.endsWith('/') && !(name in ROOMS));
    assert.deepEqual(unknown, []);
  });

  test('has no line for a folder without sources', () => {
    const isEmpty = (room: string) => {
      const pattern = room.endsWith('/test/') ? room.replace(/test\/$/, '**/test/**/*.ts') : `${room}*.*`;
      return globSync(pattern).length === 0;
    };
    assert.deepEqual(rooms.filter(isEmpty), []);
  });

  test('names the shared files of a room by files that exist', () => {
    const paths = Object.entries(SHARED_FILES).flatMap(([room, names]) => names.map((name) => room + name));
    assert.deepEqual(
      paths.filter((path) => globSync(path).length === 0),
      [],
    );
  });

  test('does not pass packages on to the rooms that import a room', () => {
    assert.equal(accessOf('core/test/').get('fast-check'), 'value');
    assert.equal(accessOf('electron/main/').has('better-sqlite3'), false);
  });

  test('has the same rooms as the map in CONTRIBUTING.md', () => {
    const text = readFileSync('CONTRIBUTING.md', 'utf8');
    const described = [...text.matchAll(/^- `([^`]+\/)` \S/gm)].map((match) => match[1] ?? '');
    // The root holds configuration only.
    assert.deepEqual(described.toSorted(), rooms.filter((room) => room !== './').toSorted());
  });
});
