import { useEffect, useEffectEvent } from 'react';
import { isTyping } from './focus.ts';

/**
 * Handles keys wherever the focus is. `onKey` returns whether it handled the key. It is not called for a key that is text
 * or that another handler has handled, with Ctrl, Alt or Meta, or while a dialog is open.
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
