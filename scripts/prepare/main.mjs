// The set-up after the packages are installed. It runs on the project's own Node.
import { build } from './build.mjs';
import { electron } from './electron.mjs';
import { withLock } from './support/lock.mjs';
import { SetupError } from './support/log.mjs';

try {
  await withLock(async () => {
    await electron();
    await build();
  });
} catch (error) {
  console.error(error instanceof SetupError ? `\n${error.message}` : error);
  process.exitCode = 1;
}
