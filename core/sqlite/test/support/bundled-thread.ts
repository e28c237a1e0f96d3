/**
 * The thread with a test's clock as one CommonJS file, built once for each test process. A thread that loads the sources
 * module by module, without their types, takes twice the CPU time of one that loads this file.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

let bundling: Promise<string> | undefined;

/** Resolves with the path of the file. */
export function bundledThread(): Promise<string> {
  bundling ??= bundle();
  return bundling;
}

async function bundle(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'leasehold-test-thread-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(root, 'core/sqlite/test/support/clocked.thread.ts'),
      outDir,
      emptyOutDir: false,
      rolldownOptions: { output: { format: 'cjs', entryFileNames: 'thread.cjs' } },
    },
  });
  symlinkSync(join(root, 'node_modules'), join(outDir, 'node_modules'), 'junction');
  return join(outDir, 'thread.cjs');
}
