/**
 * A page's own place: a session in memory in which one reserved host answers from a folder and nothing else exists.
 *
 * The page gets a real, secure origin with a content security policy, and there is no file://, no open port and no
 * network. `.invalid` never resolves (RFC 2606), so the host cannot be anybody's. `registerSchemesAsPrivileged` would
 * give the same for a scheme of our own, but only an app's last call to it counts: a library must not make one.
 */
import { readFile } from 'node:fs/promises';
import { type Session, session } from 'electron';
import { pageFile } from './page-files.ts';

export interface Site {
  /** Names the session. */
  readonly name: string;
  /** Host of the page's origin, in `.invalid`. */
  readonly host: string;
  /** The folder that is served. */
  readonly folder: string;
}

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

export const originOf = (site: Site) => `https://${site.host}`;

export function siteSession(site: Site): Session {
  const own = session.fromPartition(site.name, { cache: false });
  if (own.protocol.isProtocolHandled('https')) return own;
  const origin = originOf(site);
  own.protocol.handle('https', (request) => respond(site, request));
  // DevTools' own front end is part of Electron and loads through the inspected window's session.
  own.webRequest.onBeforeRequest(({ url }, decide) =>
    decide({ cancel: !url.startsWith(`${origin}/`) && !url.startsWith('devtools://') }),
  );
  own.setPermissionCheckHandler(() => false);
  own.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  own.setDevicePermissionHandler(() => false);
  own.on('will-download', (event) => event.preventDefault());
  return own;
}

async function respond(site: Site, request: Request): Promise<Response> {
  const refuse = (status: number) => new Response(null, { status, headers: HEADERS });
  // As if there were no network: https is answered here alone, whatever host is asked.
  if (new URL(request.url).host !== site.host) return Response.error();
  if (request.method !== 'GET') return refuse(405);
  const file = pageFile(site.folder, originOf(site), request.url);
  if (!file) return refuse(404);
  try {
    const headers = { ...HEADERS, 'Content-Type': file.contentType };
    return new Response(await readFile(file.path), { headers });
  } catch {
    return refuse(404);
  }
}
