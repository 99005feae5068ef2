// Owns the values of templates: what an edge adds to the run's data, and the initial data; and which part of a step may
// have them.

import { isJsonObject, type Json } from '../../base/json.ts';
import { parseTemplateTree, renderTemplateTree, type TemplateTree } from '../../expr/template-tree.ts';
import type { StepWork } from '../model.ts';
import { needsOfPaths, type ScopeInput, type ScopeNeed, scopeOf } from './scope.ts';

const trees = new WeakMap<object, TemplateTree>();

/** Returns the templates in a value of a definition. Each object is parsed once, because definitions are frozen. */
function treeOf(value: Json): TemplateTree {
  if (typeof value !== 'object' || value === null) return parseTemplateTree(value);
  let tree = trees.get(value);
  if (tree === undefined) {
    tree = parseTemplateTree(value);
    trees.set(value, tree);
  }
  return tree;
}

/** Returns every path that the templates in a value read. */
export function pathsInTemplates(value: Json): TemplateTree['paths'] {
  return treeOf(value).paths;
}

/** Returns what must be loaded before the templates in a value can be rendered. */
export function needsOfTemplates(value: Json, names?: ScopeInput['names']): ScopeNeed[] {
  return needsOfPaths(treeOf(value).paths, names);
}

/** Returns the value with its templates rendered. */
export function rendered(value: Json, input: ScopeInput): Json {
  const tree = treeOf(value);
  return renderTemplateTree(tree, scopeOf(tree, input));
}

/** Returns the part of a step's work that can contain templates: the configuration but for commands, or the input of a child. */
export function templatedPart(step: StepWork): Json {
  if (step.kind === 'workflow') return step.input;
  return 'config' in step ? withoutCommands(step.config as Json) : null;
}

/** A configuration without its commands: no value becomes part of one, and other programs have templates of their own. */
function withoutCommands(config: Json): Json {
  if (!isJsonObject(config)) return config;
  const { run: _, argv: __, checks, ...rest } = config;
  return Array.isArray(checks) ? { ...rest, checks: checks.map(withoutCommands) } : rest;
}
