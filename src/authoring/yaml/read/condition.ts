// Owns conditions that can only be a number, a text or a list: they would end a run with an error, so they are reported
// when the file is read.

import type { Node } from '../../../expr/syntax-tree.ts';

/** The result types of filters that never return true or false; the others depend on the value. */
const GIVEN: ReadonlyMap<string, string> = new Map([
  ...['length', 'number', 'round', 'floor', 'ceil', 'abs', 'sum'].map((name) => [name, 'a number'] as const),
  ...['json', 'string', 'lower', 'upper', 'trim', 'replace', 'join'].map((name) => [name, 'a string'] as const),
  ...['keys', 'values', 'split', 'map', 'unique', 'sort', 'reverse'].map((name) => [name, 'a list'] as const),
]);
const ARITHMETIC: readonly string[] = ['+', '-', '*', '/', '%'];

/** The type that a condition always has instead of a boolean, and where; undefined if it can be a boolean. */
export function neverTruth(node: Node): { readonly what: string; readonly offset: number } | undefined {
  const { offset } = node;
  const always = (what: string | undefined) => (what === undefined ? undefined : { what, offset });
  switch (node.kind) {
    case 'literal':
      return always(literalOf(node.value));
    case 'list':
      return always('a list');
    case 'filter':
      return always(GIVEN.get(node.name));
    case 'unary':
      return node.operator === '-' ? always('a number') : undefined;
    case 'binary':
      return ARITHMETIC.includes(node.operator) ? always('a number or a text') : undefined;
    case 'choice':
      return neverTruth(node.yes) ?? neverTruth(node.no);
    case 'logic':
      return node.operator === '??' ? neverTruth(node.right) : (neverTruth(node.left) ?? neverTruth(node.right));
    default:
      return undefined;
  }
}

function literalOf(value: unknown): string | undefined {
  if (typeof value === 'boolean') return undefined;
  if (value === null) return 'null';
  return typeof value === 'number' ? 'a number' : typeof value === 'string' ? 'a string' : 'a list';
}
