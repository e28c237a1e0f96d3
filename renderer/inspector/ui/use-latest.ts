import { type RefObject, useLayoutEffect, useRef } from 'react';

/** The value of the last drawing, for what runs later than it: an event, an answer. */
export function useNewest<Value>(value: Value): RefObject<Value> {
  const newest = useRef(value);
  useLayoutEffect(() => {
    newest.current = value;
  });
  return newest;
}
