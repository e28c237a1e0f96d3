/** Whether a key pressed here types text, so that it is not a shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
}

/** The grid should get the focus as soon as it is rendered. */
let isAwaited = false;

/** Moves the focus to the grid, now or when the grid is rendered. */
export function focusRows(): void {
  // What the caller has just changed is rendered first.
  setTimeout(() => {
    const grid = document.querySelector<HTMLElement>('[role="grid"]');
    grid?.focus({ preventScroll: true });
    isAwaited = grid === null;
  });
}

/** Called by a grid that has just been rendered. If the user has moved the focus since, it stays there. */
export function focusIfAwaited(grid: HTMLElement | null): void {
  if (isAwaited && document.activeElement === document.body) grid?.focus({ preventScroll: true });
  isAwaited = false;
}

/** Moves the focus to the heading of the message beside the list. */
export function focusDetail(): void {
  document.getElementById('detail-title')?.focus();
}
