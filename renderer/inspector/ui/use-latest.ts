import { type RefObject, useLayoutEffect, useRef } from 'react';

/** A ref to the value of the last render, for callbacks that run later: event listeners, timers, replies. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
