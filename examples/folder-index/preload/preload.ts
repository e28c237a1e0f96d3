/** Puts `window.folderIndex` on the Folder Index page. */
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import type { Answer } from '../../../core/contract/admin.ts';
import { CHANNELS } from '../main/channels.ts';
import type { FolderIndexBridge, FolderIndexStatus } from '../main/contract.ts';

async function ask<T>(channel: string): Promise<T> {
  const answer: Answer<T> = await ipcRenderer.invoke(channel);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

const bridge: FolderIndexBridge = {
  status: () => ask(CHANNELS.status),
  pause: () => ask(CHANNELS.pause),
  resume: () => ask(CHANNELS.resume),
  openInspector: () => ask(CHANNELS.openInspector),
  onStatus(listener) {
    const tell = (_event: IpcRendererEvent, status: FolderIndexStatus) => listener(status);
    ipcRenderer.on(CHANNELS.changed, tell);
    return () => {
      ipcRenderer.off(CHANNELS.changed, tell);
    };
  },
};

contextBridge.exposeInMainWorld('folderIndex', bridge);
