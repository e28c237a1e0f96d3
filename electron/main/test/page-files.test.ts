import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageFile } from '../page-files.ts';

const origin = 'https://pages.invalid';
const folder = join('/', 'app', 'renderer');
const fileFor = (address: string) => pageFile(folder, origin, address);

test('an address of the page names a file in its folder, whatever query and fragment follow', () => {
  assert.deepEqual(fileFor(`${origin}/inspector/index.html?state=parked#seq=4`), {
    path: join(folder, 'inspector', 'index.html'),
    contentType: 'text/html; charset=utf-8',
  });
});

test('scripts and styles are served under the types that nosniff asks for', () => {
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
  test(`refused, another origin: ${address}`, () => assert.equal(fileFor(address), null));

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
  test(`refused or kept inside the folder: ${path}`, () => {
    const file = fileFor(origin + path);
    // `new URL` folds plain and encoded dot segments away before any lookup; what is left stays inside.
    if (file)
      assert.ok(file.path.startsWith(folder + (process.platform === 'win32' ? '\\' : '/')), file.path);
  });
}

test('an encoded separator or NUL is refused outright', () => {
  for (const path of ['/..%2fmain/main.js', '/..%5cmain.js', '/index.html%00.js', '//etc/passwd.html'])
    assert.equal(fileFor(origin + path), null, path);
});
