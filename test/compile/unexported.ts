// Owns finding types that the published declarations name and nobody can import. What computes a type (conditional and
// mapped types) may use parts of its own, and so may what is in a namespace: those are never written by users.

import { join } from 'node:path';
import ts from 'typescript-5.9';

const ENTRIES = ['index.d.ts', 'compat/index.d.ts', 'skills/index.d.ts', 'proof/index.d.ts', 'proof/suites/index.d.ts'];

/** Types of the package that signatures of its exports name, and that no entry exports. */
export function unexportedTypes(declarations: string): string[] {
  const files = ENTRIES.map((entry) => join(declarations, entry));
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
    for (const declaration of symbol.declarations ?? []) {
      for (const name of namesIn(declaration)) {
        const named = checker.getSymbolAtLocation(name);
        const target = named === undefined ? undefined : resolve(named);
        const file = target?.declarations?.[0]?.getSourceFile().fileName ?? '';
        if (target === undefined || target.flags & ts.SymbolFlags.TypeParameter || known.has(target) || !file.startsWith(declarations))
          continue;
        missing.add(`${target.name} in ${file.slice(declarations.length + 1)}, which ${symbol.name} names`);
      }
    }
  }
  return [...missing].sort();
}

function namesIn(declaration: ts.Node): ts.Node[] {
  const names: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isConditionalTypeNode(node) || ts.isMappedTypeNode(node) || ts.isIndexedAccessTypeNode(node)) return;
    if (ts.isTypeReferenceNode(node) && ['Pick', 'Omit'].includes(node.typeName.getText())) return;
    if (ts.isTypeReferenceNode(node)) names.push(node.typeName);
    if (ts.isExpressionWithTypeArguments(node)) names.push(node.expression);
    ts.forEachChild(node, visit);
  };
  if (!ts.isSourceFile(declaration)) visit(declaration);
  return names;
}
