// Owns the evaluation of expressions: the value of each node in a scope. It only reads data; only filters can be
// called, and every loop is over data and counted (meter.ts).

import { unreachable } from '../base/invariant.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { describe, holds, isSame, ownData } from './data.ts';
import { FILTERS, type Filter } from './filters.ts';
import { type Meter, MissingValue } from './meter.ts';
import { rootValue, type Walker, walk } from './path-walk.ts';
import type { BinaryOperator, Node, NodeOf } from './syntax-tree.ts';

/** One evaluation of a tree in a scope. */
export class Evaluator implements Walker {
  readonly meter: Meter;
  private readonly scope: Json;

  constructor(scope: Json, meter: Meter) {
    this.scope = scope;
    this.meter = meter;
  }

  value(node: Node): Json {
    this.meter.spend(1);
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'list':
        return node.items.map((item) => this.value(item));
      case 'path':
        this.meter.offset = node.offset;
        return walk(rootValue(node.name, this.scope, this.meter), node.segments, this);
      case 'member':
        return walk(this.value(node.base), node.segments, this);
      case 'unary':
        return node.operator === '!' ? !this.flagOf(node.operand, node) : this.negative(node.operand, node.offset);
      case 'binary':
        return this.binary(node);
      case 'logic':
        return node.operator === '??' ? this.coalesced(node) : this.decided(node);
      case 'choice':
        return this.value(this.flagOf(node.test, { operator: '? :', offset: node.offset }) ? node.yes : node.no);
      case 'filter':
        return this.filtered(node);
      default:
        return unreachable(node);
    }
  }

  private flagOf(node: Node, user: { readonly operator: string; readonly offset: number }): boolean {
    const value = this.value(node);
    if (typeof value === 'boolean') return value;
    this.meter.offset = user.offset;
    return this.meter.fail(`${user.operator} needs true or false, but got ${describe(value, this.meter)}; compare it, as in x == 'yes'`);
  }

  private decided(node: NodeOf<'logic'>): boolean {
    const left = this.flagOf(node.left, node);
    const settled = node.operator === '&&' ? !left : left;
    return settled ? left : this.flagOf(node.right, node);
  }

  private coalesced(node: NodeOf<'logic'>): Json {
    let left: Json = null;
    try {
      left = this.value(node.left);
    } catch (thrown) {
      if (!(thrown instanceof MissingValue)) throw thrown;
    }
    return left === null ? this.value(node.right) : left;
  }

  private negative(operand: Node, offset: number): number {
    const value = this.value(operand);
    this.meter.offset = offset;
    if (typeof value !== 'number') this.meter.fail(`- needs a number, but got ${describe(value, this.meter)}`);
    return withoutNegativeZero(-value);
  }

  private binary(node: NodeOf<'binary'>): Json {
    const left = this.value(node.left);
    const right = this.value(node.right);
    this.meter.offset = node.offset;
    switch (node.operator) {
      case '==':
        return isSame(left, right, this.meter);
      case '!=':
        return !isSame(left, right, this.meter);
      case 'in':
        return holds(right, left, this.meter);
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.ordered(node.operator, left, right);
      default:
        return this.computed(node.operator, left, right);
    }
  }

  private ordered(operator: '<' | '<=' | '>' | '>=', left: Json, right: Json): boolean {
    const numbers = typeof left === 'number' && typeof right === 'number';
    if (!numbers && !(typeof left === 'string' && typeof right === 'string')) {
      this.meter.fail(`${operator} needs two numbers or two texts, but got ${this.both(left, right)}`);
    }
    const [a, b] = [left as number, right as number];
    if (operator === '<') return a < b;
    if (operator === '<=') return a <= b;
    return operator === '>' ? a > b : a >= b;
  }

  private computed(operator: BinaryOperator, left: Json, right: Json): Json {
    if (operator === '+' && typeof left === 'string' && typeof right === 'string') {
      this.meter.reserveText(left.length + right.length);
      return left + right;
    }
    if (typeof left !== 'number' || typeof right !== 'number') {
      const wanted = operator === '+' ? 'two numbers or two texts (value | string makes text)' : 'two numbers';
      return this.meter.fail(`${operator} needs ${wanted}, but got ${this.both(left, right)}`);
    }
    const result = arithmetic(operator, left, right);
    if (Number.isFinite(result)) return withoutNegativeZero(result);
    const divided = right === 0 && (operator === '/' || operator === '%');
    return this.meter.fail(
      divided ? `${operator} by zero; test for it first: x == 0 ? 0 : y / x` : `the result of ${operator} is too large for a number`,
    );
  }

  private both(left: Json, right: Json): string {
    return `${describe(left, this.meter)} and ${describe(right, this.meter)}`;
  }

  private filtered(node: NodeOf<'filter'>): Json {
    const value = this.value(node.value);
    const args = node.args.map((arg) => this.value(arg));
    this.meter.offset = node.offset;
    const filter = FILTERS.get(node.name) as Filter;
    const seen = filter.sees === undefined ? [] : [this.hidden(filter.sees)];
    return filter.apply(value, [...args, ...seen], this.meter);
  }

  private hidden(name: string): Json {
    return isJsonObject(this.scope) ? (ownData(this.scope, name) ?? null) : null;
  }
}

function arithmetic(operator: BinaryOperator, left: number, right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  return operator === '/' ? left / right : left % right;
}

/** JSON has no negative zero, so a stored result would otherwise differ from one that was not stored. */
function withoutNegativeZero(value: number): number {
  return value === 0 ? 0 : value;
}
