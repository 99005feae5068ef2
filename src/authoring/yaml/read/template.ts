// Reads the templates and conditions of a workflow file: each is parsed once, so that errors have a position, and none is
// allowed where text from outside could do harm.
//
// - A template is read only where the schema allows it. Anywhere else two opening braces are rejected, never kept as text.
// - No template reaches a command line, an argument or a folder: values go to programs by `env`.
// - Secrets go into headers and bodies of requests, and only where the host is fixed in the file or listed for the
//   secret.

import { EngineError } from '../../../base/error.ts';
import type { Json } from '../../../base/json.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { type Expression, parseExpression } from '../../../expr/expression.ts';
import type { FreePath } from '../../../expr/free-paths.ts';
import { positionAt } from '../../../expr/source.ts';
import type { Node } from '../../../expr/syntax-tree.ts';
import { parseTemplate } from '../../../expr/template.ts';
import type { Positions, YamlPath } from '../position/position.ts';
import { listed, PROBLEMS_MAX, problemAt, quoted, type YamlProblem } from '../problem/problem.ts';
import type { PlacedText } from '../schema/walk.ts';

/** An expression of the file, with the paths that it reads and their positions. */
export interface YamlExpression {
  readonly path: YamlPath;
  readonly kind: 'template' | 'condition';
  readonly text: string;
  readonly paths: readonly FreePath[];
}

/** Facts from outside of the file. */
export interface TemplateOptions {
  /** For each secret, the hosts that its owner lists; a secret with a list may be sent to a host from a template. */
  readonly secretHosts?: Readonly<Record<string, readonly string[]>>;
}

/** The expressions in the texts of a file, and their faults. */
export interface TemplateReading {
  readonly expressions: readonly YamlExpression[];
  readonly problems: readonly YamlProblem[];
}

/** Reads the templates and conditions of a document. */
export function readTemplates(
  texts: Iterable<PlacedText>,
  file: { readonly document: Json; readonly positions: Positions; readonly options: TemplateOptions },
): TemplateReading {
  const reader = new TemplateReader(file);
  for (const text of texts) if (reader.problems.length < PROBLEMS_MAX) reader.read(text);
  return reader;
}

class TemplateReader implements TemplateReading {
  readonly expressions: YamlExpression[] = [];
  readonly problems: YamlProblem[] = [];
  private readonly file: { readonly document: Json; readonly positions: Positions; readonly options: TemplateOptions };

  constructor(file: TemplateReader['file']) {
    this.file = file;
  }

  read(placed: PlacedText): void {
    const { role = 'literal' } = placed.note;
    if (role === 'prose') return;
    if (role === 'condition') return this.expression(placed, 'condition');
    if (!placed.text.includes('{{')) return;
    if (role === 'template' || role === 'tree') return this.expression(placed, 'template');
    const at = this.within(placed.path, placed.text, placed.text.indexOf('{{'));
    this.problems.push(problemAt(at, role === 'command' ? commandFault(placed) : MISPLACED));
  }

  private expression({ path, text, note }: PlacedText, kind: 'template' | 'condition'): void {
    try {
      const read = kind === 'template' ? parseTemplate(text) : parseExpression(text);
      const paths = read.paths.map(({ segments, position }) => ({ segments, position: this.file.positions.within(path, position) }));
      this.expressions.push({ path, kind, text, paths });
      if (note.roots !== undefined) this.checkRoots(paths, note.roots);
      if ('stretch' in read) this.checkTruth(read, path);
      for (const secret of paths.filter(({ segments }) => segments[0] === 'secrets'))
        this.checkSecret(secret, path, note.takesSecrets === true);
    } catch (thrown) {
      if (!(thrown instanceof EngineError)) throw thrown;
      const code = thrown.code === 'EXPRESSION_LIMIT' ? 'EXPRESSION_LIMIT' : 'EXPRESSION_SYNTAX';
      const at = this.file.positions.within(path, thrown.position ?? { line: 1, column: 1 });
      const hint = kind === 'condition' ? CONDITION_HINT : TEMPLATE_HINT;
      this.problems.push(problemAt(at, { code, message: thrown.message, hint }));
    }
  }

  private checkTruth({ tree, stretch }: Expression, path: YamlPath): void {
    const constant = nonBoolean(tree);
    if (constant === undefined) return;
    const message = `a condition must be true or false, not ${constant.type}`;
    const at = this.file.positions.within(path, positionAt(stretch, constant.offset));
    this.problems.push(problemAt(at, { code: 'FIELD_INVALID', message, hint: "compare it with something, as in x > 0 or x == 'yes'" }));
  }

  private checkRoots(paths: readonly FreePath[], roots: readonly string[]): void {
    for (const { segments, position } of paths) {
      const root = String(segments[0]);
      if (roots.includes(root)) continue;
      const message = `unknown name ${quoted(root)}${didYouMean(root, roots)}`;
      this.problems.push(problemAt(position, { code: 'NAME_UNKNOWN', message, hint: `this expression can read ${listed(roots)}` }));
    }
  }

  private checkSecret({ segments, position }: FreePath, path: YamlPath, isTaken: boolean): void {
    const name = segments[1];
    if (!isTaken) {
      const message = 'secrets cannot be used here: they would reach records, prompts or programs';
      const hint = 'use secrets in the headers and the body of a webhook only';
      this.problems.push(problemAt(position, { code: 'SECRET_MISPLACED', message, hint }));
    } else if (typeof name !== 'string') {
      const message = 'the secret must be named here: a computed name is known only during the run';
      this.problems.push(problemAt(position, { code: 'SECRET_MISPLACED', message, hint: 'name it, as in secrets.API_TOKEN' }));
    } else if (!this.hasKnownHost(path) && (ownList(this.file.options.secretHosts, name)?.length ?? 0) === 0) {
      const message = `a template decides which host gets the secret ${quoted(name)}`;
      const hint = 'write the host in the url, or list the hosts that may get this secret beside it in the configuration';
      this.problems.push(problemAt(position, { code: 'SECRET_HOST', message, hint }));
    }
  }

  /** Whether the host of the request around a header or a body is fixed in the file. */
  private hasKnownHost(path: YamlPath): boolean {
    const end = path.findIndex((part) => part === 'headers' || part === 'body');
    let request: unknown = this.file.document;
    for (const part of path.slice(0, end)) request = (request as Record<string | number, unknown> | undefined)?.[part];
    const url = (request as { url?: unknown } | undefined)?.url;
    return typeof url === 'string' && FIXED_HOST.test(url);
  }

  private within(path: YamlPath, text: string, offset: number): { line: number; column: number } {
    const before = text.slice(0, offset).split('\n');
    return this.file.positions.within(path, { line: before.length, column: (before.at(-1) ?? '').length + 1 });
  }
}

/** A URL without a template before the end of its host, not even after an `@`. */
const FIXED_HOST = /^https?:\/\/[^/?#\\{}@\s]+(?:[/?#]|$)/;
const CONDITION_HINT = "write an expression such as result.verdict == 'approved', with one pair of braces around the whole or none";
const TEMPLATE_HINT = 'write {{ expression }}, as in {{ context.pr_number }}';

const MISPLACED = {
  code: 'TEMPLATE_MISPLACED',
  message: 'templates are not allowed here: this value must be known before a run starts',
  hint: 'write the value itself',
} as const;

function ownList(lists: Readonly<Record<string, readonly string[]>> | undefined, name: string): readonly string[] | undefined {
  return lists !== undefined && Object.hasOwn(lists, name) ? lists[name] : undefined;
}

/** The fault of a template in a command; it says how to pass the value to the program instead. */
function commandFault({ path, text }: PlacedText): { code: 'TEMPLATE_IN_COMMAND'; message: string; hint: string } {
  const placeholder = /\{\{\s*(.*?)\s*\}\}/s.exec(text)?.[1] ?? 'context.value';
  const word = /([A-Za-z_]\w*)[^\w]*$/.exec(placeholder.split('|')[0] ?? '')?.[1] ?? 'VALUE';
  const variable = word.toUpperCase();
  const env = `env: { ${variable}: "{{ ${placeholder.replaceAll('"', "'")} }}" }`;
  if (path.includes('run'))
    return {
      code: 'TEMPLATE_IN_COMMAND',
      message: 'a template cannot be part of a shell line: the value could end the command and begin another',
      hint: `pass it as a variable: ${env}, and write "$${variable}" in run`,
    };
  return {
    code: 'TEMPLATE_IN_COMMAND',
    message: `a template cannot be part of ${quoted(String(path.findLast((part) => typeof part === 'string')))}: values reach programs as variables only`,
    hint: `pass it as a variable: ${env}, and let the program read ${variable}`,
  };
}

/** The result types of filters that never return true or false; the others depend on the value. */
const GIVEN: ReadonlyMap<string, string> = new Map([
  ...['length', 'number', 'round', 'floor', 'ceil', 'abs', 'sum'].map((name) => [name, 'a number'] as const),
  ...['json', 'string', 'lower', 'upper', 'trim', 'replace', 'join'].map((name) => [name, 'a string'] as const),
  ...['keys', 'values', 'split', 'map', 'unique', 'sort', 'reverse'].map((name) => [name, 'a list'] as const),
]);
const ARITHMETIC: readonly string[] = ['+', '-', '*', '/', '%'];

/**
 * The type that a condition always has instead of a boolean, and where; undefined if it can be a boolean. Such a condition would
 * end a run with an error, so it is reported when the file is read.
 */
function nonBoolean(node: Node): { readonly type: string; readonly offset: number } | undefined {
  const { offset } = node;
  const always = (type: string | undefined) => (type === undefined ? undefined : { type, offset });
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
      return ARITHMETIC.includes(node.operator) ? always('a number or a string') : undefined;
    case 'choice':
      return nonBoolean(node.yes) ?? nonBoolean(node.no);
    case 'logic':
      return node.operator === '??' ? nonBoolean(node.right) : (nonBoolean(node.left) ?? nonBoolean(node.right));
    default:
      return undefined;
  }
}

function literalOf(value: unknown): string | undefined {
  if (typeof value === 'boolean') return undefined;
  if (value === null) return 'null';
  return typeof value === 'number' ? 'a number' : typeof value === 'string' ? 'a string' : 'a list';
}
