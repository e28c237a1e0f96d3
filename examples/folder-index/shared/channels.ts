/** The IPC channels between the page and the main process. */
export const CHANNELS = {
  status: 'folder-index:status',
  pause: 'folder-index:pause',
  resume: 'folder-index:resume',
  openInspector: 'folder-index:open-inspector',
  /** Main process to page: a FolderIndexStatus. */
  statusChanged: 'folder-index:status-changed',
} as const;
