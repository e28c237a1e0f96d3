/** Finds the file of a thread, and starts it. */
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
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

/** The flag --input-type and its value, which a thread or process that runs a file refuses. */
const INPUT_TYPE = /--input-type(=|\s+)\S+/;

/** The environment for a thread or process that runs a file. */
export function withoutInputType(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, NODE_OPTIONS: (env.NODE_OPTIONS ?? '').replace(INPUT_TYPE, '') };
}

/**
 * Starts a thread that runs a file. A thread inherits the process's flags; without this, no thread could start in a process
 * that runs its code from the command line or from standard input as a module.
 */
export function startThread(file: string | URL, options: WorkerOptions = {}): Worker {
  const { execArgv = process.execArgv } = options;
  const env = options.env ?? process.env;
  const inherited = typeof env === 'object' ? (env.NODE_OPTIONS ?? '') : '';
  if (!INPUT_TYPE.test(`${execArgv.join(' ')} ${inherited}`)) return new Worker(file, options);
  const place = execArgv.findIndex((flag) => flag.startsWith('--input-type'));
  const flags = place < 0 ? execArgv : execArgv.toSpliced(place, execArgv[place]?.includes('=') ? 1 : 2);
  const suitable: WorkerOptions = {
    ...options,
    ...(typeof env === 'object' ? { env: withoutInputType(env) } : {}),
  };
  try {
    return new Worker(file, { ...suitable, execArgv: flags });
  } catch (error) {
    // Flags of the whole process, such as V8's, hold in its threads anyway, but must not be named for one.
    const refused = /flags: (.*)/.exec((error as Error).message)?.[1]?.split(', ');
    if (!refused) throw error;
    return new Worker(file, { ...suitable, execArgv: flags.filter((flag) => !refused.includes(flag)) });
  }
}
