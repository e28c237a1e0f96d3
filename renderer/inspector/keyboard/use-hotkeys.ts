import { useEffect, useEffectEvent } from 'react';
import { isTyping } from './focus.ts';

/**
 * Handles keys wherever the focus is. `onKey` returns whether it handled the key. It is not called for a key that is text
 * or that another handler has handled, with Ctrl, Alt or Meta, or while a dialog is open.
 *
 * react-hotkeys-hook 5 was rejected: it compares Shift too, so "/" and "?" fail on keyboards that type them with Shift
 * (German); it prevents the default before a handler can decline; and it does not skip keys that another handler has
 * handled.
 */
export function useHotkeys(onKey: (key: string, event: KeyboardEvent) => boolean): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    if (onKey(event.key, event)) event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handle(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
