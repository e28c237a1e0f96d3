/** A file as the walk found it. */
export interface FoundFile {
  /** Relative to the root, with `/` between names on every system. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}
