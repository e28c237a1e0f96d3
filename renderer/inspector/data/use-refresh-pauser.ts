import { type PointerEvent, useEffect, useRef } from 'react';
import { useServices } from './services.ts';

/** While the pointer moves over the rows or is pressed, changes wait. */
export function useRefreshPauser() {
  const { pauser } = useServices();
  const at = useRef('');
  useEffect(() => {
    const released = () => pauser.press(false);
    window.addEventListener('pointerup', released);
    window.addEventListener('pointercancel', released);
    return () => {
      window.removeEventListener('pointerup', released);
      window.removeEventListener('pointercancel', released);
      pauser.leave();
      pauser.press(false);
    };
  }, [pauser]);
  return {
    onPointerMove: (event: PointerEvent) => {
      // Rows that move under a resting pointer make Chromium send moves of its own, to the same place.
      const now = `${event.screenX},${event.screenY}`;
      if (now !== at.current) pauser.touch();
      at.current = now;
    },
    onPointerDown: () => pauser.press(true),
    onPointerLeave: () => pauser.leave(),
    onWheel: () => pauser.touch(),
  };
}
