import { spawn } from 'node:child_process';
import { SetupError } from './log.mjs';

const TAIL_LINES = 30;

/**
 * @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number }} RunOptions
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null, output: string }} Outcome
 */

/**
 * Runs a command and collects its output. Resolves also if the command fails.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<Outcome>}
 */
export function attempt(command, args, { cwd, env = process.env, timeoutMs } = {}) {
  return new Promise((resolve) => {
    // On Windows npm is a .cmd file, which only a shell can start.
    const shell = process.platform === 'win32' && !command.endsWith('.exe');
    const child = spawn(command, args, {
      cwd,
      env,
      shell,
      timeout: timeoutMs,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (/** @type {Buffer} */ data) => {
      output += data;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ code: null, signal: null, output: String(error) }));
    child.on('close', (code, signal) => resolve({ code, signal, output }));
  });
}

/**
 * Runs a command. Rejects with the end of its output if it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<string>} the output
 */
export async function run(command, args, options) {
  const { code, signal, output } = await attempt(command, args, options);
  if (code === 0) return output;
  const tail = output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  throw new SetupError(`${tail}\n\n${command} ${args.join(' ')} failed (${signal ?? `exit code ${code}`}).`);
}
