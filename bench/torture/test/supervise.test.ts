import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sectionOf, withSections } from '../summary.ts';
import { supervise } from '../supervise.ts';

const program = (name: string) => fileURLToPath(new URL(`support/${name}.child.ts`, import.meta.url));

describe('npm run torture', () => {
  it('a run that hangs is killed, and its report says after what', async () => {
    const { rows } = await supervise({ name: 'hangs', size: 1, seed: 1 }, () => {}, program('hangs'));
    assert.deepEqual(rows, [
      {
        what: 'the run ends',
        target: 'with a report',
        result: 'it was killed because it sent nothing for 0.05 s, after "the first loop"',
        met: false,
      },
    ]);
  });

  it('a run replaces its own section of the report and leaves the others', () => {
    const finished = { title: 'A title', size: 2_000, unit: 'states', seconds: 3, rows: [] };
    const section = (name: string, seed: number) => sectionOf(name, finished, seed, 'a machine');
    const names = ['first', 'second'];
    const both = withSections('', new Map(names.map((name) => [name, section(name, 1)])), names);
    const again = withSections(both, new Map([['first', section('first', 7)]]), names);
    assert.equal(again, both.replace('first --size 2000 --seed 1', 'first --size 2000 --seed 7'));
  });
});
