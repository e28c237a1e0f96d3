// Which room may import which is a lint rule (biome.json and scripts/lint). This proves that the rule fires: every
// fixture below is written to its path in a temporary tree, and one run of Biome judges them all.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Fixture = [path: string, code: string];

const forbidden: Record<string, Fixture[]> = {
  'core imports neither Electron nor the page': [
    ['core/a.ts', "import { app } from 'electron';"],
    ['core/b.ts', "import { app } from 'electron/main';"],
    ['core/c.ts', "import { useState } from 'react';"],
    ['core/d.ts', "import { x } from '../electron/main.ts';"],
    ['core/e.ts', "import type { X } from '../renderer/app.tsx';"],
    ['core/sqlite/f.ts', "import { x } from '../../electron/main.ts';"],
    ['core/sqlite/g.ts', "export * from '../../renderer/app.tsx';"],
    ['core/h.ts', "export const x = await import('electron');"],
    ['core/i.test.ts', "import { x } from '../electron/main.ts';"],
  ],
  'core imports no package but better-sqlite3': [
    ['core/a.ts', "import { z } from 'zod';"],
    ['core/b.ts', "import fc from 'fast-check';"],
    ['core/c.ts', "import fs from 'fs';"],
    ['core/testing/d.ts', "import { useState } from 'react';"],
    ['core/e.ts', "import { x } from '../bench/x.ts';"],
    ['core/f.ts', "import { x } from '../e2e/x.ts';"],
  ],
  'core takes only types from the schema standard': [
    ['core/a.ts', "import { x } from '@standard-schema/spec';"],
    ['core/b.ts', "export { x } from '@standard-schema/spec';"],
  ],
  'contracts hold types only': [
    ['core/contract/admin.ts', "import { x } from './errors.ts';"],
    ['core/contract/transport.ts', 'export const x = 1;'],
    ['core/contract/transport.ts', 'export class X {}'],
    ['core/contract/transport.ts', "import './errors.ts';"],
    ['core/contract/transport.ts', "export { x } from './errors.ts';"],
    ['core/contract/admin.ts', "export * from './errors.ts';"],
  ],
  'a verb imports no other verb': [
    ['core/sqlite/verbs/ack.ts', "import { claim } from './claim.ts';"],
    ['core/sqlite/verbs/nack.ts', "import type { Claim } from './claim.ts';"],
    ['core/sqlite/verbs/park.ts', "import { claim } from '../verbs/claim.ts';"],
    ['core/sqlite/verbs/x.ts', "import { x } from '../../../electron/x.ts';"],
  ],
  'the page takes the admin contract, as types': [
    ['renderer/a.ts', "import { x } from '../core/contract/admin.ts';"],
    ['renderer/b.ts', "import { type X } from '../core/contract/admin.ts';"],
    ['renderer/c.ts', "import type { X } from '../core/index.ts';"],
    ['renderer/views/d.tsx', "import type { X } from '../../core/contract/transport.ts';"],
    ['renderer/e.ts', "export { x } from '../core/contract/admin.ts';"],
    ['renderer/f.ts', "import '../core/contract/admin.ts';"],
    ['renderer/g.ts', "import type { X } from '../electron/preload.ts';"],
    ['renderer/h.ts', "import { ipcRenderer } from 'electron';"],
    ['renderer/i.ts', "import Database from 'better-sqlite3';"],
    ['renderer/j.ts', "export const x = await import('../core/index.ts');"],
  ],
  'the main process imports nothing of the page': [
    ['electron/a.ts', "import { x } from '../renderer/app.tsx';"],
    ['electron/app/b.ts', "import type { X } from '../../renderer/app.tsx';"],
    ['electron/c.ts', "import { x } from '../e2e/launch.ts';"],
  ],
  'e2e imports no product module': [
    ['e2e/a.spec.ts', "import { x } from '../core/index.ts';"],
    ['e2e/b.spec.ts', "import type { X } from '../electron/main.ts';"],
    ['e2e/c.spec.ts', "import { x } from '../renderer/app.tsx';"],
  ],
  'only the clock reads the time': [
    ['core/a.ts', 'export const x = Date.now();'],
    ['core/b.ts', 'export const x = new Date();'],
    ['core/c.ts', 'export const x = performance.now();'],
    ['core/d.ts', 'export const x = { now: Date.now };'],
    ['core/e.ts', 'export const x = new Date;'],
    ['core/f.ts', 'export const x = process.hrtime.bigint();'],
  ],
  'core writes nothing to the console': [['core/a.ts', "console.log('x');"]],
  'no import cycles': [
    ['core/cycle-a.ts', "import { b } from './cycle-b.ts';\nexport const a = b;"],
    ['core/cycle-b.ts', "import { a } from './cycle-a.ts';\nexport const b = a;"],
  ],
};

const allowed: Fixture[] = [
  ['core/a.ts', "import { join } from 'node:path';\nimport Database from 'better-sqlite3';"],
  ['core/b.ts', "import type { StandardSchemaV1 } from '@standard-schema/spec';"],
  ['core/sqlite/c.ts', "import { x } from './errors.ts';\nimport { y } from './open.ts';"],
  ['core/contract/clock.ts', 'export const now = () => Date.now();'],
  ['core/d.ts', 'export const x = new Date(0).toISOString();'],
  [
    'core/e.test.ts',
    "import fc from 'fast-check';\nimport { z } from 'zod';\nimport { test } from 'node:test';",
  ],
  ['core/testing/f.ts', "import { x } from '../transport.ts';\nimport { test } from 'node:test';"],
  [
    'core/contract/transport.ts',
    "import type { X } from './errors.ts';\nexport type Y = X;\nexport interface Z { x: X }",
  ],
  [
    'core/contract/admin.ts',
    "export type { X } from '../transport.ts';\nexport type * from '../transport.ts';",
  ],
  [
    'core/sqlite/verbs/ack.ts',
    "import { x } from '../file/schema.ts';\nimport type { Y } from '../../contract/transport.ts';",
  ],
  ['core/sqlite/verbs/ack.test.ts', "import { ack } from './ack.ts';\nimport { claim } from './claim.ts';"],
  ['renderer/a.ts', "import type { X } from '../core/contract/admin.ts';\nimport { useState } from 'react';"],
  ['renderer/b.tsx', "import { x } from './a.ts';\nexport type { X } from '../core/contract/admin.ts';"],
  ['electron/a.ts', "import { x } from '../core/index.ts';\nimport { app } from 'electron';"],
  ['e2e/a.spec.ts', "import { test } from './launch.ts';\nimport type { App } from 'electron';"],
];

// The rules under test; a fixture also breaks others (unused imports and the like), which do not count.
const direction =
  /^(?:plugin|lint\/style\/noRestrictedImports|lint\/suspicious\/(?:noImportCycles|noConsole))$/;

interface Report {
  diagnostics: { category: string; message: string; location: { path: string } }[];
}

// Several fixtures share a path, because a rule names it: each further one goes to a tree of its own.
const trees: Map<string, { code: string; findings: string[] }>[] = [];

function plant([path, code]: Fixture): () => string[] {
  let tree = trees.find((candidate) => !candidate.has(path));
  if (tree === undefined) {
    tree = new Map();
    trees.push(tree);
  }
  const entry = { code, findings: [] };
  tree.set(path, entry);
  return () => entry.findings;
}

function judge(tree: Map<string, { code: string; findings: string[] }>) {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-imports-'));
  try {
    cpSync(join(root, 'biome.json'), join(folder, 'biome.json'));
    cpSync(join(root, 'scripts/lint'), join(folder, 'scripts/lint'), { recursive: true });
    for (const [path, { code }] of tree) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${code}\n`);
    }
    const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
    const run = spawnSync(join(root, 'node_modules/.bin/biome'), args, { cwd: folder, encoding: 'utf8' });
    const report = JSON.parse(run.stdout) as Report;
    for (const { category, message, location } of report.diagnostics) {
      // A plugin with a mistake in it reports itself, in every file that it is asked about.
      assert.doesNotMatch(message, / errored: /);
      if (direction.test(category)) tree.get(location.path)?.findings.push(category);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [rule, fixtures] of Object.entries(forbidden)) {
  describe(rule, () => {
    for (const fixture of fixtures) {
      const findings = plant(fixture);
      test(`refused in ${fixture[0]}: ${fixture[1]}`, () => assert.notDeepEqual(findings(), []));
    }
  });
}
describe('what the rules allow', () => {
  for (const fixture of allowed) {
    const findings = plant(fixture);
    test(`${fixture[0]}: ${fixture[1]}`, () => assert.deepEqual(findings(), []));
  }
});
before(() => {
  for (const tree of trees) judge(tree);
});
