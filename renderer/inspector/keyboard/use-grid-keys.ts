import { type RefObject, useEffect } from 'react';
import { useLatest } from '../ui/use-latest.ts';
import { isTyping } from './focus.ts';

/**
 * Keys for the grid. With the focus in it, all of them; with the focus nowhere, a first key takes the focus there; with
 * the focus at the side, only j and k, which then step through the messages.
 */
export function useGridKeys(grid: RefObject<HTMLElement | null>, onKey: (key: string) => boolean): void {
  const newest = useLatest(onKey);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const element = grid.current;
      if (element === null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey)
        return;
      const { target } = event;
      if (isTyping(target) || document.querySelector('dialog[open]') !== null) return;
      const inside = target instanceof Node && element.contains(target);
      const nowhere = target === document.body || target === document.documentElement;
      const steps = event.key === 'j' || event.key === 'k';
      if (!inside && !nowhere && !steps) return;
      if (!newest.current(event.key)) return;
      event.preventDefault();
      if (nowhere) element.focus();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [grid, newest]);
}
