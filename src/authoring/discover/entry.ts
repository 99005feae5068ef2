// Owns finding the workflow of a module in its syntax tree: the one call that makes it, whichever way it is written and
// exported. A module defines exactly one workflow, so that a file, a name and a definition are one thing.

import type { AnyNode, CallExpression, NewExpression } from 'acorn';
import { ModuleScope } from './scope.ts';
import { type ParsedModule, placeAt, type SourceProblem } from './syntax.ts';

/** How a workflow is written: one object, its steps one by one, or a generator function. */
export type Spelling = 'object' | 'steps' | 'flow';

/** The call that makes the workflow of a module. */
export interface Entry {
  readonly spelling: Spelling;
  readonly call: CallExpression | NewExpression;
  readonly scope: ModuleScope;
  /** The modules that the library was imported from. */
  readonly library: ReadonlySet<string>;
  /** The one that the call itself comes from. */
  readonly source: string;
}

const MAKERS: ReadonlyMap<string, Spelling> = new Map([
  ['defineWorkflow', 'object'],
  ['Workflow', 'steps'],
  ['workflow', 'flow'],
]);
const HOW = 'write export default defineWorkflow({ … }), or export const WORKFLOW = defineWorkflow({ … })';

/** The workflow of a module, or why there is none to be seen. */
export function findEntry(module: ParsedModule): Entry | SourceProblem {
  const scope = new ModuleScope(module.tree);
  const exported = exportsOf(module);
  const [entry] = exported;
  if (entry === undefined) return noEntry(module, scope);
  const nodes = exported.map(({ node }) => (node === undefined ? undefined : scope.follow(node)));
  if (nodes.length > 1 && nodes.some((node) => node !== nodes[0])) {
    const second = exported[1] as Exported;
    return problem(module, second.at, {
      code: 'ENTRY_SEVERAL',
      message: 'it exports two workflows, one as default and one as WORKFLOW',
      hint: 'a file defines one workflow: keep one of them here and move the other to a file of its own',
    });
  }
  const [node] = nodes;
  return node === undefined ? elsewhere(module, entry) : entryOf(module, scope, node);
}

interface Exported {
  /** The exported expression; absent when another module exports it. */
  readonly node: AnyNode | undefined;
  readonly at: AnyNode;
}

function exportsOf({ tree }: ParsedModule): Exported[] {
  return tree.body.flatMap((statement): Exported[] => {
    if (statement.type === 'ExportDefaultDeclaration') return [{ node: statement.declaration, at: statement }];
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const named = statement.specifiers
      .filter(({ exported }) => isEntryName(exported))
      .map((specifier) => ({ node: statement.source ? undefined : specifier.local, at: specifier }));
    const { declaration } = statement;
    if (declaration?.type !== 'VariableDeclaration') return named;
    const declared = declaration.declarations.filter(({ id }) => isEntryName(id));
    return [...named, ...declared.map((declarator) => ({ node: declarator.init ?? declarator.id, at: declarator }))];
  });
}

function isEntryName(node: AnyNode): boolean {
  const name = node.type === 'Identifier' ? node.name : node.type === 'Literal' ? node.value : undefined;
  return name === 'default' || name === 'WORKFLOW';
}

function entryOf(module: ParsedModule, scope: ModuleScope, node: AnyNode): Entry | SourceProblem {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return notMade(module, scope, node);
  const imported = scope.importedName(node.callee);
  const spelling = MAKERS.get(imported?.name ?? '');
  if (imported === undefined || spelling === undefined) return madeOtherwise(module, scope, node);
  if ((spelling === 'steps') !== (node.type === 'NewExpression'))
    return problem(module, node, {
      code: 'ENTRY_INVALID',
      message:
        spelling === 'steps' ? 'Workflow is a class and is called without new' : `${imported.name} is a function and is called with new`,
      hint: spelling === 'steps' ? "write new Workflow('name', …)" : 'leave out the word new',
    });
  const library = new Set(['pawl', 'pawl/compat', imported.source]);
  return { spelling, call: node, scope, library, source: imported.source };
}

/** A call of something that is not known to make workflows. */
function madeOtherwise(module: ParsedModule, scope: ModuleScope, { callee }: CallExpression | NewExpression): SourceProblem {
  const name = module.code.slice(callee.start, callee.end).replace(/\s+/g, ' ');
  const isOwn = scope.functions.has(name) || scope.constants.has(name) || scope.variables.has(name);
  if (MAKERS.has(name) && !isOwn)
    return problem(module, callee, {
      code: 'IMPORT_MISSING',
      message: `${name} is not imported`,
      hint: `write import { ${name} } from '${name === 'Workflow' ? 'pawl/compat' : 'pawl'}'; at the top of the file`,
    });
  return problem(module, callee, {
    code: 'ENTRY_UNSEEN',
    message: `the workflow is made by ${name}(…), and what that gives is known only by running it`,
    hint: 'export a call of defineWorkflow, workflow or new Workflow itself; shared parts can come from a module in lib/',
  });
}

function notMade(module: ParsedModule, scope: ModuleScope, node: AnyNode): SourceProblem {
  const imported = scope.importedName(node);
  if (imported !== undefined)
    return problem(module, node, {
      code: 'ENTRY_UNSEEN',
      message: `the exported workflow comes from ${imported.source}`,
      hint: 'define it in this file, or move that file to where workflows are looked for',
    });
  return problem(module, node, {
    code: 'ENTRY_INVALID',
    message: `it exports ${describe(node)} where a workflow should be`,
    hint: node.type === 'ObjectExpression' ? 'put defineWorkflow( … ) around the object' : HOW,
  });
}

function describe(node: AnyNode): string {
  switch (node.type) {
    case 'ObjectExpression':
      return 'a plain object';
    case 'ArrayExpression':
      return 'a list';
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return 'a function';
    case 'ClassDeclaration':
    case 'ClassExpression':
      return 'a class';
    case 'Identifier':
      return `"${node.name}", which is no constant of this file,`;
    default:
      return 'something else';
  }
}

function elsewhere(module: ParsedModule, { at }: Exported): SourceProblem {
  return problem(module, at, {
    code: 'ENTRY_UNSEEN',
    message: 'the exported workflow comes from another module',
    hint: 'define it in this file, or move that file to where workflows are looked for',
  });
}

/** A module without an entry; a workflow that is only not exported as one is named. */
function noEntry(module: ParsedModule, scope: ModuleScope): SourceProblem {
  for (const [name, node] of scope.constants) {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') continue;
    if (!MAKERS.has(scope.importedName(node.callee)?.name ?? '')) continue;
    return problem(module, node, {
      code: 'ENTRY_MISSING',
      message: `"${name}" is a workflow, but it is not exported as default or as WORKFLOW`,
      hint: `write export default ${name}; at the end of the file`,
    });
  }
  return problem(module, module.tree, {
    code: 'ENTRY_MISSING',
    message: 'it exports no workflow',
    hint: `${HOW}; a module that only helps others belongs in lib/`,
  });
}

/** A problem at a node. */
export function problem(module: ParsedModule, node: AnyNode, told: Omit<SourceProblem, 'line' | 'column'>): SourceProblem {
  return { ...told, ...placeAt(module.text, node.type === 'Program' ? 0 : node.start) };
}
