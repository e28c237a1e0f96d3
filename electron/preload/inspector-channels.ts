/** The IPC channels between the inspector's page and the main process. */
import type { InspectorCalls } from '../../core/contract/admin.ts';

/** The channel of one of the page's calls. */
export const channelOf = <Name extends keyof InspectorCalls>(name: Name): `leasehold:${Name}` =>
  `leasehold:${name}`;

/** Main process to page, without content: the queue changed. */
export const CHANGED_CHANNEL = 'leasehold:changed';
