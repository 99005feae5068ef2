// Owns finding types that the published declarations name and nobody can import by their name. A type that only computes
// another one, by which the compiler checks what somebody writes, is exempt: no value has it as its type.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { root } from '../../scripts/bundle.js';

/** The declarations of every entry of the package. */
function entries(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, { types?: string }> };
  return Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [types.replace('./dist/', '')]));
}

/**
 * Types of the package by which the compiler checks a workflow as it is written, and a base whose fields `EngineOptions`
 * takes over. No value that a program keeps has one of them as its type.
 */
export const COMPUTING: ReadonlySet<string> = new Set([
  'CheckedStep',
  'ContextOf',
  'Get',
  'KindParts',
  'MemberOf',
  'Spec',
  'StepResultOf',
  'StepServices',
  'Targets',
]);

/** The types that signatures name and no entry exports, those of `exempt` among them. */
export interface Unexported {
  readonly missing: readonly string[];
  /** The names of `exempt` that are needed. */
  readonly exempt: readonly string[];
}

/** Types of the package that signatures of its exports name, or of the types that they name, and that no entry exports. */
export function unexportedTypes(declarations: string, exempt: ReadonlySet<string> = COMPUTING): Unexported {
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
  const known = new Set(exported.filter(({ flags }) => (flags & ts.SymbolFlags.Module) === 0));
  const missing = new Set<string>();
  const used = new Set<string>();
  // A type that is not exported joins the list, so that the types that it names are found in the same run.
  for (const symbol of known) {
    for (const declaration of [...(symbol.declarations ?? []), ...inherited(checker, symbol)]) {
      for (const { name, isComputing } of namesIn(declaration)) {
        const named = checker.getSymbolAtLocation(name);
        const target = named === undefined ? undefined : resolve(named);
        const file = target?.declarations?.[0]?.getSourceFile().fileName ?? '';
        if (target === undefined || target.flags & ts.SymbolFlags.TypeParameter || known.has(target) || !file.startsWith(declarations))
          continue;
        if ((isComputing || hasParameters(target)) && !isExported(target)) continue;
        if (exempt.has(target.name)) used.add(target.name);
        else {
          known.add(target);
          missing.add(`${target.name} in ${file.slice(declarations.length + 1)}, which ${symbol.name} names`);
        }
      }
    }
  }
  return { missing: [...missing].sort(), exempt: [...used].sort() };
}

/** The members of an interface, with those of its bases: the methods of `step(name)` are in a base that is computed. */
function inherited(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Declaration[] {
  if ((symbol.flags & ts.SymbolFlags.Interface) === 0) return [];
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  return members.flatMap(({ declarations = [] }) => declarations.filter(({ parent }) => !ts.isMappedTypeNode(parent)));
}

/** An alias with parameters, which the compiler writes out. */
function hasParameters({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((declaration) => ts.isTypeAliasDeclaration(declaration) && declaration.typeParameters !== undefined);
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
    if (ts.isImportTypeNode(node) && node.qualifier !== undefined) names.push({ name: node.qualifier, isComputing });
    if (ts.isExpressionWithTypeArguments(node)) names.push({ name: node.expression, isComputing });
    ts.forEachChild(node, (child) => visit(child, isComputing));
  };
  if (!ts.isSourceFile(declaration)) visit(declaration, false);
  return names;
}
