/** Which files this process has open, without opening one: a close would drop all of SQLite's locks on it. */
import { fstatSync, readdirSync, statSync } from 'node:fs';

/** Equal for two paths or descriptors of one file. Undefined where there is no file. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && identity(found);
}

export function identity({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}/${ino}`;
}

/** How often each file is open, by its identity. Undefined on a system that does not tell, such as Windows. */
export function openFiles(): Map<string, number> | undefined {
  // The path is an ordinary folder there, which may exist.
  if (process.platform === 'win32') return undefined;
  let descriptors: string[];
  try {
    descriptors = readdirSync('/dev/fd');
  } catch {
    return undefined;
  }
  const counts = new Map<string, number>();
  for (const descriptor of descriptors) {
    try {
      const file = identity(fstatSync(Number(descriptor), { bigint: true }));
      counts.set(file, (counts.get(file) ?? 0) + 1);
    } catch {
      // The descriptor that read the list.
    }
  }
  return counts;
}
