/** The text of TORTURE.md. A run replaces its own section and leaves the others as they are. */
import { asMarkdown } from '../row.ts';
import type { Finished } from './supervise.ts';

const HEAD = `# Torture

Made by \`npm run torture\`. Each section is made by its own run, and says how to repeat it.`;

/** The marker that a section begins with. */
const markerOf = (name: string) => `<!-- ${name} -->`;

/** As in '2,000 crash states'. */
export const amountOf = ({ size, unit }: Finished): string => `${size.toLocaleString('en')} ${unit}`;

/** A section of the report. */
export function sectionOf(name: string, finished: Finished, seed: number, machine: string): string {
  const { title, size, seconds, rows } = finished;
  const command = `npm run torture -- ${name} --size ${size} --seed ${seed}`;
  const facts = `${machine}\n\n\`${command}\`: ${amountOf(finished)} in ${Math.round(seconds)} s`;
  return `${markerOf(name)}\n## ${title}\n\n${facts}\n\n${asMarkdown(rows)}`;
}

/** `report` with these sections, in the order of `names`. */
export function withSections(
  report: string,
  sections: ReadonlyMap<string, string>,
  names: readonly string[],
): string {
  const kept = new Map(
    report.split(/^(?=<!-- )/m).flatMap((text) => {
      const name = /^<!-- (\S+) -->/.exec(text)?.[1];
      return name === undefined ? [] : [[name, text.trim()] as const];
    }),
  );
  const all = names.flatMap((name) => sections.get(name) ?? kept.get(name) ?? []);
  return `${[HEAD, ...all].join('\n\n')}\n`;
}
