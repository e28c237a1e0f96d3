/** What a program was told: one JSON argument. (Apart from program.ts, so that a program loads no more than it needs.) */
export function told<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}
