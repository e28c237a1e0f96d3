import { type PointerEvent, useEffect, useRef } from 'react';
import { useServices } from './services.ts';

/** Handlers for the element with the rows: refreshes pause while the pointer moves over it or is pressed on it. */
export function useRefreshPauser() {
  const { pauser } = useServices();
  const lastPosition = useRef('');
  useEffect(() => {
    const release = () => pauser.press(false);
    window.addEventListener('pointerup', release);
    window.addEventListener('pointercancel', release);
    return () => {
      window.removeEventListener('pointerup', release);
      window.removeEventListener('pointercancel', release);
      pauser.leave();
      pauser.press(false);
    };
  }, [pauser]);
  return {
    onPointerMove: (event: PointerEvent) => {
      // When rows move under a pointer that rests, Chromium fires pointermove at the same position.
      const position = `${event.screenX},${event.screenY}`;
      if (position !== lastPosition.current) pauser.touch();
      lastPosition.current = position;
    },
    onPointerDown: () => pauser.press(true),
    onPointerLeave: () => pauser.leave(),
    onWheel: () => pauser.touch(),
  };
}
