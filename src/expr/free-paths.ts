// Finds the names that an expression can read, without evaluating it. A path ends at a computed index, and paths in
// both branches of a conditional count.

import type { SourcePosition } from '../base/error.ts';
import { unreachable } from '../base/invariant.ts';
import { positionAt, type Source } from './source.ts';
import type { Node, Segment } from './syntax-tree.ts';

/** A path from a scope root, as far as the source fixes it; `*` stands for every entry. */
export interface FreePath {
  readonly segments: readonly (string | number | '*')[];
  readonly position: SourcePosition;
}

/** Returns every path that an evaluation of the tree may read, in source order. */
export function freePaths(tree: Node, source: Source): FreePath[] {
  const paths: FreePath[] = [];
  for (const node of nodesOf(tree)) {
    if (node.kind === 'path')
      paths.push({ segments: [node.name, ...fixedSegments(node.segments)], position: positionAt(source, node.offset) });
  }
  return paths;
}

function fixedSegments(segments: readonly Segment[]): (string | number)[] {
  const fixed: (string | number)[] = [];
  for (const segment of segments) {
    // A field that is really named `*` would look like every entry, so the path ends before it.
    if (segment.kind === 'dynamic' || (segment.kind === 'key' && segment.key === '*')) break;
    fixed.push(segment.kind === 'each' ? '*' : segment.key);
  }
  return fixed;
}

/** All nodes, parents first, with a list instead of the call stack: chains of operators make deep trees. */
function* nodesOf(tree: Node): Generator<Node> {
  const waiting: Node[] = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    waiting.push(...childrenOf(node).reverse());
  }
}

function childrenOf(node: Node): Node[] {
  switch (node.kind) {
    case 'literal':
      return [];
    case 'list':
      return [...node.items];
    case 'path':
      return indexesOf(node.segments);
    case 'member':
      return [node.base, ...indexesOf(node.segments)];
    case 'unary':
      return [node.operand];
    case 'binary':
    case 'logic':
      return [node.left, node.right];
    case 'choice':
      return [node.test, node.yes, node.no];
    case 'filter':
      return [node.value, ...node.args];
    default:
      return unreachable(node);
  }
}

function indexesOf(segments: readonly Segment[]): Node[] {
  return segments.flatMap((segment) => (segment.kind === 'dynamic' ? [segment.index] : []));
}
