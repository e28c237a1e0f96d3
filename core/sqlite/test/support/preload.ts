/** Builds libraries in C that a test preloads into its programs. */
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

let compiler: string | null | undefined;

/** Why this machine cannot preload a library; null where it can. */
export function whyNotHere(): string | null {
  if (process.platform !== 'linux')
    return `it preloads a library, which works on Linux and not on ${process.platform}`;
  compiler ??= ['cc', 'gcc', 'clang'].find((name) => spawnSync(name, ['--version']).status === 0) ?? null;
  return compiler === null ? 'it compiles a library, and there is no cc, gcc or clang' : null;
}

/** Compiles this source into the library `path`. */
export function compileLibrary(source: URL, path: string): void {
  const flags = ['-shared', '-fPIC', '-O1', '-o', path, fileURLToPath(source), '-ldl', '-lpthread'];
  const { status, stderr } = spawnSync(compiler ?? 'cc', flags, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${basename(source.pathname)} does not compile: ${stderr}`);
}
