/** The one compiled copy of better-sqlite3 through which Leasehold opens files, and the refusal of connections of another. */
import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import { BadArgument } from '../../contract/errors.ts';

/**
 * The value of the environment variable LEASEHOLD_SQLITE_BINDING, or undefined: the absolute path of a compiled
 * better-sqlite3 addon (a `.node` file) to load instead of the package's own, for a runtime that the prebuilt binary does
 * not fit. Pass it as better-sqlite3's `nativeBinding` option when you open other databases in the same process.
 */
export function nativeBinding(): string | undefined {
  return process.env.LEASEHOLD_SQLITE_BINDING || undefined;
}

/** The constructor options that select Leasehold's addon. */
export function bindingOptions(): { nativeBinding?: string } {
  const binding = nativeBinding();
  return binding ? { nativeBinding: binding } : {};
}

/**
 * Raises BAD_ARGUMENT for a connection of another compiled copy. POSIX locks belong to the process, so two copies do not see
 * each other's locks: the first to close its last connection deletes the log into which the other still commits.
 *
 * The addon is compared, not the class: one package has a class for each of its entry points, all over one addon, and one
 * class can be over two addons, where `nativeBinding` names another.
 */
export function checkDriver(database: Database.Database): void {
  const theirs = addonClassOf(database);
  const ours = ownAddonClass();
  if (theirs === ours) return;
  const name = (addon: unknown) => addonPath(addon) ?? 'a file that cannot be found';
  const remedy = nativeBinding()
    ? 'Open it with the option nativeBinding: nativeBinding() (imported from leasehold), since LEASEHOLD_SQLITE_BINDING is set.'
    : 'Install one copy for both: better-sqlite3 ^13 in your package.json (`npm ls better-sqlite3` lists the copies), and not bundled. Or pass a path.';
  throw new BadArgument(
    `database is a connection of another copy of better-sqlite3 (${name(theirs)}) than Leasehold's (${name(ours)}). Two copies in one process do not see each other's locks, and lose commits. ${remedy}`,
  );
}

let ownClass: unknown;

function ownAddonClass(): unknown {
  if (ownClass === undefined) {
    const probe = new Database(':memory:', bindingOptions());
    ownClass = addonClassOf(probe);
    probe.close();
  }
  return ownClass;
}

/** A connection holds the addon's object under a symbol. */
function addonClassOf(database: object): unknown {
  for (const symbol of Object.getOwnPropertySymbols(database)) {
    const value = (database as Record<symbol, unknown>)[symbol];
    if (typeof value === 'object' && value !== null) return value.constructor;
  }
  return null;
}

/** The `.node` file that exports this class. */
function addonPath(addonClass: unknown): string | undefined {
  // The cache is the process's (in a thread: the thread's), whatever path the function is made for.
  for (const [path, module] of Object.entries(createRequire(process.execPath).cache))
    if (path.endsWith('.node') && module?.exports?.Database === addonClass) return path;
  return undefined;
}
