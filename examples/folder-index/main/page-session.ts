/**
 * Serves the page as app://folder-index/, in a session without a network.
 *
 * A scheme of the app's own gives the page a secure origin and a content security policy. A file: URL would let the page read
 * any file of the user.
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { protocol, type Session, session } from 'electron';
import { PAGE_FOLDER } from './built-files.ts';

export const PAGE_ORIGIN = 'app://folder-index';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Call it once, before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
}

/** Creates the session, which is kept in memory only. Call it once. */
export function createPageSession(): Session {
  const created = session.fromPartition('folder-index', { cache: false });
  // Only the files that the build made are served, so a path cannot lead out of the folder.
  const names = readdirSync(PAGE_FOLDER, { recursive: true, encoding: 'utf8' });
  const files = new Set(names.map((name) => `${PAGE_ORIGIN}/${name.replaceAll(sep, '/')}`));
  created.protocol.handle('app', async ({ url, method }) => {
    const contentType = CONTENT_TYPES[extname(url)];
    if (method !== 'GET' || !contentType || !files.has(url)) return new Response(null, { status: 404 });
    return new Response(await readFile(join(PAGE_FOLDER, url.slice(PAGE_ORIGIN.length))), {
      headers: {
        'Content-Type': contentType,
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        'X-Content-Type-Options': 'nosniff',
      },
    });
  });
  // The page needs no network. The developer tools load from their own scheme.
  created.webRequest.onBeforeRequest(({ url }, decide) =>
    decide({ cancel: !url.startsWith(`${PAGE_ORIGIN}/`) && !url.startsWith('devtools:') }),
  );
  created.setPermissionCheckHandler(() => false);
  created.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  created.on('will-download', (event) => event.preventDefault());
  return created;
}
