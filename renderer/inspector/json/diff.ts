/** Lines that went, came, or stayed around them; `skip` stands for stretches left out. */
export type DiffLine = { readonly kind: 'same' | 'gone' | 'new' | 'skip'; readonly text: string };

/** Beyond this many cells of the table, the changed middle is shown whole instead of matched line by line. */
const MOST_CELLS = 1_000_000;
const CONTEXT = 2;

/** What changed from one text to another, line by line; empty when nothing did. */
export function diffLines(before: string, after: string): DiffLine[] {
  if (before === after) return [];
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = matched(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return folded([...same(a.slice(0, head)), ...middle, ...same(a.slice(a.length - tail))]);
}

function matched(a: string[], b: string[]): DiffLine[] {
  const whole: DiffLine[] = [
    ...a.map((text): DiffLine => ({ kind: 'gone', text })),
    ...b.map((text): DiffLine => ({ kind: 'new', text })),
  ];
  if (a.length * b.length > MOST_CELLS || a.length === 0 || b.length === 0) return whole;

  // Longest common subsequence: cell (i, j) is its length for the rest from line i and line j on.
  const width = b.length + 1;
  const length = new Uint32Array((a.length + 1) * width);
  const cell = (i: number, j: number) => length[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] =
        a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const out: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: 'same', text: a[i] ?? '' });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && cell(i + 1, j) >= cell(i, j + 1))) {
      out.push({ kind: 'gone', text: a[i++] ?? '' });
    } else {
      out.push({ kind: 'new', text: b[j++] ?? '' });
    }
  }
  return out;
}

/** Keeps two unchanged lines around each change. */
function folded(lines: DiffLine[]): DiffLine[] {
  const near = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => line.kind !== 'same');
  const out: DiffLine[] = [];
  lines.forEach((line, at) => {
    if (line.kind !== 'same' || near(at)) out.push(line);
    else if (out.at(-1)?.kind !== 'skip') out.push({ kind: 'skip', text: '' });
  });
  return out;
}
