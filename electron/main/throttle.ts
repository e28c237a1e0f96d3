/** Calls `run` at once, then at most once every `ms` while calls keep coming; the last call is never lost. */
export function throttle(run: () => void, ms: number): { call(): void; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const call = () => {
    if (timer) {
      isDue = true;
      return;
    }
    timer = setTimeout(() => {
      timer = undefined;
      if (!isDue) return;
      isDue = false;
      call();
    }, ms);
    run();
  };
  return {
    call,
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      isDue = false;
    },
  };
}
