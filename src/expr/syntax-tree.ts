// Owns the shape of a parsed expression. Every node and segment has the offset for errors about it.

import type { Json } from '../base/json.ts';

/** An operator whose two sides are both evaluated. */
export type BinaryOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '+' | '-' | '*' | '/' | '%';

/** An operator whose right side is evaluated only if needed. */
export type LogicOperator = '&&' | '||' | '??';

/** One step of a path: a field, an item, every entry, or a field or item with a computed name. */
export type Segment =
  | { readonly kind: 'key'; readonly key: string | number; readonly offset: number }
  | { readonly kind: 'each'; readonly offset: number }
  | { readonly kind: 'dynamic'; readonly index: Node; readonly offset: number };

/** A node of a parsed expression. */
export type Node =
  | { readonly kind: 'literal'; readonly value: Json; readonly offset: number }
  | { readonly kind: 'list'; readonly items: readonly Node[]; readonly offset: number }
  | { readonly kind: 'path'; readonly name: string; readonly segments: readonly Segment[]; readonly offset: number }
  | { readonly kind: 'member'; readonly base: Node; readonly segments: readonly Segment[]; readonly offset: number }
  | { readonly kind: 'unary'; readonly operator: '-' | '!'; readonly operand: Node; readonly offset: number }
  | { readonly kind: 'choice'; readonly test: Node; readonly yes: Node; readonly no: Node; readonly offset: number }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node; readonly offset: number }
  | { readonly kind: 'logic'; readonly operator: LogicOperator; readonly left: Node; readonly right: Node; readonly offset: number }
  /** A value piped through a filter. */
  | { readonly kind: 'filter'; readonly name: string; readonly value: Node; readonly args: readonly Node[]; readonly offset: number };

/** The nodes of one kind. */
export type NodeOf<K extends Node['kind']> = Extract<Node, { readonly kind: K }>;
