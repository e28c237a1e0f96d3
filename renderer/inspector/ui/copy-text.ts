/**
 * Writes text to the clipboard; false when that fails.
 *
 * The window grants no permissions, and navigator.clipboard needs one. The copy command needs none in a click or key
 * event, and it copies the data that the copy event is given.
 */
export async function copyText(text: string): Promise<boolean> {
  let isHandled = false;
  const setData = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isHandled = true;
  };
  document.addEventListener('copy', setData, { capture: true });
  try {
    if (document.execCommand('copy') && isHandled) return true;
  } finally {
    document.removeEventListener('copy', setData, { capture: true });
  }
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
