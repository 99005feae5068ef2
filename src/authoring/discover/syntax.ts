// Parses a definition file into a syntax tree. Nothing of the file is run: types are blanked out, which keeps every position,
// and the rest is parsed. Each parser is loaded lazily: the one for types takes 40 ms.

import type { AnyNode, Program, Token } from 'acorn';
import { type ErrorCode, messageOf } from '../../base/error.ts';
import type { FindingCode } from '../../definition/validation/finding.ts';

/** A place in a file; lines and columns count from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** A problem of a file, with its position. */
export interface SourceProblem extends FilePosition {
  readonly code: FindingCode | ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/**
 * A file as its syntax tree. `code` is its text without types; every position is that of the text.
 * @internal
 */
export interface ParsedModule {
  readonly file: string;
  readonly text: string;
  readonly code: string;
  readonly tree: Program;
}

const HAS_TYPES = /\.[mc]?ts$/;
const HINT_SYNTAX = 'fix the syntax; nothing else in this file was checked';

/**
 * The syntax tree of a file, or why it cannot be parsed.
 * @internal
 */
export async function parseModule(file: string, text: string): Promise<ParsedModule | SourceProblem> {
  const { parse, tokenizer } = await import('acorn');
  let code = text;
  try {
    if (HAS_TYPES.test(file)) code = (await typeStripper())(text);
    return { file, text, code, tree: parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }) };
  } catch (error) {
    const stripTypes = await typeStripper();
    const tokens = tokenizer(text, { ecmaVersion: 'latest', allowHashBang: true });
    const typeError = attempt(() => stripTypes(text));
    const open = unclosed(tokens, text, typeError);
    if (open !== undefined) return open;
    if (typeError !== undefined && code === text) return typeScriptProblem(typeError, text);
    const isTyped = typeError === undefined && !HAS_TYPES.test(file);
    return { ...parserProblem(error, text), ...(isTyped ? { hint: 'this is TypeScript: rename the file to .ts or .mts' } : {}) };
  }
}

let stripper: Promise<(text: string) => string> | undefined;

/** Node's function that blanks types. Its first call warns that it is experimental, which is of no use to users. */
function typeStripper(): Promise<(text: string) => string> {
  stripper ??= import('node:module').then(({ stripTypeScriptTypes }) => {
    const { emitWarning } = process;
    try {
      process.emitWarning = () => undefined;
      stripTypeScriptTypes('');
    } finally {
      process.emitWarning = emitWarning;
    }
    return (text) => stripTypeScriptTypes(text);
  });
  return stripper;
}

/**
 * True for a file that was read.
 * @internal
 */
export function isParsed(read: ParsedModule | SourceProblem): read is ParsedModule {
  return 'tree' in read;
}

/** The parser notices a missing quote or bracket far behind it, so the position where it was opened is reported. */
function unclosed(tokens: Iterable<Token>, text: string, typeError: Error | undefined): SourceProblem | undefined {
  const opened: Token[] = [];
  try {
    for (const token of tokens) {
      const { label } = token.type;
      if (['{', '(', '[', '${'].includes(label)) opened.push(token);
      else if (['}', ')', ']'].includes(label)) opened.pop();
    }
  } catch (error) {
    return messageOf(error).startsWith('Unterminated') ? parserProblem(error, text) : undefined;
  }
  const last = opened.at(-1);
  if (last === undefined || typeError?.message.includes('<eof>') !== true) return undefined;
  const message = `the file ends before this "${text.slice(last.start, last.end)}" is closed`;
  return { code: 'SYNTAX', message, hint: HINT_SYNTAX, ...placeAt(text, last.start) };
}

function attempt(read: () => unknown): Error | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Node gives the position of an error only in the excerpt above the stack: the line, its text, and marks below it. */
function typeScriptProblem(error: Error, text: string): SourceProblem {
  const [, line = '1', picture = ''] = /^[^\n]*:(\d+)\n([\s\S]*?)\n\n/.exec(error.stack ?? '') ?? [];
  const marks = picture.split('\n').find((row) => /^\s*\^+\s*$/.test(row)) ?? '^';
  const row = text.split('\n')[Number(line) - 1] ?? '';
  const place = { line: Number(line), column: columnOf(row, marks.indexOf('^')) };
  if ((error as { code?: unknown }).code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return {
      code: 'SYNTAX_UNSUPPORTED',
      message: error.message.replace(/ is not supported in strip-only mode.*$/s, ' is not supported by Node'),
      hint: 'write it as plain JavaScript: Node only removes types, and this is more than a type',
      ...place,
    };
  return { code: 'SYNTAX', message: error.message.replace(/'ident'/, 'a name'), hint: HINT_SYNTAX, ...place };
}

/** The excerpt shows a tab as four spaces. */
function columnOf(row: string, shown: number): number {
  let column = 0;
  for (let width = 0; column < row.length && width < shown; column += 1) width += row[column] === '\t' ? 4 : 1;
  return column + 1;
}

function parserProblem(error: unknown, text: string): SourceProblem {
  const { pos } = error as { readonly pos?: number };
  return { code: 'SYNTAX', message: messageOf(error).replace(/ \(\d+:\d+\)$/, ''), hint: HINT_SYNTAX, ...placeAt(text, pos ?? 0) };
}

/** The line and column of an offset in a text. */
export function placeAt(text: string, offset: number): FilePosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/**
 * The nodes directly inside a node.
 * @internal
 */
export function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));
}

/**
 * A node and all nodes inside it, in the order of the text, except inside nodes for which `enter` returns false.
 * @internal
 */
export function* nodesIn(node: AnyNode, enter: (node: AnyNode) => boolean = () => true): Generator<AnyNode> {
  yield node;
  for (const child of childrenOf(node)) if (enter(child)) yield* nodesIn(child, enter);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string' && 'start' in value;
}
