/** Finds the file of a thread. */
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BadArgument } from '../contract/errors.ts';
import { show } from '../validate/checks.ts';

/**
 * The file that the `threadFile` option names, as a path or file URL. Default: the file `name` beside the module, with the
 * module's extension (`.ts` in the sources, `.js` in a build). Raises BAD_ARGUMENT.
 */
export function threadFileOf(option: string | URL | undefined, moduleUrl: string, name: string): URL {
  if (option === undefined) return new URL(`./${name}${extname(fileURLToPath(moduleUrl))}`, moduleUrl);
  const url = toUrl(option);
  if (url?.protocol !== 'file:')
    throw new BadArgument(
      `threadFile ${show(option)} must be the path or file URL of the built ${name} file.`,
    );
  return url;
}

function toUrl(option: unknown): URL | null {
  if (option instanceof URL) return option;
  if (typeof option !== 'string' || option === '') return null;
  return /^[a-z]+:\/\//i.test(option) ? URL.parse(option) : pathToFileURL(option);
}
