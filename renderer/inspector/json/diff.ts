import { structuredPatch } from 'diff';

/** A line of a diff; a 'gap' stands for unchanged lines that are left out. */
export interface DiffLine {
  readonly kind: 'context' | 'removed' | 'added' | 'gap';
  readonly text: string;
}

const CONTEXT_LINES = 2;
/** The search for matching lines stops after this many edits: 1,000 take about 90 ms, 6,000 take 2 s. */
const MAX_EDITS = 1000;
const KINDS: Record<string, DiffLine['kind']> = { ' ': 'context', '-': 'removed', '+': 'added' };

/**
 * What changed between two texts, line by line, with two lines of context. Empty when nothing changed. Beyond 1,000 changed
 * lines, the diff is all of the old text and all of the new one.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  // The line breaks at the end keep jsdiff from reporting that they are missing.
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  });
  if (patch === undefined) return [...allLines('removed', before), ...allLines('added', after)];

  const lines: DiffLine[] = [];
  let nextLine = 1;
  const gapUntil = (line: number) => {
    if (line > nextLine) lines.push({ kind: 'gap', text: '' });
  };
  for (const hunk of patch.hunks) {
    gapUntil(hunk.oldStart);
    for (const line of hunk.lines)
      lines.push({ kind: KINDS[line.charAt(0)] ?? 'context', text: line.slice(1) });
    nextLine = hunk.oldStart + hunk.oldLines;
  }
  if (lines.length > 0) gapUntil(before.split('\n').length + 1);
  return lines;
}

const allLines = (kind: DiffLine['kind'], text: string): DiffLine[] =>
  text.split('\n').map((line) => ({ kind, text: line }));
