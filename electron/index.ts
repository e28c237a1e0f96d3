/** Leasehold's face for Electron's main process: `leasehold/electron`. */
export { type InspectorOptions, openInspector } from './inspector/open.ts';
export type { Redact } from './inspector/redaction.ts';
export * from './worker-lifecycle.ts';
