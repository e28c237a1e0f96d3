/** absolutePath: the path of a file, independent of later changes of the working directory. */
import { resolve } from 'node:path';
import { fromSystemError } from './system-errors.ts';

/**
 * The working directory may change before a thread opens the file, or a log is removed. Raises CANNOT_OPEN for a relative path
 * when the working directory was deleted.
 */
export function absolutePath(path: string): string {
  try {
    return path === ':memory:' ? path : resolve(path);
  } catch (error) {
    throw fromSystemError(error, path) ?? error;
  }
}
