import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PAGES = ['CONTRIBUTING.md', 'README.md', 'docs/design.md', 'docs/worker.md'];
const NAMES = new Set(
  globSync('{core,electron,renderer,examples,scripts,e2e,bench}/**/*.{ts,tsx,mjs}', { cwd: root }).map(
    (path) => basename(path),
  ),
);

/** What a page names in backticks or links to and that looks like a source file or page: by path, or by its name alone. */
function filesNamedIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const named = [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs|md))`/g)].map(([, name]) => name as string);
  const linked = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map(([, path]) => join(page, '..', path as string));
  return [...named, ...linked];
}

test('every file that a page of documentation names exists', () => {
  const named = PAGES.flatMap((page) => filesNamedIn(page).map((name) => ({ page, name })));
  const missing = named.filter(({ name }) => !existsSync(join(root, name)) && !NAMES.has(name));
  assert.ok(named.length > 40, 'the pages name files');
  assert.deepEqual(missing, []);
});
