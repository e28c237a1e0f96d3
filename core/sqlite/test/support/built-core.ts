/**
 * Core as plain JavaScript in a folder of its own, made once for each test process. Node strips the types of every
 * module anew in each thread, which takes longer than most tests that start one.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const core = fileURLToPath(new URL('../../..', import.meta.url));
let built: string | undefined;

/** The path of a built module, named as in core: 'sqlite/async/transport.thread'. */
export function builtModule(name: string): string {
  built ??= build();
  return join(built, `${name}.js`);
}

function build(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-test-core-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(core, '../node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const file of globSync(['*.ts', '{contract,validate,sqlite,rpc,admin,worker,testing}/**/*.ts'], {
    cwd: core,
  })) {
    if (/\.test\.ts$/.test(file)) continue;
    const code = stripTypeScriptTypes(readFileSync(join(core, file), 'utf8'));
    const target = join(folder, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code.replace(/(from\s+|import\s+)'(\.[^']*)\.ts'/g, "$1'$2.js'"));
  }
  return folder;
}
