// Owns the grammar of expressions, lowest precedence first (docs/internals/expr.md has it in full):
//
//   choice ? :  ·  ??  ·  || or  ·  && and  ·  not  ·  == != < <= > >= in  ·  + -  ·  * / %  ·  !  ·  |  ·  -  ·  path
//
// Syntax that JavaScript and Python interpret differently is rejected unless parentheses make it clear: `a < b < c`,
// and `??` beside `&&`, `||`, `!` or a comparison. Chains are parsed in loops, so only real nesting uses the stack.

import { didYouMean } from '../base/suggest.ts';
import { Cursor } from './cursor.ts';
import { FILTERS } from './filters.ts';
import { callHint, isReserved, wordHint } from './hints.ts';
import { readTokens } from './lexer.ts';
import type { Source } from './source.ts';
import type { BinaryOperator, LogicOperator, Node, Segment } from './syntax-tree.ts';

const COMPARISONS: readonly BinaryOperator[] = ['==', '!=', '<', '<=', '>', '>='];
const SAME: Readonly<Record<string, BinaryOperator>> = { '===': '==', '!==': '!=' };

/** Returns the syntax tree of the source, or throws an error at the position where it is invalid. */
export function parseTree(source: Source): Node {
  const parser = new Parser(new Cursor(source, readTokens(source)));
  return parser.whole();
}

class Parser {
  private readonly cursor: Cursor;
  /** The node that was last closed by a parenthesis: it may be beside any operator. */
  private grouped: Node | undefined;

  constructor(cursor: Cursor) {
    this.cursor = cursor;
  }

  whole(): Node {
    if (this.cursor.ended) throw this.cursor.error('it is empty; write a value, such as result.decision == "approved"');
    const node = this.choice();
    if (!this.cursor.ended) throw this.trailing();
    return node;
  }

  private trailing(): Error {
    const { cursor } = this;
    if (cursor.is(','))
      return cursor.error('found a comma; an expression is a single value, and commas separate only arguments and list items');
    if (cursor.is(')') || cursor.is(']')) return cursor.error(`found ${cursor.token.text} without an opening one; remove it`);
    return cursor.unexpected('an operator or the end');
  }

  private choice(): Node {
    const { cursor } = this;
    const test = this.coalesce();
    const { offset } = cursor.token;
    if (!cursor.accept('?')) return test;
    const yes = cursor.nest(() => this.choice());
    cursor.expect(':', 'and the other value of the ? … : …');
    const no = cursor.nest(() => this.choice());
    return { kind: 'choice', test, yes, no, offset };
  }

  private coalesce(): Node {
    const { cursor } = this;
    let left = this.or();
    while (cursor.is('??')) {
      const { offset } = cursor.token;
      this.refuseBeside(left, offset);
      cursor.take();
      const right = this.or();
      this.refuseBeside(right, offset);
      left = { kind: 'logic', operator: '??', left, right, offset };
    }
    return left;
  }

  private refuseBeside(node: Node, offset: number): void {
    if (node === this.grouped) return;
    const operator = 'operator' in node ? node.operator : '??';
    if ('??+-*/%'.includes(operator)) return;
    throw this.cursor.error(`?? beside ${operator} is ambiguous; add parentheses, as in (a ?? 0) > 3`, offset);
  }

  private or(): Node {
    return this.logic('||', 'or', () => this.and());
  }

  private and(): Node {
    return this.logic('&&', 'and', () => this.not());
  }

  private logic(operator: LogicOperator, word: string, operand: () => Node): Node {
    let left = operand();
    while (this.cursor.is(operator) || this.cursor.is(word)) {
      const { offset } = this.cursor.take();
      left = { kind: 'logic', operator, left, right: operand(), offset };
    }
    return left;
  }

  private not(): Node {
    const { cursor } = this;
    const { offset } = cursor.token;
    if (!cursor.accept('not')) return this.comparison();
    return { kind: 'unary', operator: '!', operand: cursor.nest(() => this.not()), offset };
  }

  private comparison(): Node {
    const { cursor } = this;
    const left = this.sum();
    const { offset } = cursor.token;
    const operator = this.acceptComparison();
    if (operator === undefined) return left;
    const binary: Node = { kind: 'binary', operator: operator.name, left, right: this.sum(), offset };
    if (this.acceptComparison() !== undefined) {
      throw cursor.error('two comparisons in a row are ambiguous; join them with &&, or add parentheses', offset);
    }
    return operator.negated ? { kind: 'unary', operator: '!', operand: binary, offset } : binary;
  }

  private acceptComparison(): { name: BinaryOperator; negated: boolean } | undefined {
    const { cursor } = this;
    const { kind, text } = cursor.token;
    const name = SAME[text] ?? COMPARISONS.find((one) => one === text);
    if (kind === 'symbol' && name !== undefined) {
      cursor.take();
      return { name, negated: false };
    }
    const negated = cursor.is('not') && cursor.following.text === 'in';
    if (negated) cursor.take();
    return cursor.accept('in') ? { name: 'in', negated } : undefined;
  }

  private sum(): Node {
    return this.arithmetic(['+', '-'], () => this.product());
  }

  private product(): Node {
    return this.arithmetic(['*', '/', '%'], () => this.negation());
  }

  private arithmetic(operators: readonly BinaryOperator[], operand: () => Node): Node {
    let left = operand();
    for (;;) {
      const operator = operators.find((symbol) => this.cursor.is(symbol));
      if (operator === undefined) return left;
      const { offset } = this.cursor.take();
      left = { kind: 'binary', operator, left, right: operand(), offset };
    }
  }

  private negation(): Node {
    const { cursor } = this;
    const { offset } = cursor.token;
    if (!cursor.accept('!')) return this.piped();
    return { kind: 'unary', operator: '!', operand: cursor.nest(() => this.negation()), offset };
  }

  private piped(): Node {
    let value = this.minus();
    while (this.cursor.accept('|')) value = this.filter(value);
    return value;
  }

  private filter(value: Node): Node {
    const { cursor } = this;
    if (cursor.token.kind !== 'name') throw cursor.unexpected('the name of a filter');
    const { text: name, offset } = cursor.take();
    const filter = FILTERS.get(name);
    if (filter === undefined) {
      throw cursor.error(
        `there is no filter "${name}"${didYouMean(name, FILTERS.keys())}; the filters are ${[...FILTERS.keys()].join(' ')}`,
        offset,
      );
    }
    const args = cursor.accept('(') ? this.items(')') : [];
    const [least, most] = filter.arity;
    if (args.length < least || args.length > most) {
      throw cursor.error(`the filter ${name} was given ${args.length} arguments; write | ${filter.usage}`, offset);
    }
    // `default` is the same as `??`: it must see that its value is missing, which no ordinary filter can.
    if (name === 'default') return { kind: 'logic', operator: '??', left: value, right: args[0] as Node, offset };
    return { kind: 'filter', name, value, args, offset };
  }

  private items(close: ')' | ']'): Node[] {
    const { cursor } = this;
    const items: Node[] = [];
    if (cursor.accept(close)) return items;
    do items.push(cursor.nest(() => this.choice()));
    while (cursor.accept(','));
    cursor.expect(close, 'or a comma');
    return items;
  }

  private minus(): Node {
    const { cursor } = this;
    const { offset } = cursor.token;
    if (!cursor.accept('-')) return this.postfix();
    return { kind: 'unary', operator: '-', operand: cursor.nest(() => this.minus()), offset };
  }

  private postfix(): Node {
    const { cursor } = this;
    const { offset } = cursor.token;
    if (cursor.token.kind === 'name' && !isLiteralWord(cursor.token.text)) {
      const name = this.root();
      return { kind: 'path', name, segments: this.segments(name), offset };
    }
    const base = this.primary();
    const segments = this.segments('');
    return segments.length === 0 ? base : { kind: 'member', base, segments, offset };
  }

  private root(): string {
    const { cursor } = this;
    const { text } = cursor.token;
    if (text === 'not') throw cursor.error('"not" inside a value needs parentheses: (not x)');
    if (text === 'and' || text === 'or' || text === 'in') throw cursor.unexpected('a value');
    if (isReserved(text)) throw cursor.error(`${text} is not part of the language; ${wordHint(text)}`);
    return cursor.take().text;
  }

  private segments(root: string): Segment[] {
    const { cursor } = this;
    const segments: Segment[] = [];
    let last = root;
    for (;;) {
      if (cursor.is('(')) throw this.callError(last);
      if (cursor.accept('.')) segments.push(this.dotted());
      else if (cursor.accept('[')) segments.push(this.bracketed());
      else return segments;
      const added = segments.at(-1);
      last = added?.kind === 'key' ? String(added.key) : '';
    }
  }

  private callError(name: string): Error {
    const called = name === '' ? 'a value' : name;
    return this.cursor.error(`found a call of ${called}; values cannot be called: ${callHint(name)}`);
  }

  private dotted(): Segment {
    const { cursor } = this;
    const { kind, text, offset } = cursor.token;
    if (kind === 'name') {
      cursor.take();
      return { kind: 'key', key: text, offset };
    }
    if (cursor.accept('*')) return { kind: 'each', offset };
    if (kind === 'number') throw cursor.error(`found .${text}; an item of a list is written [${text}]`);
    throw cursor.unexpected("a field name (or *, or ['a name'])");
  }

  private bracketed(): Segment {
    const { cursor } = this;
    if (cursor.is('*')) throw cursor.error('found [*]; every entry is written .*');
    if (cursor.is(']')) throw cursor.unexpected("an item number or a field name in quotes, as in list[0] or object['name'],");
    const { offset } = cursor.token;
    const index = cursor.nest(() => this.choice());
    cursor.expect(']', 'after the index');
    const fixed = index.kind === 'literal' && (typeof index.value === 'string' || isItemNumber(index.value)) ? index : undefined;
    if (fixed === undefined) return { kind: 'dynamic', index, offset };
    return { kind: 'key', key: fixed.value as string | number, offset };
  }

  private primary(): Node {
    const { cursor } = this;
    const { kind, text, value, offset } = cursor.token;
    if (kind === 'number' || kind === 'text') {
      cursor.take();
      return { kind: 'literal', value, offset };
    }
    if (kind === 'name') {
      cursor.take();
      return { kind: 'literal', value: text === 'null' ? null : text === 'true', offset };
    }
    if (cursor.accept('(')) return this.group();
    if (cursor.accept('[')) return { kind: 'list', items: this.items(']'), offset };
    if (text === '/') throw cursor.error("found /, and a regular expression is written | matches('pattern')");
    if (text === '+') throw cursor.error('found + without a value before it; remove it');
    if (text === '.') throw cursor.error('found . without a name before it; write a path such as result.score, or a number such as 0.5');
    throw cursor.unexpected('a value (a path, a number, text in quotes, true, false, null)');
  }

  private group(): Node {
    const { cursor } = this;
    if (cursor.is(')')) throw cursor.unexpected('a value between the parentheses');
    const node = cursor.nest(() => this.choice());
    if (cursor.is(',')) throw cursor.error('found a comma; an expression is a single value, and a list is written [a, b]');
    cursor.expect(')', 'to close the parenthesis');
    this.grouped = node;
    return node;
  }
}

function isLiteralWord(word: string): boolean {
  return word === 'true' || word === 'false' || word === 'null';
}

function isItemNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
