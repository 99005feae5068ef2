// Parses YAML 1.2 core into JSON values with their positions. The `yaml` package does the parsing; this file adds
// limits and rejects what a workflow file must not use.
//
// - Size, depth, tokens and aliases are counted while the text is tokenized, before anything recurses: a file that is
//   made to exhaust memory or the stack is rejected, and the message names the limit.
// - No tags, merge keys, directives or second document change how the rest is read. The result has only strings,
//   numbers, booleans, null, lists and maps.
// - Keys are compared and stored as strings; `__proto__` and other names with a meaning in JavaScript are rejected.

import {
  Composer,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Json } from '../../../base/json.ts';
import { type PlaceAt, placesIn } from '../position/line.ts';
import { bestFirst, type Fault, problemAt, quoted, type YamlProblem } from '../problem/problem.ts';
import { isUnclosed, syntaxFault } from './syntax.ts';

/** In UTF-8. */
const FILE_BYTES_MAX = 1_000_000;
const TOKENS_MAX = 100_000;
const DEPTH_MAX = 64;
const ALIASES_MAX = 100;
const VALUES_MAX = 20_000;
/** More would only be consequences of the first. */
const SYNTAX_SHOWN = 5;

/** A value of the file, with its position and the position of its key as offsets into the text. */
export interface LocatedValue {
  readonly value: Json;
  readonly start: number;
  readonly keyStart?: number;
  /** For a string: how it is quoted, and the offset where it ends. */
  readonly scalar?: { readonly style: string; readonly end: number };
  readonly members?: ReadonlyMap<string, LocatedValue>;
  readonly items?: readonly LocatedValue[];
}

/** The data of a file, or what is wrong with it as YAML. */
export interface YamlSource {
  readonly root: LocatedValue | undefined;
  readonly problems: readonly YamlProblem[];
  readonly placeAt: PlaceAt;
}

/** Parses the text of a file as YAML. */
export function readSource(text: string): YamlSource {
  const placeAt = placesIn(text.length > FILE_BYTES_MAX ? '' : text);
  try {
    rejectLargeText(text);
    return new SourceReader(text, placeAt).read();
  } catch (thrown) {
    if (!(thrown instanceof Rejection)) throw thrown;
    return { root: undefined, problems: [problemAt(placeAt(thrown.offset), thrown.fault)], placeAt };
  }
}

/** Stops the parsing: continuing would be unsafe or take too long. */
class Rejection extends Error {
  readonly offset: number;
  readonly fault: Fault;

  constructor(offset: number, fault: Fault) {
    super(fault.message);
    this.offset = offset;
    this.fault = fault;
  }
}

const UNPRINTABLE = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function rejectLargeText(text: string): void {
  // Each character takes at most three bytes, so most files need no counting.
  const bytes = text.length * 3 <= FILE_BYTES_MAX ? 0 : text.length > FILE_BYTES_MAX ? text.length : Buffer.byteLength(text);
  if (bytes > FILE_BYTES_MAX)
    throw new Rejection(0, {
      code: 'YAML_TOO_LARGE',
      message: `the file is larger than ${FILE_BYTES_MAX} bytes (1 MB), which is the limit for a workflow`,
      hint: 'move long text to other files, and split the workflow with `type: workflow` stages',
    });
}

class SourceReader {
  private readonly text: string;
  private readonly placeAt: PlaceAt;
  private readonly problems: YamlProblem[] = [];
  // The package resolves an alias by visiting the whole document, which a file with nested aliases could make very slow.
  private readonly anchors = new Map<string, Node>();
  private readonly open = new Set<Node>();
  private values = 0;

  constructor(text: string, placeAt: PlaceAt) {
    this.text = text;
    this.placeAt = placeAt;
  }

  read(): YamlSource {
    const parser = new Parser();
    const syntax = [...this.syntaxOf(parser)];
    this.rejectUnprintable();
    const options = {
      version: '1.2',
      schema: 'core',
      strict: true,
      uniqueKeys: false,
      resolveKnownTags: false,
      prettyErrors: false,
    } as const;
    const documents = [...new Composer({ ...options, logLevel: 'silent' }).compose(syntax, true, this.text.length)];
    for (const document of documents)
      for (const { pos, code, message } of document.errors.slice(0, SYNTAX_SHOWN)) {
        const offset = isUnclosed(message) ? openingOf(document, pos[0]) : pos[0];
        this.syntaxFault(offset, { code, message });
      }
    if (this.problems.length > 0) return this.ended(undefined);
    const [first, second] = documents;
    if (second !== undefined) this.fault(this.text.indexOf('---', first?.range[1] ?? 0), SEVERAL);
    if (first?.directives.yaml.explicit === true && first.directives.yaml.version !== '1.2') this.fault(0, OLD_VERSION);
    const contents: Node | null | undefined = first?.contents;
    const isBlank =
      contents === null || contents === undefined || (isScalar(contents) && contents.value === null && contents.source === '');
    if (isBlank) this.fault(0, EMPTY);
    return this.ended(isBlank ? undefined : this.locate(contents, undefined));
  }

  private ended(root: LocatedValue | undefined): YamlSource {
    return { root: this.problems.length > 0 ? undefined : root, problems: bestFirst(this.problems), placeAt: this.placeAt };
  }

  private fault(offset: number, fault: Fault): void {
    this.problems.push(problemAt(this.placeAt(Math.max(0, offset)), fault));
  }

  /** Reports the first error of a line only: further errors on it are consequences. */
  private syntaxFault(offset: number, message: { readonly code: string; readonly message: string }): void {
    const { line } = this.placeAt(offset);
    if (!this.problems.some((problem) => problem.line === line)) this.fault(offset, syntaxFault(this.text, { offset, ...message }));
  }

  /** The syntax tree of the file; stops where the file exceeds a limit. */
  private *syntaxOf(parser: Parser) {
    let tokens = 0;
    let aliases = 0;
    for (const token of new Lexer().lex(this.text)) {
      const at = parser.offset;
      tokens += 1;
      if (tokens > TOKENS_MAX) throw new Rejection(at, TOO_MANY_TOKENS);
      if (token.startsWith('*') || token.startsWith('&')) aliases += 1;
      if (aliases > ALIASES_MAX) throw new Rejection(at, TOO_MANY_ALIASES);
      yield* parser.next(token);
      if (parser.stack.length > DEPTH_MAX && depthOf(parser) > DEPTH_MAX) throw new Rejection(at, TOO_DEEP);
    }
    yield* parser.end();
  }

  private rejectUnprintable(): void {
    const match = UNPRINTABLE.exec(this.text.startsWith('\ufeff') ? ` ${this.text.slice(1)}` : this.text);
    if (match === null) return;
    const code = (match[0].codePointAt(0) ?? 0).toString(16).padStart(4, '0').toUpperCase();
    const message = `the character U+${code} cannot be part of a YAML file`;
    throw new Rejection(match.index, { code: 'YAML_CHARACTER', message, hint: 'remove it; in double quotes it can be written with \\u' });
  }

  private locate(node: Node | null | undefined, keyStart: number | undefined): LocatedValue {
    const start = node?.range?.[0] ?? keyStart ?? 0;
    this.values += 1;
    if (this.values > VALUES_MAX) throw new Rejection(start, TOO_MANY_VALUES);
    const key = keyStart === undefined ? {} : { keyStart };
    if (node === null || node === undefined) return { value: null, start, ...key };
    if (isAlias(node)) return { ...this.locate(this.resolve(node.source, start), undefined), ...key };
    if (node.tag !== undefined) this.checkTag(node.tag, start);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, node);
    if (isScalar(node)) return { ...this.scalar(node.value, start), ...(node.range ? styleOf(node, node.range[1]) : {}), start, ...key };
    if (this.open.has(node)) throw new Rejection(start, ALIAS_CYCLE);
    this.open.add(node);
    const inside = isMap(node) ? this.map(node) : isSeq(node) ? this.list(node) : { value: null };
    this.open.delete(node);
    return { ...inside, start, ...key };
  }

  private resolve(name: string, start: number): Node | undefined {
    const target = this.anchors.get(name);
    if (target === undefined)
      this.fault(start, {
        code: 'YAML_ALIAS',
        message: `there is no &${name} before *${name}`,
        hint: `put &${name} before the value, or the text in quotes if it is meant literally`,
      });
    return target;
  }

  private checkTag(tag: string, start: number): void {
    if (!/^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$/.test(tag) && tag !== '!')
      this.fault(this.text.lastIndexOf(tag.startsWith('tag:') ? '!!' : '!', start), {
        code: 'YAML_TAG',
        message: `the tag ${quoted(tag.replace('tag:yaml.org,2002:', '!!'))} is not allowed; a workflow may only contain plain data`,
        hint: 'remove the tag, and write the value as text, a number, a list or a map',
      });
  }

  private scalar(value: unknown, start: number): { value: Json } {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return { value };
    if (typeof value === 'number' && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return { value };
    this.fault(start, {
      code: 'YAML_NUMBER',
      message: `this is read as the number ${String(value)}, which cannot be represented exactly`,
      hint: 'write it in quotes if it is meant as text',
    });
    return { value: null };
  }

  private list(node: YAMLSeq): Pick<LocatedValue, 'value' | 'items'> {
    const items = node.items.map((item) => this.locate(item as Node | null, undefined));
    return { value: items.map(({ value }) => value), items };
  }

  private map(node: YAMLMap): Pick<LocatedValue, 'value' | 'members'> {
    const members = new Map<string, LocatedValue>();
    for (const pair of node.items as Pair<Node | null, Node | null>[]) {
      const start = pair.key?.range?.[0] ?? node.range?.[0] ?? 0;
      const key = this.key(pair, { start, map: node.range?.[0] ?? 0 });
      if (key === undefined) continue;
      const first = members.get(key);
      if (first !== undefined) this.duplicate(key, start, first);
      else members.set(key, this.locate(pair.value, start));
    }
    return { value: Object.fromEntries([...members].map(([key, { value }]) => [key, value])), members };
  }

  private key(pair: Pair<Node | null, Node | null>, place: { readonly start: number; readonly map: number }): string | undefined {
    const { key } = pair;
    if (this.text.startsWith('{{', place.map) && !isScalar(key)) {
      this.fault(place.map, UNQUOTED);
      return undefined;
    }
    const name = isScalar(key) ? (typeof key.value === 'string' ? key.value : key.source) : undefined;
    if (isScalar(key) && key.anchor !== undefined) this.anchors.set(key.anchor, key);
    if (isScalar(key) && key.tag !== undefined) this.checkTag(key.tag, place.start);
    const fault = name === undefined || name === '' ? NO_KEY : keyFault(name);
    if (fault !== undefined) this.fault(place.start, fault);
    return fault === undefined ? name : undefined;
  }

  private duplicate(key: string, start: number, first: LocatedValue): void {
    const { line } = this.placeAt(first.keyStart ?? 0);
    this.fault(start, {
      code: 'YAML_DUPLICATE_KEY',
      message: `${quoted(key)} is already written on line ${line}; keys must be unique`,
      hint: 'keep one of the two, or rename this one',
    });
  }
}

/** How many lists and maps are open. */
function depthOf(parser: Parser): number {
  return parser.stack.filter(({ type }) => type === 'block-map' || type === 'block-seq' || type === 'flow-collection').length;
}

/** Where an unclosed text or bracket begins that extends to an offset. */
function openingOf(document: Document.Parsed, end: number): number {
  let opening = end;
  visit(document, {
    Node(_, node) {
      const closes = (isScalar(node) && (node.type ?? '').startsWith('QUOTE')) || (isCollection(node) && node.flow === true);
      if (closes && node.range?.[1] === end) opening = node.range[0];
    },
  });
  return opening;
}

function styleOf(node: { readonly type?: string; readonly value: unknown }, end: number): Pick<LocatedValue, 'scalar'> {
  return typeof node.value === 'string' ? { scalar: { style: node.type ?? 'PLAIN', end } } : {};
}

function keyFault(name: string): Fault | undefined {
  if (name === '<<')
    return {
      code: 'YAML_MERGE_KEY',
      message: 'merge keys (<<) are not part of YAML 1.2',
      hint: 'write the fields out; an alias can stand for a whole value',
    };
  if (name in {} || name === 'prototype')
    return {
      code: 'YAML_KEY',
      message: `${quoted(name)} cannot be a key: it means something else in JavaScript`,
      hint: 'call it something else',
    };
  return undefined;
}

const EMPTY: Fault = {
  code: 'YAML_EMPTY',
  message: 'the file is empty',
  hint: 'begin with "apiVersion: pawl.dev/v1", "kind: Workflow", "metadata: { name: … }" and "stages:"; "pawl init" writes an example',
};
const SEVERAL: Fault = {
  code: 'YAML_DOCUMENTS',
  message: 'a second document begins here; a file must contain one workflow',
  hint: 'move it to another file',
};
const OLD_VERSION: Fault = {
  code: 'YAML_DIRECTIVE',
  message: 'the %YAML directive asks for another version; workflows are YAML 1.2',
  hint: 'remove the directive',
};
const NO_KEY: Fault = {
  code: 'YAML_KEY',
  message: 'a key must be a string',
  hint: 'write "name: value", with the name in quotes if it has special characters',
};
const UNQUOTED: Fault = {
  code: 'TEMPLATE_UNQUOTED',
  message: 'without quotes, YAML reads {{ }} as maps',
  hint: 'put the whole value in quotes, as in "{{ context.pr_number }}"',
};
const TOO_DEEP: Fault = {
  code: 'YAML_TOO_DEEP',
  message: `the file is nested deeper than ${DEPTH_MAX} levels here`,
  hint: 'flatten it; a workflow needs about ten',
};
const TOO_MANY_TOKENS: Fault = {
  code: 'YAML_TOO_LARGE',
  message: `the file has more than ${TOKENS_MAX} tokens`,
  hint: 'split the workflow with `type: workflow` stages',
};
const TOO_MANY_VALUES: Fault = {
  code: 'YAML_TOO_LARGE',
  message: `the file has more than ${VALUES_MAX} values, including those that aliases repeat`,
  hint: 'use fewer aliases, or split the workflow with `type: workflow` stages',
};
const TOO_MANY_ALIASES: Fault = {
  code: 'YAML_ALIAS',
  message: `the file has more than ${ALIASES_MAX} aliases and anchors`,
  hint: 'write the values out; strings that begin with * or & need quotes',
};
const ALIAS_CYCLE: Fault = { code: 'YAML_ALIAS', message: 'this value contains an alias to itself', hint: 'write the inner value out' };
