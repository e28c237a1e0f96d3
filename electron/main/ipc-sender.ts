/** Checks the sender of an IPC message. `webContents.ipc` separates windows; this check separates a window's documents. */
import type { IpcMainInvokeEvent, WebContents } from 'electron';

type Sender = Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>;

/** True for a message from the main frame of this window while it shows a page of `origin`. */
export function isFromPage(event: Sender, contents: WebContents, origin: string): boolean {
  const frame = event.senderFrame;
  // Null when the frame has navigated or was destroyed after it sent the message.
  if (!frame || event.sender !== contents) return false;
  const { mainFrame } = contents;
  return (
    frame.routingId === mainFrame.routingId &&
    frame.processId === mainFrame.processId &&
    frame.parent === null &&
    frame.origin === origin
  );
}
