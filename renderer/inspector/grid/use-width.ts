import { type RefObject, useLayoutEffect, useState } from 'react';

/** The inner width of an element, in CSS pixels. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(1200);
  useLayoutEffect(() => {
    const of = element.current;
    if (of === null) return undefined;
    const measure = () => setWidth(of.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(of);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
