/** The channels between the inspector's page and the main process; the preload is bundled with this file. */
export const CHANNELS = {
  overview: 'leasehold:overview',
  groups: 'leasehold:groups',
  messages: 'leasehold:messages',
  message: 'leasehold:message',
  operate: 'leasehold:operate',
  info: 'leasehold:info',
  /** Main to page, without content: something changed, ask again. */
  changed: 'leasehold:changed',
} as const;
