import { type PointerEvent, useEffect, useRef } from 'react';
import { useServices } from './services.ts';

/** While the pointer moves over the rows or is pressed, changes wait. */
export function useHolding() {
  const { hold } = useServices();
  const at = useRef('');
  useEffect(() => {
    const released = () => hold.pressed(false);
    window.addEventListener('pointerup', released);
    window.addEventListener('pointercancel', released);
    return () => {
      window.removeEventListener('pointerup', released);
      window.removeEventListener('pointercancel', released);
      hold.left();
      hold.pressed(false);
    };
  }, [hold]);
  return {
    onPointerMove: (event: PointerEvent) => {
      // Rows that move under a resting pointer make Chromium send moves of its own, to the same place.
      const now = `${event.screenX},${event.screenY}`;
      if (now !== at.current) hold.touched();
      at.current = now;
    },
    onPointerDown: () => hold.pressed(true),
    onPointerLeave: () => hold.left(),
    onWheel: () => hold.touched(),
  };
}
