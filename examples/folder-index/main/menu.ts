/** The application menu. */
import { Menu, type MenuItemConstructorOptions } from 'electron';

export interface MenuActions {
  openInspector(): void;
  inspectFile(): void;
  pause(): void;
  resume(): void;
}

/** Sets the menu. Call it again when `paused` changes. */
export function setMenu({ openInspector, inspectFile, pause, resume }: MenuActions, paused: boolean): void {
  const jobs: MenuItemConstructorOptions = {
    label: '&Indexing',
    submenu: [
      {
        label: paused ? '&Resume' : '&Pause',
        accelerator: 'CmdOrCtrl+Shift+P',
        click: paused ? resume : pause,
      },
      { type: 'separator' },
      { label: '&Background jobs…', accelerator: 'CmdOrCtrl+J', click: openInspector },
      { label: 'Inspect a &file…', click: inspectFile },
    ],
  };
  const isMac = process.platform === 'darwin';
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac
        ? [{ role: 'appMenu' } as const]
        : [{ label: '&File', submenu: [{ role: 'quit' } as const] }]),
      { role: 'editMenu' },
      jobs,
      { role: 'viewMenu' },
      { role: 'windowMenu' },
    ]),
  );
}
