/** A test program's argument. (Not in program.ts, so that a program loads no more than it needs.) */

/** The program's one argument, as JSON. */
export function told<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Reports that the program is ready, then waits until all programs of its set are. */
export async function go(): Promise<void> {
  process.stdout.write('"up"\n');
  for await (const _ of process.stdin) return;
}
