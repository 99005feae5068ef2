// Owns JSON whose strings may be templates: parsed and rendered as a whole. Keys are never templates, and values
// without placeholders are kept unchanged.
//
// - Depth, values, text and placeholders are counted before each descent, so that no tree can exhaust the stack.
// - All templates of a tree share the limits of one rendering.

import { EngineError } from '../base/error.ts';
import { unreachable } from '../base/invariant.ts';
import { isList, type Json } from '../base/json.ts';

import type { FreePath } from './free-paths.ts';
import { startOf } from './source.ts';
import { parseTemplate, Rendering, renderWithin, type Template } from './template.ts';
import type { Origin } from './template-placeholder.ts';
import { PLACEHOLDERS_MAX } from './template-placeholder.ts';

const DEPTH_MAX = 64;
const VALUES_MAX = 10_000;
const TEXT_MAX = 1_000_000;

/** A parsed tree: plain data that can be stored and rendered any number of times. */
export interface TemplateTree {
  readonly hasPlaceholders: boolean;
  /** Every path that its templates may read, in the order of the tree. */
  readonly paths: readonly FreePath[];
  readonly root: TreeNode;
}

type TreeNode =
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'list'; readonly items: readonly TreeNode[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [key: string, node: TreeNode])[] };

/** The keys and indexes that lead to a value of a tree. */
type TreePath = readonly (string | number)[];

/** Parses a tree. `originOf` returns the position of the value at a path, for a text that of its first character. */
export function parseTemplateTree(json: Json, originOf: (path: TreePath) => Origin = () => ({})): TemplateTree {
  const reader = new TreeReader(originOf);
  const root = reader.read(json, []);
  return { hasPlaceholders: root.kind !== 'constant', paths: reader.paths, root };
}

/** Renders every template of the tree. The members of `scope` are its names. */
export function renderTemplateTree(tree: TemplateTree, scope: Json): Json {
  return renderNode(tree.root, scope, new Rendering(true));
}

class TreeReader {
  readonly paths: FreePath[] = [];
  private readonly originOf: (path: TreePath) => Origin;
  private values = 0;
  private characters = 0;
  private placeholders = 0;

  constructor(originOf: (path: TreePath) => Origin) {
    this.originOf = originOf;
  }

  read(value: Json, path: TreePath): TreeNode {
    if (path.length > DEPTH_MAX) this.refuse(path, `it is nested deeper than ${DEPTH_MAX}`);
    if (typeof value === 'string') return this.text(value, path);
    if (value === null || typeof value !== 'object') return { kind: 'constant', value };
    this.values += isList(value) ? value.length : Object.keys(value).length;
    if (this.values > VALUES_MAX) this.refuse(path, `it has more than ${VALUES_MAX} values`);
    const entries = isList(value) ? [...value.entries()] : Object.entries(value);
    const members = entries.map(([key, member]) => [String(key), this.read(member, [...path, key])] as const);
    if (members.every(([, node]) => node.kind === 'constant')) return { kind: 'constant', value };
    return isList(value) ? { kind: 'list', items: members.map(([, node]) => node) } : { kind: 'object', members };
  }

  private text(value: string, path: TreePath): TreeNode {
    this.characters += value.length;
    if (this.characters > TEXT_MAX) this.refuse(path, `its texts have more than ${TEXT_MAX} characters`);
    const template = parseTemplate(value, this.originOf(path));
    if (!template.hasPlaceholders) return { kind: 'constant', value };
    this.placeholders += template.parts.filter((part) => typeof part !== 'string').length;
    if (this.placeholders > PLACEHOLDERS_MAX) this.refuse(path, `it has more than ${PLACEHOLDERS_MAX} placeholders`);
    for (const read of template.paths) this.paths.push(read);
    return { kind: 'template', template };
  }

  private refuse(path: TreePath, why: string): never {
    const position = startOf(this.originOf(path));
    const message = `the data with templates is too large: ${why}; split it up, or keep a part in a file`;
    throw new EngineError('EXPRESSION_LIMIT', message, { position });
  }
}

function renderNode(node: TreeNode, scope: Json, rendering: Rendering): Json {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'template':
      return renderWithin(node.template, scope, rendering);
    case 'list':
      return node.items.map((item) => renderNode(item, scope, rendering));
    case 'object':
      // Not by assignment: a key `__proto__` is data like any other.
      return Object.fromEntries(node.members.map(([key, member]) => [key, renderNode(member, scope, rendering)]));
    default:
      return unreachable(node);
  }
}
