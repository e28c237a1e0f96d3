import { existsSync } from 'node:fs';
import { SetupError, step } from './log.mjs';
import { attempt, run } from './run.mjs';

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
let listsAreFresh = false;

/**
 * Ubuntu and newer versions of Debian renamed some libraries to end in t64. That name is used if it exists.
 * @param {string} name
 */
async function available(name) {
  const { output } = await attempt('apt-cache', ['policy', `${name}t64`]);
  return /Candidate: (?!\(none\))/.test(output) ? `${name}t64` : name;
}

/**
 * Installs system packages as root. For other users it throws an error with the command to run.
 * @param {string} reason names what is missing
 * @param {string[]} packages their names in Debian
 */
export async function installSystemPackages(reason, packages) {
  const isDebian = existsSync('/usr/bin/apt-get');
  if (!isDebian)
    throw new SetupError(`${reason}. Please install it. The Debian packages are: ${packages.join(' ')}`);
  if (process.getuid?.() !== 0) {
    throw new SetupError(`${reason}. Please run:\n\n    sudo apt-get install ${packages.join(' ')}\n`);
  }
  await step(`${reason}: installing ${packages.join(' ')}`, async () => {
    // A new container has no package lists.
    if (!listsAreFresh) await run('apt-get', ['update', '-qq'], { env });
    listsAreFresh = true;
    const names = await Promise.all(packages.map(available));
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { env });
  });
}
