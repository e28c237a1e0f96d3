/** True where a letter is text and not a command. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
}

/** True when the rows should have had the focus while there were none yet. */
let isAwaited = false;

/** Puts the focus on the rows: at once, or when they appear. */
export function focusRows(): void {
  // After what was just asked for has been drawn.
  setTimeout(() => {
    const grid = document.querySelector<HTMLElement>('[role="grid"]');
    grid?.focus({ preventScroll: true });
    isAwaited = grid === null;
  });
}

/** For rows that have just appeared. Nothing is taken from a person who went on elsewhere meanwhile. */
export function focusIfAwaited(grid: HTMLElement | null): void {
  if (isAwaited && document.activeElement === document.body) grid?.focus({ preventScroll: true });
  isAwaited = false;
}
