/** Exposes `window.folderIndex` to the page: a few calls with plain data, and nothing of Electron. */
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import type { FolderIndexBridge, FolderIndexStatus } from '../shared/bridge.ts';
import { CHANNELS } from '../shared/channels.ts';

const bridge: FolderIndexBridge = {
  status: () => ipcRenderer.invoke(CHANNELS.status),
  pause: () => ipcRenderer.invoke(CHANNELS.pause),
  resume: () => ipcRenderer.invoke(CHANNELS.resume),
  openInspector: () => ipcRenderer.invoke(CHANNELS.openInspector),
  onStatus(listener) {
    const onChange = (_event: IpcRendererEvent, status: FolderIndexStatus) => listener(status);
    ipcRenderer.on(CHANNELS.statusChanged, onChange);
    return () => {
      ipcRenderer.off(CHANNELS.statusChanged, onChange);
    };
  },
};

contextBridge.exposeInMainWorld('folderIndex', bridge);
