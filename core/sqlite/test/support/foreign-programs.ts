/** Program: runs the random programs of a range of seeds, and shrinks those that fail. */
import { foreignProgram, shrink } from './foreign-program.ts';
import { eachItem } from './watched.ts';

await eachItem(async (seed) => {
  const program = foreignProgram(seed);
  const failure = await program.run(program.steps);
  if (failure === null) return [];
  const small = await shrink(program, failure);
  return [`seed ${seed}:\n${small.steps.map(({ text }) => `  ${text}`).join('\n')}\n  => ${small.failure}`];
});
