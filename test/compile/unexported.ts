// Owns finding types that the published declarations name and nobody can import. What computes a type (conditional, mapped
// and indexed types) may use parts that their file keeps to itself, and so may what is in a namespace: those are never
// written by users.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { root } from '../../scripts/bundle.js';

/** The declarations of every entry of the package. */
function entries(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, { types?: string }> };
  return Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [types.replace('./dist/', '')]));
}

/** Types of the package that signatures of its exports name, and that no entry exports. */
export function unexportedTypes(declarations: string): string[] {
  const files = entries().map((entry) => join(declarations, entry));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts'],
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const resolve = (symbol: ts.Symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const exported = files.flatMap((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.Node) as ts.Symbol;
    return checker.getExportsOfModule(module).map(resolve);
  });
  const spaces = exported.filter(({ flags }) => flags & ts.SymbolFlags.Module);
  const known = new Set([...exported, ...spaces.flatMap((space) => checker.getExportsOfModule(space).map(resolve))]);
  const missing = new Set<string>();
  for (const symbol of exported) {
    for (const declaration of [...(symbol.declarations ?? []), ...inherited(checker, symbol)]) {
      for (const { name, isComputing } of namesIn(declaration)) {
        const named = checker.getSymbolAtLocation(name);
        const target = named === undefined ? undefined : resolve(named);
        const file = target?.declarations?.[0]?.getSourceFile().fileName ?? '';
        if (target === undefined || target.flags & ts.SymbolFlags.TypeParameter || known.has(target) || !file.startsWith(declarations))
          continue;
        if (isComputing && !isExported(target)) continue;
        missing.add(`${target.name} in ${file.slice(declarations.length + 1)}, which ${symbol.name} names`);
      }
    }
  }
  return [...missing].sort();
}

/** The members of an interface that no type of a name has: those of a base that is computed, as the methods of `step(name)`. */
function inherited(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Declaration[] {
  if ((symbol.flags & ts.SymbolFlags.Interface) === 0) return [];
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  return members.flatMap(({ declarations = [] }) => declarations.filter(({ parent }) => ts.isTypeLiteralNode(parent)));
}

function isExported({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0);
}

/** The names of types in a declaration; `isComputing` for those inside of what computes a type. */
function namesIn(declaration: ts.Declaration): { readonly name: ts.Node; readonly isComputing: boolean }[] {
  const names: { readonly name: ts.Node; readonly isComputing: boolean }[] = [];
  const visit = (node: ts.Node, inside: boolean): void => {
    const isComputing = inside || ts.isConditionalTypeNode(node) || ts.isMappedTypeNode(node) || ts.isIndexedAccessTypeNode(node);
    if (ts.isTypeReferenceNode(node)) names.push({ name: node.typeName, isComputing });
    if (ts.isExpressionWithTypeArguments(node)) names.push({ name: node.expression, isComputing });
    ts.forEachChild(node, (child) => visit(child, isComputing));
  };
  if (!ts.isSourceFile(declaration)) visit(declaration, false);
  return names;
}
