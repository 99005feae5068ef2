// Owns the rule that no files need each other: what one file imports as a value, at once or with `import()`, never leads back
// to it.

import { dirname, posix } from 'node:path';
import { isTest, nodesOf, type Source, type SyntaxNode } from './source.ts';

const IMPORTS: ReadonlySet<string> = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression']);

/** The import cycles among the files of src, each as the files in it. Types do not count. */
export function importCycles(sources: readonly Source[]): string[] {
  const graph = new Map(
    sources.filter(({ path }) => path.startsWith('src/') && !isTest(path)).map((source) => [source.path, valuesOf(source)]),
  );
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'open') cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (state.has(path)) return;
    state.set(path, 'open');
    for (const target of graph.get(path) ?? []) if (graph.has(target)) visit(target, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

function valuesOf(source: Source): string[] {
  return [...nodesOf(source)].flatMap(({ node }) => {
    const from = node.source as { readonly value?: unknown } | null | undefined;
    if (!IMPORTS.has(node.type) || typeof from?.value !== 'string' || !from.value.startsWith('.') || isTypeOnly(node)) return [];
    return [posix.normalize(posix.join(dirname(source.path), from.value))];
  });
}

function isTypeOnly(node: SyntaxNode): boolean {
  if (node.importKind === 'type' || node.exportKind === 'type') return true;
  const names = (node.specifiers ?? []) as readonly { readonly importKind?: unknown; readonly exportKind?: unknown }[];
  return names.length > 0 && names.every(({ importKind, exportKind }) => importKind === 'type' || exportKind === 'type');
}
