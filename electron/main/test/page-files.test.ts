import assert from 'node:assert/strict';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { pageFile } from '../page-files.ts';

const origin = 'https://pages.invalid';
const folder = join('/', 'app', 'renderer');
const fileFor = (address: string) => pageFile(folder, origin, address);

test('a URL of the page maps to a file in its folder, whatever its query and fragment', () => {
  assert.deepEqual(fileFor(`${origin}/inspector/index.html?state=parked#seq=4`), {
    path: join(folder, 'inspector', 'index.html'),
    contentType: 'text/html; charset=utf-8',
  });
});

test('scripts and styles have the content types that nosniff requires', () => {
  assert.equal(fileFor(`${origin}/assets/index-B_x2.js`)?.contentType, 'text/javascript; charset=utf-8');
  assert.equal(fileFor(`${origin}/assets/index.css`)?.contentType, 'text/css; charset=utf-8');
});

for (const address of [
  'https://other.invalid/inspector/index.html',
  'https://pages.invalid.example/inspector/index.html',
  'https://pages.invalid:8443/inspector/index.html',
  'http://pages.invalid/inspector/index.html',
  'https://user:secret@pages.invalid/inspector/index.html',
  'file:///app/renderer/inspector/index.html',
  'not an address',
])
  test(`a URL of another origin has no file: ${address}`, () => assert.equal(fileFor(address), null));

for (const path of [
  '/../main/main.js',
  '/inspector/../../main/main.js',
  '/%2e%2e/main/main.js',
  '/..%2fmain/main.js',
  '/..%5cmain%5cmain.js',
  '/inspector\\..\\..\\main.js',
  '//etc/passwd.html',
  '/inspector/index.html%00.js',
  '/.inputs.json',
  '/C:/secrets.json',
  '/inspector/',
  '/',
  '/package.exe',
]) {
  test(`a path cannot leave the page's folder: ${path}`, () => {
    const file = fileFor(origin + path);
    // `new URL` resolves plain and encoded dot segments, so some of these paths become one inside the folder.
    assert.ok(file === null || file.path.startsWith(folder + sep), file?.path);
  });
}

test('an encoded separator or NUL has no file', () => {
  for (const path of ['/..%2fmain/main.js', '/..%5cmain.js', '/index.html%00.js', '//etc/passwd.html'])
    assert.equal(fileFor(origin + path), null, path);
});
