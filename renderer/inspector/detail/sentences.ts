/** Joins sentences, and adds each missing full stop. */
export function sentences(...parts: readonly string[]): string {
  return parts.map((part) => (/[.!?…]$/.test(part.trim()) ? part.trim() : `${part.trim()}.`)).join(' ');
}
