/** Who sent an IPC message. `webContents.ipc` tells windows apart; this tells a window's page from what it must not be. */
import type { IpcMainInvokeEvent, WebContents } from 'electron';

type Sender = Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>;

/** True for a message from the main frame of exactly this window while it shows its own page. */
export function isFromPage(event: Sender, contents: WebContents, origin: string): boolean {
  const frame = event.senderFrame;
  // Null when the frame has navigated or gone since it sent.
  if (!frame || event.sender !== contents) return false;
  const { mainFrame } = contents;
  return (
    frame.routingId === mainFrame.routingId &&
    frame.processId === mainFrame.processId &&
    frame.parent === null &&
    frame.origin === origin
  );
}
