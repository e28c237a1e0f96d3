// Proves that the project's rules in biome.json and scripts/lint/*.grit report violations: every fixture is written to its path in
// a temporary tree, and one run of Biome checks them all.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

type Fixture = [path: string, code: string];

const forbidden: Record<string, Fixture[]> = {
  'a contract file contains types only': [
    ['core/contract/admin.ts', "import { x } from './errors.ts';"],
    ['core/contract/transport.ts', 'export const x = 1;'],
    ['core/contract/transport.ts', 'export class X {}'],
    ['core/contract/transport.ts', "import './errors.ts';"],
    ['core/contract/transport.ts', "export { x } from './errors.ts';"],
    ['core/contract/admin.ts', "export * from './errors.ts';"],
    ['examples/folder-index/shared/bridge.ts', 'export const x = 1;'],
  ],
  'only the clock reads the time': [
    ['core/a.ts', 'export const x = Date.now();'],
    ['core/b.ts', 'export const x = new Date();'],
    ['core/c.ts', 'export const x = performance.now();'],
    ['core/d.ts', 'export const x = { now: Date.now };'],
    ['core/e.ts', 'export const x = new Date;'],
    ['core/f.ts', 'export const x = process.hrtime.bigint();'],
  ],
  'core does not write to the console': [['core/a.ts', "console.log('x');"]],
  'files do not import one another in a circle': [
    ['core/cycle-a.ts', "import { b } from './cycle-b.ts';\nexport const a = b;"],
    ['core/cycle-b.ts', "import { a } from './cycle-a.ts';\nexport const b = a;"],
    ['core/types-a.ts', "import type { B } from './types-b.ts';\nexport type A = B | 1;"],
    ['core/types-b.ts', "import type { A } from './types-a.ts';\nexport type B = A | 2;"],
  ],
};

const allowed: Fixture[] = [
  ['core/contract/clock.ts', 'export const now = () => Date.now();'],
  ['core/d.ts', 'export const x = new Date(0).toISOString();'],
  [
    'core/contract/transport.ts',
    "import type { X } from './errors.ts';\nexport type Y = X;\nexport interface Z { x: X }",
  ],
  [
    'core/contract/admin.ts',
    "export type { X } from './transport.ts';\nexport type * from './transport.ts';",
  ],
  ['core/sqlite/test/e.test.ts', 'export const x = Date.now();'],
];

// Fixtures also violate other rules, such as that for unused imports. Those do not count.
const tested = /^(?:plugin|lint\/suspicious\/(?:noImportCycles|noConsole))$/;

interface Report {
  diagnostics: { category: string; message: string; location: { path: string } }[];
}

// Fixtures with the same path go into different trees.
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

function check(tree: Map<string, { code: string; findings: string[] }>) {
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
      // A plugin with an error reports itself in every file.
      assert.doesNotMatch(message, / errored: /);
      if (tested.test(category)) tree.get(location.path)?.findings.push(category);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [rule, fixtures] of Object.entries(forbidden)) {
  describe(rule, () => {
    for (const fixture of fixtures) {
      const findings = plant(fixture);
      test(`${fixture[0]} is refused: ${fixture[1]}`, () => assert.notDeepEqual(findings(), []));
    }
  });
}
describe('the rules allow', () => {
  for (const fixture of allowed) {
    const findings = plant(fixture);
    test(`${fixture[0]}: ${fixture[1]}`, () => assert.deepEqual(findings(), []));
  }
});
before(() => {
  for (const tree of trees) check(tree);
});
