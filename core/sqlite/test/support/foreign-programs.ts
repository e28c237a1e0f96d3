/** Program: runs the random programs of a range of seeds, and shrinks those that fail. */
import { foreignProgram, shrink } from './foreign-program.ts';
import { eachItem, type Items } from './watched.ts';

export interface ForeignArguments extends Items {
  /** See Specification. */
  readonly flawed?: boolean;
}

await eachItem<ForeignArguments>(async (seed, { flawed = false }) => {
  const program = foreignProgram(seed, { flawed });
  const failure = await program.run(program.steps);
  if (failure === null) return [];
  if (flawed) return [failure];
  const small = await shrink(program, failure);
  return [`seed ${seed}:\n${small.steps.map(({ text }) => `  ${text}`).join('\n')}\n  => ${small.failure}`];
});
