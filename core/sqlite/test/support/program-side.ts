/** For a program that program.ts starts. (A file of its own, so that a program loads no more than it needs.) */

/** The arguments that the test passed to Program. */
export function programArguments<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Reports that the program is ready, then waits until all programs of its set are. */
export async function waitForStart(): Promise<void> {
  process.stdout.write('"up"\n');
  for await (const _ of process.stdin) return;
}
