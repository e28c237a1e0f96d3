/** Checks the imports of all sources against the table of rooms (rooms.ts). */
import { globSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { type Import, importsOf } from './imports-of.ts';
import { ROOMS, SHARED_FILES } from './rooms.ts';

const { dirname, basename, join } = posix;

type Access = 'value' | 'type';

/** Returns a line for each violation. `sources` holds the text of each file by its path. */
export function checkRooms(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([path, source]) => checkFile(path, source));
}

/** The room of a file: its folder. All tests below a top-level folder are one room. */
function roomOf(path: string): string {
  const names = dirname(path).split('/');
  return names.includes('test') ? `${names[0]}/test/` : `${names.join('/')}/`;
}

const isRoom = (name: string) => name.endsWith('/');

/** What a room may import: the packages of its line, and rooms, also those that it reaches through others. */
export function accessOf(room: string): ReadonlyMap<string, Access> {
  const access = new Map<string, Access>([[room, 'value']]);
  const follow = (from: string) => {
    for (const entry of ROOMS[from] ?? []) {
      const name = entry.replace(/^types /, '');
      const isType = entry !== name;
      if ((!isRoom(name) && from !== room) || access.get(name) === 'value') continue;
      access.set(name, isType ? 'type' : 'value');
      if (isRoom(name) && !isType) follow(name);
    }
  };
  follow(room);
  return access;
}

function checkFile(path: string, source: string): string[] {
  const room = roomOf(path);
  if (!Object.hasOwn(ROOMS, room))
    return [`${path}: the folder is not a room. Add a line to scripts/lint/rooms.ts.`];
  const access = accessOf(room);
  return importsOf(path, source).flatMap((each) => {
    const problem = problemOf(path, room, each, access);
    return problem === null ? [] : [`${path}:${each.line}: imports ${each.specifier}. ${problem}`];
  });
}

function problemOf(
  path: string,
  room: string,
  { specifier, isType }: Import,
  access: ReadonlyMap<string, Access>,
): string | null {
  const file = /^\.\.?(?:\/|$)/.test(specifier) ? join(dirname(path), specifier) : null;
  const target = file ? roomOf(file) : specifier.replace(/^node:.*/, 'node:');
  const granted = access.get(target);
  if (granted === undefined) return `${room} may not import ${target}.`;
  if (granted === 'type' && !isType) return `${room} may import only types from ${target} (import type).`;
  const shared = SHARED_FILES[room];
  if (file && target === room && shared && !shared.includes(basename(file)))
    return `In ${room} only these files may be imported: ${shared.join(', ')}.`;
  return null;
}

const SOURCES = '{core,electron,renderer,examples,scripts,e2e,bench}/**/*.{ts,tsx,mjs,css,html}';

if (import.meta.main) {
  const paths = globSync([SOURCES, '*.ts']).map((path) => path.replaceAll(sep, '/'));
  const problems = checkRooms(new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
