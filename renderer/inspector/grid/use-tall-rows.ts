/** TanStack Virtual over rows of one height, in a list that may be taller than an element can be (see TallScroll). */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useReducer, useState } from 'react';
import { flushSync } from 'react-dom';
import { TallScroll } from './tall-scroll.ts';

export const ROW_HEIGHT = 28;
/** The header sticks to the top and covers as much of the view. */
const HEADER_HEIGHT = 28;
const IDLE_MS = 150;

type Tell = (offset: number, isScrolling: boolean) => void;

export function useTallRows(scroller: RefObject<HTMLElement | null>, count: number) {
  const [tall] = useState(() => new TallScroll());
  const [, redraw] = useReducer((times: number) => times + 1, 0);

  const observe = useCallback(
    (instance: Virtualizer<HTMLElement, Element>, tell: Tell) => {
      const element = instance.scrollElement;
      if (element === null) return undefined;
      let resting: ReturnType<typeof setTimeout> | undefined;
      const scrolled = () => {
        const { shift } = tall;
        tall.scrolled(element.scrollTop);
        follow(element, tall);
        tell(tall.virtual, true);
        // The rows may stand for the same stretch and yet at other places; both must change in one frame.
        if (tall.shift !== shift) flushSync(redraw);
        clearTimeout(resting);
        resting = setTimeout(() => tell(tall.virtual, false), IDLE_MS);
      };
      tell(tall.virtual, false);
      element.addEventListener('scroll', scrolled, { passive: true });
      return () => {
        clearTimeout(resting);
        element.removeEventListener('scroll', scrolled);
      };
    },
    [tall],
  );

  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    observeElementOffset: observe,
    // This file alone moves the element.
    scrollToFn: () => {},
  });

  const height = count * ROW_HEIGHT;
  const view = Math.max(0, (virtualizer.scrollRect?.height ?? 0) - HEADER_HEIGHT);

  useLayoutEffect(() => {
    const { shift } = tall;
    tall.resize(height, view);
    if (scroller.current !== null) follow(scroller.current, tall);
    if (tall.shift !== shift) redraw();
  }, [tall, height, view, scroller]);

  const moveTo = useCallback(
    (virtual: number) => {
      tall.moveTo(virtual);
      if (scroller.current !== null) follow(scroller.current, tall);
      redraw();
    },
    [tall, scroller],
  );

  /** Scrolls no further than needed for the row to be seen whole. */
  const reveal = useCallback(
    (index: number) => {
      const top = index * ROW_HEIGHT;
      if (top < tall.virtual) moveTo(top);
      else if (top + ROW_HEIGHT > tall.virtual + view) moveTo(top + ROW_HEIGHT - view);
    },
    [tall, view, moveTo],
  );

  return {
    items: virtualizer.getVirtualItems(),
    height: Math.min(height, TallScroll.CAP),
    shift: tall.shift,
    pageRows: Math.max(1, Math.floor(view / ROW_HEIGHT) - 1),
    /** How far the view is below the first row. */
    position: () => tall.virtual,
    moveTo,
    reveal,
  };
}

function follow(element: HTMLElement, tall: TallScroll): void {
  // Chromium keeps scroll positions in physical pixels: the same place may read back a fraction off.
  if (Math.abs(element.scrollTop - tall.real) >= 1) element.scrollTop = tall.real;
}
