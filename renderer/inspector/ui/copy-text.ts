/**
 * Puts text on the clipboard; false when that is not allowed.
 *
 * The window grants no permissions, and the clipboard's own API asks for one. The copy command needs none after a click
 * or key, and takes what the copy event is given.
 */
export async function copyText(text: string): Promise<boolean> {
  let isTaken = false;
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isTaken = true;
  };
  document.addEventListener('copy', give, { capture: true });
  try {
    if (document.execCommand('copy') && isTaken) return true;
  } finally {
    document.removeEventListener('copy', give, { capture: true });
  }
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
