import { existsSync } from 'node:fs';
import { attempt, run } from './run.mjs';
import { SetupError, step } from './say.mjs';

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
let listsAreFresh = false;

/**
 * Ubuntu and later Debians renamed some libraries: such a name with t64 at its end wins where it exists.
 * @param {string} name
 */
async function available(name) {
  const { output } = await attempt('apt-cache', ['policy', `${name}t64`]);
  return /Candidate: (?!\(none\))/.test(output) ? `${name}t64` : name;
}

/**
 * Installs system packages if this user may; otherwise stops, with the command to run.
 * @param {string} reason what is missing, for the message
 * @param {string[]} packages Debian's names
 */
export async function installSystemPackages(reason, packages) {
  const isDebian = existsSync('/usr/bin/apt-get');
  if (!isDebian)
    throw new SetupError(`${reason}. Please install it; Debian's names are: ${packages.join(' ')}`);
  if (process.getuid?.() !== 0) {
    throw new SetupError(`${reason}. Please run:\n\n    sudo apt-get install ${packages.join(' ')}\n`);
  }
  await step(`${reason}: installing ${packages.join(' ')}`, async () => {
    // Without the lists a fresh container knows of no package.
    if (!listsAreFresh) await run('apt-get', ['update', '-qq'], { env });
    listsAreFresh = true;
    const names = await Promise.all(packages.map(available));
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { env });
  });
}
