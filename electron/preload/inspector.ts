/** Puts `window.leasehold` on the inspector's page: these calls, as plain data, and nothing of Electron. */
import { contextBridge, ipcRenderer } from 'electron';
import type { Answer, InspectorBridge } from '../../core/contract/admin.ts';
import { CHANNELS } from './channels.ts';

async function ask<T>(channel: string, ...args: unknown[]): Promise<Answer<T>> {
  try {
    return await ipcRenderer.invoke(channel, ...args);
  } catch {
    // Nobody handles the channel: the window is closing, or no inspector was opened for it.
    const message = 'This window is not connected to a queue: close it and open the inspector again.';
    return { ok: false, error: { code: 'CLOSED', message } };
  }
}

const bridge: InspectorBridge = {
  overview: () => ask(CHANNELS.overview),
  groups: (query) => ask(CHANNELS.groups, query),
  messages: (query) => ask(CHANNELS.messages, query),
  message: (seq) => ask(CHANNELS.message, seq),
  operate: (operation) => ask(CHANNELS.operate, operation),
  info: () => ask(CHANNELS.info),
  onChange(listener) {
    const tell = () => listener();
    ipcRenderer.on(CHANNELS.changed, tell);
    return () => {
      ipcRenderer.off(CHANNELS.changed, tell);
    };
  },
};

contextBridge.exposeInMainWorld('leasehold', bridge);
