/** The public API for Electron's main process: `leasehold/electron`. */

export * from './main/bind-worker-to-app.ts';
export { openAdmin } from './main/open-admin.ts';
export { type InspectorOptions, openInspector } from './main/open-inspector.ts';
export type { Redact } from './main/redact-event.ts';
