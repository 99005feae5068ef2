// Reads the outline of a module without running it: the call that creates its workflow, and its name, title and description.
// A module defines exactly one workflow.

import type { AnyNode, CallExpression, NewExpression, ObjectExpression, Program } from 'acorn';
import { missingImports } from './imports.ts';
import { ModuleNames, nameOf, propertyOf } from './names.ts';
import { isParsed, type ParsedModule, parseModule, placeAt, type SourceProblem } from './syntax.ts';

/** A workflow as its file describes it, without running the file. */
export interface DiscoveredWorkflow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly form: 'graph' | 'flow';
  /** The names of its parameters. Absent for a module, where only running it shows them. */
  readonly params?: readonly string[];
  /** The ids of its steps. Absent for a module. */
  readonly steps?: readonly string[];
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * A module whose workflow was found.
 * @internal
 */
export interface Outline {
  readonly module: ParsedModule;
  readonly names: ModuleNames;
  readonly workflow: DiscoveredWorkflow;
  /** The call that creates the workflow. */
  readonly call: CallExpression | NewExpression;
  /** The object of a graph, or the options of a flow, if they are written in this file. */
  readonly spec: ObjectExpression | undefined;
}

const FORMS: ReadonlyMap<string, DiscoveredWorkflow['form']> = new Map([
  ['defineWorkflow', 'graph'],
  ['Workflow', 'graph'],
  ['workflow', 'flow'],
]);
const HOW = 'write export default defineWorkflow({ … }), or export const WORKFLOW = defineWorkflow({ … })';

/**
 * Finds the workflow of a module in its text, or returns why it cannot be found.
 * @internal
 */
export async function readOutline(file: string, text: string): Promise<Outline | readonly SourceProblem[]> {
  const module = await parseModule(file, text);
  if (!isParsed(module)) return [module];
  const outline = findWorkflow(module, new ModuleNames(module.tree));
  const missing = missingImports(module);
  return 'call' in outline && missing.length === 0 ? outline : [...missing, ...('call' in outline ? [] : [outline])];
}

/**
 * True for a module whose workflow was found.
 * @internal
 */
export function isOutline(read: Outline | readonly SourceProblem[]): read is Outline {
  return 'call' in read;
}

function findWorkflow(module: ParsedModule, names: ModuleNames): Outline | SourceProblem {
  const exported = exportsOf(module.tree);
  const [first, second] = exported;
  if (first === undefined) return noExport(module, names);
  const nodes = exported.map(({ node }) => (node === undefined ? undefined : names.follow(node)));
  if (second !== undefined && nodes.some((node) => node !== nodes[0]))
    return problem(module, second.at, {
      code: 'ENTRY_SEVERAL',
      message: 'a file must export one workflow, not one as default and another as WORKFLOW',
      hint: 'move one of them to another file',
    });
  const [node] = nodes;
  const form = node === undefined ? undefined : formOf(names, node);
  return form === undefined ? notFound(module, names, node ?? first.at) : described(module, names, { call: node as Outline['call'], form });
}

interface ExportedValue {
  /** The exported expression; absent when another module exports it. */
  readonly node: AnyNode | undefined;
  readonly at: AnyNode;
}

function exportsOf({ body }: Program): ExportedValue[] {
  return body.flatMap((statement): ExportedValue[] => {
    if (statement.type === 'ExportDefaultDeclaration') return [{ node: statement.declaration, at: statement }];
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const named = statement.specifiers
      .filter(({ exported }) => isEntryName(exported))
      .map((specifier) => ({ node: statement.source ? undefined : specifier.local, at: specifier }));
    const declared = statement.declaration?.type === 'VariableDeclaration' ? statement.declaration.declarations : [];
    return [...named, ...declared.filter(({ id }) => isEntryName(id)).map((at) => ({ node: at.init ?? at.id, at }))];
  });
}

function isEntryName(node: AnyNode): boolean {
  return ['default', 'WORKFLOW'].includes(nameOf(node) ?? '');
}

/** The form of the workflow that an expression creates; undefined if it creates none. */
function formOf(names: ModuleNames, node: AnyNode): DiscoveredWorkflow['form'] | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  return FORMS.get(names.imported(node.callee)?.name ?? '');
}

function described(
  module: ParsedModule,
  names: ModuleNames,
  { call, form }: Pick<Outline, 'call'> & Pick<DiscoveredWorkflow, 'form'>,
): Outline | SourceProblem {
  const [first, ...rest] = call.arguments;
  const isObject = names.imported(call.callee)?.name === 'defineWorkflow';
  const spec = isObject ? objectOf(names, first) : rest.map((argument) => objectOf(names, argument)).findLast(isOptions);
  const [nameKey, titleKey] = isObject && propertyOf(spec, 'type') !== undefined ? ['type', 'name'] : ['name', 'title'];
  const nameNode = isObject ? propertyOf(spec, nameKey)?.value : first;
  const name = names.text(nameNode);
  if (name === undefined) return noName(module, nameNode, { call, spec: isObject ? spec : undefined });
  const textOf = (key: string): string | undefined => names.text(propertyOf(spec, key)?.value);
  const place = placeAt(module.text, call.start);
  const workflow = { name, title: textOf(titleKey) ?? name, description: textOf('description') ?? '', form, file: module.file, ...place };
  return { module, names, call, spec, workflow };
}

function objectOf(names: ModuleNames, node: AnyNode | undefined): ObjectExpression | undefined {
  const at = node === undefined ? undefined : names.follow(node);
  return at?.type === 'ObjectExpression' ? at : undefined;
}

/** Whether an object has options and is no step: steps have an id. */
function isOptions(object: ObjectExpression | undefined): boolean {
  return object !== undefined && propertyOf(object, 'id') === undefined && propertyOf(object, 'name') === undefined;
}

function noName(module: ParsedModule, node: AnyNode | undefined, { call, spec }: Pick<Outline, 'call' | 'spec'>): SourceProblem {
  const isMissing = node === undefined && (spec?.properties.every(({ type }) => type === 'Property') ?? call.arguments.length === 0);
  return problem(module, node ?? call, {
    ...(isMissing
      ? { code: 'NAME_INVALID', message: 'the workflow has no name' }
      : {
          code: 'NAME_UNSEEN',
          message: 'the name of the workflow must be a string literal, so that it can be read without running the file',
        }),
    hint: "write name: 'review'",
  });
}

/** The problem of an export that is not a call that creates a workflow. */
function notFound(module: ParsedModule, names: ModuleNames, node: AnyNode): SourceProblem {
  const callee = node.type === 'CallExpression' || node.type === 'NewExpression' ? nameOf(node.callee) : undefined;
  if (callee !== undefined && FORMS.has(callee) && !names.constants.has(callee))
    return problem(module, node, {
      code: 'IMPORT_MISSING',
      message: `${callee} is not imported`,
      hint: `write import { ${callee} } from '${callee === 'Workflow' ? 'pawl/compat' : 'pawl'}'; at the top of the file`,
    });
  if (node.type === 'ObjectExpression')
    return problem(module, node, {
      code: 'ENTRY_INVALID',
      message: 'the export must be a workflow, not a plain object',
      hint: 'write defineWorkflow( … ) around the object',
    });
  return problem(module, node, {
    code: 'ENTRY_UNSEEN',
    message: 'the export must be a call of defineWorkflow, workflow or new Workflow, so that its name can be read without running the file',
    hint: `${HOW}; shared parts can come from a module in lib/`,
  });
}

/** The problem of a module without an entry. It names a workflow that is defined but not exported. */
function noExport(module: ParsedModule, names: ModuleNames): SourceProblem {
  for (const [name, node] of names.constants)
    if (formOf(names, node) !== undefined)
      return problem(module, node, {
        code: 'ENTRY_MISSING',
        message: `"${name}" is a workflow, but it is not exported as default or as WORKFLOW`,
        hint: `write export default ${name}; at the end of the file`,
      });
  return problem(module, module.tree, {
    code: 'ENTRY_MISSING',
    message: 'the file must export a workflow',
    hint: `${HOW}; a module that only helps others belongs in lib/`,
  });
}

function problem(module: ParsedModule, node: AnyNode, about: Omit<SourceProblem, 'line' | 'column'>): SourceProblem {
  return { ...about, ...placeAt(module.text, node.type === 'Program' ? 0 : node.start) };
}
