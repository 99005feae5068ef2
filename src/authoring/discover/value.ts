// Owns turning an expression of a syntax tree into the value it would have, without running anything. What cannot be
// known that way (an import, a call) is left out and noted, so that nobody takes it for checked.
//
// E1. A value that is given is the value the module would compute; what may differ is a gap.
// E2. Functions become placeholders: what they do is no part of a definition.
// E3. The work is bounded, whatever the text.

import type { AnyNode, CallExpression, MemberExpression, ObjectExpression, Property, SpreadElement } from 'acorn';
import { Outcome } from '../../definition/outcome.ts';
import { DocumentAvailability, LoopState } from '../../definition/states.ts';
import { AgentRole } from '../graph/dispatch.ts';
import type { Entry } from './entry.ts';

/** The value of an expression that only running the module would tell. */
export const UNSEEN: unique symbol = Symbol('unseen');

/** An expression whose value is not known. */
export interface Gap {
  readonly node: AnyNode;
  readonly what: string;
}

// Fields whose value may be a function or text of any content: the checks do not look at it, so it need not be seen.
const CODE_FIELDS = ['handler', 'check', 'context', 'input', 'reconcile', 'actions'];
const TEXT_FIELDS = ['title', 'description', 'version', 'prompt', 'error', 'workflow'];
const AGENT_FIELDS = ['agent', 'generate'];

const LIBRARY_VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { Outcome, AgentRole, DocumentAvailability, LoopState };
/** Calls of the library that give back what they get. */
const PASSING_CALLS = ['StepDef', 'arg', 'Dispatch'];
const WORK_MAX = 100_000;

/** Evaluates the expressions of one module. */
export class Evaluator {
  readonly gaps: Gap[] = [];
  private readonly entry: Pick<Entry, 'scope' | 'library'>;
  private readonly nodes = new WeakMap<object, AnyNode>();
  private readonly fields = new WeakMap<object, Map<string, AnyNode>>();
  private readonly missing = new WeakMap<object, Set<string>>();
  private readonly held = new Map<string, unknown>();
  private work = 0;

  constructor(entry: Pick<Entry, 'scope' | 'library'>) {
    this.entry = entry;
  }

  /** The node that a list or object was made from. */
  nodeOf(value: unknown): AnyNode | undefined {
    return typeof value === 'object' && value !== null ? this.nodes.get(value) : undefined;
  }

  /** The node of a field of an object (its property) or of an item of a list, by its key. */
  fieldOf(value: unknown, key: string): AnyNode | undefined {
    return typeof value === 'object' && value !== null ? this.fields.get(value)?.get(key) : undefined;
  }

  /** The fields of an object that are not known; `*` stands for any. */
  gapsOf(value: unknown): ReadonlySet<string> {
    return (typeof value === 'object' && value !== null ? this.missing.get(value) : undefined) ?? new Set();
  }

  /** The value of an expression, or UNSEEN; gaps inside it are noted. */
  value(node: AnyNode): unknown {
    this.work += 1;
    if (this.work > WORK_MAX) return UNSEEN;
    switch (node.type) {
      case 'Literal':
        return node.value;
      case 'TemplateLiteral':
        return this.template(node.quasis, node.expressions);
      case 'ObjectExpression':
        return this.object(node);
      case 'ArrayExpression':
        return this.list(node, node.elements);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'ClassExpression':
        return placeholder;
      case 'Identifier':
        return this.name(node.name);
      case 'MemberExpression':
        return this.member(node);
      case 'UnaryExpression':
        return unary(node.operator, this.value(node.argument));
      case 'BinaryExpression':
        return binary(node.operator, this.value(node.left), this.value(node.right));
      case 'ConditionalExpression': {
        const test = this.value(node.test);
        return test === UNSEEN ? UNSEEN : this.value(test ? node.consequent : node.alternate);
      }
      case 'ParenthesizedExpression':
        return this.value(node.expression);
      case 'CallExpression':
        return this.call(node);
      default:
        return UNSEEN;
    }
  }

  private name(name: string): unknown {
    if (name === 'undefined') return undefined;
    if (name === 'Infinity') return Number.POSITIVE_INFINITY;
    const { scope, library } = this.entry;
    if (scope.functions.has(name)) return placeholder;
    const imported = scope.imports.get(name);
    if (imported !== undefined && library.has(imported.source)) return LIBRARY_VALUES[imported.name] ?? UNSEEN;
    const expression = scope.constants.get(name);
    if (expression === undefined || scope.changed.has(name)) return UNSEEN;
    if (!this.held.has(name)) {
      this.held.set(name, UNSEEN);
      this.held.set(name, this.value(expression));
    }
    return this.held.get(name);
  }

  private member(node: MemberExpression): unknown {
    const { scope, library } = this.entry;
    const imported = scope.importedName(node);
    if (imported !== undefined) return library.has(imported.source) ? (LIBRARY_VALUES[imported.name] ?? UNSEEN) : UNSEEN;
    const object = this.value(node.object);
    const key = node.computed ? this.value(node.property) : node.property.type === 'Identifier' ? node.property.name : UNSEEN;
    if (object === UNSEEN || typeof object !== 'object' || object === null || (typeof key !== 'string' && typeof key !== 'number'))
      return UNSEEN;
    const gaps = this.gapsOf(object);
    if (gaps.has(String(key)) || gaps.has('*')) return UNSEEN;
    return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : UNSEEN;
  }

  private call(node: CallExpression): unknown {
    const [first] = node.arguments;
    const imported = this.entry.scope.importedName(node.callee);
    if (imported !== undefined && this.entry.library.has(imported.source) && PASSING_CALLS.includes(imported.name) && first !== undefined)
      return this.value(first);
    if (node.callee.type !== 'MemberExpression' || node.callee.property.type !== 'Identifier') return UNSEEN;
    const { object, property } = node.callee;
    if (object.type === 'Identifier' && object.name === 'Object' && property.name === 'freeze' && first !== undefined)
      return this.value(first);
    const value = this.value(object);
    if (this.gapsOf(value).size > 0) return UNSEEN;
    return pureMethod(value, property.name, () => (first === undefined ? undefined : this.value(first)));
  }

  private template(quasis: readonly { value: { cooked?: string | null } }[], holes: readonly AnyNode[]): unknown {
    const values = holes.map((hole) => this.value(hole));
    if (!values.every((value) => typeof value === 'string' || typeof value === 'number')) return UNSEEN;
    return quasis.map(({ value }, index) => `${value.cooked ?? ''}${values[index] ?? ''}`).join('');
  }

  /** The values of several expressions; those that are not known are left out and noted. */
  list(node: AnyNode, elements: readonly (AnyNode | null)[]): unknown[] {
    const list: unknown[] = [];
    this.nodes.set(list, node);
    for (const element of elements) {
      if (element === null) list.push(undefined);
      else if (element.type === 'SpreadElement') this.spreadList(list, element);
      else this.add(list, String(list.length), { node: element, of: element });
    }
    return list;
  }

  private spreadList(list: unknown[], { argument }: SpreadElement): void {
    const items = this.value(argument);
    this.work += Array.isArray(items) ? items.length : 0;
    if (!Array.isArray(items) || this.gapsOf(items).size > 0 || this.work > WORK_MAX) this.gap(list, '*', argument);
    if (!Array.isArray(items) || this.work > WORK_MAX) return;
    for (const [index, item] of items.entries()) {
      this.place(list, String(list.length), this.fieldOf(items, String(index)) ?? argument);
      list.push(item);
    }
  }

  private object(node: ObjectExpression): object {
    const object: object = {};
    this.nodes.set(object, node);
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') this.spreadObject(object, property);
      else this.property(object, property);
    }
    return object;
  }

  private property(object: object, property: Property): void {
    const key = this.keyOf(property);
    if (key === undefined) this.gap(object, '*', property.key);
    else if (property.kind === 'get' || property.kind === 'set') this.gap(object, key, property);
    else this.add(object, key, { node: property.value, of: property });
  }

  private keyOf({ key, computed }: Property): string | undefined {
    if (!computed && key.type === 'Identifier') return key.name;
    const value = this.value(key);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  }

  private spreadObject(object: object, { argument }: SpreadElement): void {
    const spread = this.value(argument);
    if (spread === UNSEEN || typeof spread === 'function') return this.gap(object, '*', argument);
    if (typeof spread !== 'object' || spread === null) return;
    const entries = Object.entries(spread);
    this.work += entries.length;
    for (const [key, value] of entries) {
      define(object, key, value);
      this.place(object, key, this.fieldOf(spread, key) ?? argument);
      this.missing.get(object)?.delete(key);
    }
    for (const key of this.gapsOf(spread)) this.gap(object, key, argument);
  }

  /** Sets a field; what is not known is assumed where no check looks at it, else it is a gap. */
  private add(object: object, key: string, source: { readonly node: AnyNode; readonly of: AnyNode }): void {
    const value = this.value(source.node);
    this.place(object, key, source.of);
    this.missing.get(object)?.delete(key);
    if (value !== UNSEEN) return define(object, key, value);
    if (CODE_FIELDS.includes(key)) return define(object, key, placeholder);
    if (TEXT_FIELDS.includes(key)) return define(object, key, key);
    if (AGENT_FIELDS.includes(key)) return define(object, key, { execute: placeholder });
    if (key === 'output') return define(object, key, { '~standard': { validate: placeholder } });
    this.gap(object, Array.isArray(object) ? '*' : key, source.node);
  }

  private place(object: object, key: string, node: AnyNode): void {
    const fields = this.fields.get(object) ?? new Map<string, AnyNode>();
    this.fields.set(object, fields.set(key, node));
  }

  private gap(object: object, key: string, node: AnyNode): void {
    const missing = this.missing.get(object) ?? new Set<string>();
    this.missing.set(object, missing.add(key));
    if (key !== '*') delete (object as Record<string, unknown>)[key];
    this.gaps.push({ node, what: whatOf(node) });
  }
}

/** Stands for every function. */
function placeholder(): void {}

/** Sets a field as written, also one that means something in JavaScript. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function unary(operator: string, value: unknown): unknown {
  if (operator === '-' && typeof value === 'number') return -value;
  if (operator === '+' && typeof value === 'number') return value;
  if (operator === '!' && value !== UNSEEN) return !value;
  return UNSEEN;
}

function binary(operator: string, left: unknown, right: unknown): unknown {
  if (operator === '+' && isText(left) && isText(right)) return left + right;
  if (typeof left !== 'number' || typeof right !== 'number') return UNSEEN;
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '**':
      return left ** right;
    default:
      return UNSEEN;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Methods that texts are often made with. */
function pureMethod(object: unknown, method: string, first: () => unknown): unknown {
  if (method === 'trim' && isText(object)) return object.trim();
  if (method !== 'join' || !Array.isArray(object) || !object.every(isText)) return UNSEEN;
  const separator = first();
  return separator === undefined || isText(separator) ? object.join(separator) : UNSEEN;
}

function whatOf(node: AnyNode): string {
  switch (node.type) {
    case 'CallExpression':
    case 'NewExpression':
      return 'the result of a call';
    case 'Identifier':
      return `"${node.name}"`;
    case 'MemberExpression':
      return 'a value read from an object';
    case 'TemplateLiteral':
      return 'a text with values in it';
    default:
      return 'a computed value';
  }
}
