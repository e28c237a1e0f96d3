/** The channels between the Folder Index page and the main process; the preload is bundled with this file. */
export const CHANNELS = {
  status: 'folder-index:status',
  pause: 'folder-index:pause',
  resume: 'folder-index:resume',
  openInspector: 'folder-index:open-inspector',
  /** Main to page: a FolderIndexStatus. */
  changed: 'folder-index:changed',
} as const;
