// Prints one line for each step, and a heartbeat during a long one, so that a log file also shows progress.
const HEARTBEAT_MS = 30_000;

/** An expected failure: the message names the problem and the remedy, and is printed without a stack. */
export class SetupError extends Error {}

/** @param {string} line */
export const log = (line) => console.log(`- ${line}`);

/**
 * Prints the step, then runs it.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  log(`${name} ...`);
  const heartbeat = setInterval(() => console.log(`    still running after ${seconds()} s`), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (seconds() >= 2) console.log(`    took ${seconds()} s`);
  }
}
