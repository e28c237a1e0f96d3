// Stands in for Electron's own default_app.asar, in an Electron that was packed without one: `electron PATH` opens
// the app at PATH. An ES module, because Electron holds the app's ready event back until such a module is loaded.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const path = process.argv.slice(1).find((argument) => !argument.startsWith('-'));
if (path === undefined) {
  console.error('Usage: electron [options] PATH [arguments]');
  app.exit(1);
} else {
  const folder = resolve(path);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const name = manifest.productName ?? manifest.name;
  Object.defineProperty(process, 'defaultApp', { value: true });
  app.setName(name);
  app.setPath('userData', join(app.getPath('appData'), name));
  // Electron has these two for its default app alone, so its types leave them out.
  const internal = /** @type {{ setVersion(version: string): void, setAppPath(path: string): void }} */ (
    /** @type {unknown} */ (app)
  );
  internal.setVersion(manifest.version ?? '0.0.0');
  internal.setAppPath(folder);
  await import(pathToFileURL(join(folder, manifest.main ?? 'index.js')).href);
}
