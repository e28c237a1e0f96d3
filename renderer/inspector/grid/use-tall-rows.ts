/** TanStack Virtual for rows of equal height in a list that may be taller than an element can be (see tall-scroll.ts). */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useReducer, useState } from 'react';
import { flushSync } from 'react-dom';
import { TallScroll } from './tall-scroll.ts';

export const ROW_HEIGHT = 28;
/** The header is sticky and covers this much of the visible part. */
const HEADER_HEIGHT = 28;
/** Scrolling has ended when no scroll event fires for this long. */
const SCROLL_END_MS = 150;

type Report = (offset: number, isScrolling: boolean) => void;

export function useTallRows(scroller: RefObject<HTMLElement | null>, count: number) {
  const [tall] = useState(() => new TallScroll());
  const [, redraw] = useReducer((times: number) => times + 1, 0);

  const observe = useCallback(
    (instance: Virtualizer<HTMLElement, Element>, report: Report) => {
      const element = instance.scrollElement;
      if (element === null) return undefined;
      let endTimer: ReturnType<typeof setTimeout> | undefined;
      const scrolled = () => {
        const { shift } = tall;
        tall.scrolled(element.scrollTop);
        follow(element, tall);
        report(tall.virtual, true);
        // The same rows may now need other positions. They must move in the same frame as the element.
        if (tall.shift !== shift) flushSync(redraw);
        clearTimeout(endTimer);
        endTimer = setTimeout(() => report(tall.virtual, false), SCROLL_END_MS);
      };
      report(tall.virtual, false);
      element.addEventListener('scroll', scrolled, { passive: true });
      return () => {
        clearTimeout(endTimer);
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
    // Only this hook scrolls the element.
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

  /** Scrolls only as far as needed to show the whole row. */
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
    /** The distance of the visible part from the first row. */
    position: () => tall.virtual,
    moveTo,
    reveal,
  };
}

function follow(element: HTMLElement, tall: TallScroll): void {
  // Chromium stores scroll positions in physical pixels, so the same position may read back a fraction off.
  if (Math.abs(element.scrollTop - tall.real) >= 1) element.scrollTop = tall.real;
}
