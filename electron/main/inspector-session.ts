/**
 * The session of the inspector's page: in memory, with one reserved host that serves the built pages. Nothing else can be
 * loaded in it.
 *
 * The page gets a real, secure origin with a content security policy, without file://, an open port or a network. `.invalid`
 * never resolves (RFC 2606), so nobody can own the host. A scheme of our own would do the same, but only an app's last
 * call of `registerSchemesAsPrivileged` has an effect, so a library must not call it.
 */
import { readFile } from 'node:fs/promises';
import { type Session, session } from 'electron';
import { pageFile } from './page-files.ts';

const PARTITION = 'leasehold-inspector';
const HOST = 'leasehold-inspector.invalid';

export const PAGE_ORIGIN = `https://${HOST}`;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** The session, which is set up once and then shared by all inspectors. `folder` is what its host serves. */
export function inspectorSession(folder: string): Session {
  const pages = session.fromPartition(PARTITION, { cache: false });
  if (pages.protocol.isProtocolHandled('https')) return pages;
  pages.protocol.handle('https', (request) => respond(folder, request));
  // DevTools' own front end is part of Electron and loads through the inspected window's session.
  pages.webRequest.onBeforeRequest(({ url }, decide) =>
    decide({ cancel: !url.startsWith(`${PAGE_ORIGIN}/`) && !url.startsWith('devtools://') }),
  );
  pages.setPermissionCheckHandler(() => false);
  pages.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  pages.setDevicePermissionHandler(() => false);
  pages.on('will-download', (event) => event.preventDefault());
  return pages;
}

async function respond(folder: string, request: Request): Promise<Response> {
  const refuse = (status: number) => new Response(null, { status, headers: HEADERS });
  // Fails as if there were no network: this handler receives the requests for every https host.
  if (new URL(request.url).host !== HOST) return Response.error();
  if (request.method !== 'GET') return refuse(405);
  const file = pageFile(folder, PAGE_ORIGIN, request.url);
  if (!file) return refuse(404);
  try {
    const headers = { ...HEADERS, 'Content-Type': file.contentType };
    return new Response(await readFile(file.path), { headers });
  } catch {
    return refuse(404);
  }
}
