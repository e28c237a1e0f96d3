import type { WebContents } from 'electron';

export const ORIGIN = 'https://pages.invalid';

/** The part of WebContents that a page's connection uses. `send` calls a handler as Electron would. */
export function stubContents() {
  type Listener = (event: object, ...args: unknown[]) => unknown;
  const listeners = new Map<string, Listener>();
  const sent: string[] = [];
  const frame = { routingId: 1, processId: 2, parent: null, origin: ORIGIN };
  const contents = {
    mainFrame: frame,
    isDestroyed: () => false,
    isCrashed: () => false,
    send: (channel: string) => sent.push(channel),
    ipc: {
      handle: (channel: string, listener: Listener) => listeners.set(channel, listener),
      removeHandler: (channel: string) => listeners.delete(channel),
    },
  };
  return {
    contents: contents as unknown as WebContents,
    frame,
    /** The channels of the messages to the page. */
    sent,
    channels: () => [...listeners.keys()],
    send: (channel: string, senderFrame: object | null, ...args: unknown[]) =>
      listeners.get(channel)?.({ sender: contents, senderFrame }, ...args),
  };
}
