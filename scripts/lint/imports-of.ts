/** Reads the imports of a source: scripts, style sheets and pages. */
import { parseSync } from 'vite';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** True for `import type` and `export type`: nothing is loaded at run time. */
  readonly isType: boolean;
}

interface Found {
  readonly specifier: string;
  readonly isType: boolean;
  readonly offset: number;
}

export function importsOf(path: string, source: string): Import[] {
  const found = path.endsWith('.css')
    ? matches(source, /@import\s+(?:url\(\s*)?["']?(?<specifier>[^"')\s;]+)/g)
    : path.endsWith('.html')
      ? matches(source, /\b(?:src|href)="(?<specifier>\.[^"]*)"/g)
      : scriptImports(path, source);
  return found.map(({ offset, ...rest }) => ({ ...rest, line: source.slice(0, offset).split('\n').length }));
}

function matches(source: string, pattern: RegExp): Found[] {
  return [...source.matchAll(pattern)].map(({ index, groups }) => ({
    specifier: groups?.specifier ?? '',
    isType: false,
    offset: index,
  }));
}

function scriptImports(path: string, source: string): Found[] {
  const { program, errors } = parseSync(path, source);
  if (errors[0]) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const found: Found[] = [];
  visit(program, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    const isType = node.importKind === 'type' || node.exportKind === 'type' || node.type === 'TSImportType';
    found.push({ specifier, isType, offset: node.start ?? 0 });
  });
  return found;
}

/** The few fields of an ESTree node that matter here. */
interface Node {
  readonly type?: unknown;
  readonly start?: number;
  readonly importKind?: unknown;
  readonly exportKind?: unknown;
  readonly source?: { readonly value?: unknown } | null;
  readonly callee?: { readonly name?: unknown };
  readonly arguments?: readonly { readonly value?: unknown }[];
}

const WITH_SOURCE = new Set<unknown>([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

function specifierOf(node: Node): string | undefined {
  const isRequire = node.type === 'CallExpression' && node.callee?.name === 'require';
  const value = isRequire
    ? node.arguments?.[0]?.value
    : WITH_SOURCE.has(node.type)
      ? node.source?.value
      : undefined;
  return typeof value === 'string' ? value : undefined;
}

function visit(value: unknown, onNode: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, onNode);
  } else if (typeof value === 'object' && value !== null) {
    if ('type' in value) onNode(value);
    for (const child of Object.values(value)) visit(child, onNode);
  }
}
