/** For a program: what it was told. (Apart from program.ts, so that a program loads no more than it needs.) */

/** Its one argument, JSON. */
export function told<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Says that it is up, then waits until all those that run with it are. */
export async function go(): Promise<void> {
  process.stdout.write('"up"\n');
  for await (const _ of process.stdin) return;
}
