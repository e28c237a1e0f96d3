/** Exposes the bridge as `window.leasehold` on the inspector's page: its calls as plain data, and nothing of Electron. */
import { contextBridge, ipcRenderer } from 'electron';
import type { Answer, InspectorBridge, InspectorCalls } from '../../core/contract/admin.ts';
import { CHANGED_CHANNEL, channelOf } from './inspector-channels.ts';

/** The caller's type is InspectorBridge's: TypeScript cannot relate a call's name to its answer through `invoke`. */
async function call<T>(name: keyof InspectorCalls, ...args: unknown[]): Promise<Answer<T>> {
  try {
    return await ipcRenderer.invoke(channelOf(name), ...args);
  } catch {
    // The channel has no handler: the window is closing, or openInspector did not open it.
    const message = 'This window is not connected to a queue: close it and open the inspector again.';
    return { ok: false, error: { code: 'NOT_CONNECTED', message } };
  }
}

const bridge: InspectorBridge = {
  overview: () => call('overview'),
  groups: (query) => call('groups', query),
  messages: (query) => call('messages', query),
  message: (key) => call('message', key),
  operate: (operation) => call('operate', operation),
  purge: (retention) => call('purge', retention),
  info: () => call('info'),
  onChange(listener) {
    // The page must not get the IPC event, which the listener of ipcRenderer receives.
    const onChanged = () => listener();
    ipcRenderer.on(CHANGED_CHANNEL, onChanged);
    return () => {
      ipcRenderer.off(CHANGED_CHANNEL, onChanged);
    };
  },
};

contextBridge.exposeInMainWorld('leasehold', bridge);
