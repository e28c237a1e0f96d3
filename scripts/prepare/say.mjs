// One line for each thing done, and for a long one a sign of life, which also shows in a log that is no terminal.
const HEARTBEAT_MS = 30_000;

/** A reason to stop that needs no stack: what is wrong, and the remedy. */
export class SetupError extends Error {}

/** @param {string} line */
export const say = (line) => console.log(`- ${line}`);

/**
 * Says what is done, then does it.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(what, work) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  say(`${what} ...`);
  const heartbeat = setInterval(() => console.log(`    still at it after ${seconds()} s`), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (seconds() >= 2) console.log(`    took ${seconds()} s`);
  }
}
