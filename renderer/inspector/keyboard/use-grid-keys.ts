import type { RefObject } from 'react';
import { type Shortcut, shortcutOf } from './shortcuts.ts';
import { useHotkeys } from './use-hotkeys.ts';

/**
 * Shortcuts of the grid. All of them work while the focus is in the grid; without any focus, the first one moves the focus
 * there; while the focus is in the detail, only j and k work, to step through the messages.
 */
export function useGridKeys(
  grid: RefObject<HTMLElement | null>,
  onShortcut: (shortcut: Shortcut) => boolean,
): void {
  useHotkeys((key, { target }) => {
    const shortcut = shortcutOf(key);
    const element = grid.current;
    if (shortcut === undefined || element === null) return false;
    const isInside = target instanceof Node && element.contains(target);
    const isUnfocused = target === document.body || target === document.documentElement;
    const isStep = shortcut === 'next' || shortcut === 'previous';
    if (!isInside && !isUnfocused && !isStep) return false;
    if (!onShortcut(shortcut)) return false;
    if (isUnfocused) element.focus();
    return true;
  });
}
