// Replaces Electron's default_app.asar in an Electron that was packed without it: `electron PATH` opens the app at PATH, which is
// a folder with a package.json or a .js file. This is an ES module because Electron delays the app's ready event until such a
// module is loaded.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

/** @param {string} path */
async function open(path) {
  const isFolder = statSync(path).isDirectory();
  const folder = isFolder ? path : dirname(path);
  const manifest = isFolder ? JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) : {};
  const name = manifest.productName ?? manifest.name;
  Object.defineProperty(process, 'defaultApp', { value: true });
  if (name !== undefined) {
    app.setName(name);
    app.setPath('userData', join(app.getPath('appData'), name));
  }
  // Electron's types omit these two methods, which are meant for its default app.
  const internal = /** @type {{ setVersion(version: string): void, setAppPath(path: string): void }} */ (
    /** @type {unknown} */ (app)
  );
  if (manifest.version !== undefined) internal.setVersion(manifest.version);
  internal.setAppPath(folder);
  await import(pathToFileURL(isFolder ? join(folder, manifest.main ?? 'index.js') : path).href);
}

const path = process.argv.slice(1).find((argument) => !argument.startsWith('-'));
if (path === undefined) {
  console.error('Usage: electron [options] PATH [arguments]');
  app.exit(1);
} else {
  await open(resolve(path));
}
