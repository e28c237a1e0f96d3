/** How long Electron's main process is blocked while a worker drains 20k messages in it. Needs `npm run prepare-only`. */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { startDisplay } from '../scripts/launch/display.ts';
import { runtime } from '../scripts/launch/runtime.mjs';
import type { Bench } from './row.ts';
import { delayRow, type EventLoopDelay, KINDS } from './worker-event-loop.ts';

const run = promisify(execFile);
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const workerElectron: Bench = {
  title: "The worker in Electron's main process",
  async run() {
    const { root, executablePath, args, env, needsXvfb, version } = runtime();
    // Inside the project, so that better-sqlite3 resolves.
    const app = join(root, 'node_modules/.cache/leasehold/bench-electron');
    await build({
      configFile: false,
      logLevel: 'error',
      root,
      build: {
        outDir: app,
        emptyOutDir: true,
        target: 'node20',
        ssr: true,
        rolldownOptions: {
          input: {
            main: here('./worker-electron-main.ts'),
            'checkpoint.thread': here('../core/sqlite/checkpoints/checkpoint.thread.ts'),
            'transport.thread': here('../core/sqlite/async/transport.thread.ts'),
          },
          external: ['electron', 'better-sqlite3'],
          // The library looks for its threads beside the file that it is in.
          output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
        },
      },
    });
    writeFileSync(join(app, 'package.json'), '{"name":"bench","type":"module","main":"main.js"}');
    await using display = needsXvfb ? await startDisplay() : null;
    const shown = display ? { DISPLAY: display.name } : {};
    const { stdout } = await run(executablePath, [...args, app], {
      env: { ...process.env, ...env, ...shown },
      timeout: 120_000,
    });
    rmSync(app, { recursive: true, force: true });
    const line = stdout.split('\n').find((text) => text.startsWith('['));
    if (!line) throw new Error(`The app printed no result: ${stdout}`);
    const delays = JSON.parse(line) as EventLoopDelay[];
    return delays.map((each, kind) =>
      delayRow(`${KINDS[kind]} in the main process of Electron ${version}`, each),
    );
  },
};
