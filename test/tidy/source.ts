// Owns what the tidy rules look at: a parsed source file, and a walk over its syntax tree. Rules are pure functions
// from a source to its violations, so that each can be shown a bad sample.

import { type Comment, parseSync } from 'oxc-parser';

/** One node of the syntax tree (ESTree with the TypeScript additions). */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A file as the rules see it; `path` is relative to the repository, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly body: readonly SyntaxNode[];
  readonly comments: readonly Comment[];
}

/** Parses a file, and refuses one with a syntax error rather than judging half of it. */
export function parseSource(path: string, text: string): Source {
  const parsed = parseSync(path, text);
  const first = parsed.errors[0];
  if (first !== undefined) throw new Error(`${path} cannot be parsed: ${first.message}`);
  return { path, text, body: parsed.program.body as unknown as SyntaxNode[], comments: parsed.comments };
}

/** The line of an offset, counting from 1. */
export function lineOf(source: Source, offset: number): number {
  return source.text.slice(0, offset).split('\n').length;
}

/** A violation as it is printed: where, then what. */
export function at(source: Source, offset: number, message: string): string {
  return `${source.path}:${lineOf(source, offset)} ${message}`;
}

/** True for a test file, to which the rules about shipped code do not apply. */
export function isTest(path: string): boolean {
  return path.startsWith('test/') || path.endsWith('.test.ts');
}

/** True for one node, as opposed to a list, a literal value or nothing. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** Every node of the file with its parent, outside in. */
export function* nodesOf(source: Source): Generator<{ node: SyntaxNode; parent: SyntaxNode | undefined }> {
  const open: { node: SyntaxNode; parent: SyntaxNode | undefined }[] = [...source.body]
    .reverse()
    .map((node) => ({ node, parent: undefined }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    const { node } = next;
    for (const child of childrenOf(node).reverse()) open.push({ node: child, parent: node });
  }
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (const field in node) {
    const value = node[field];
    if (Array.isArray(value)) for (const one of value) isNode(one) && children.push(one);
    else if (isNode(value)) children.push(value);
  }
  return children;
}
