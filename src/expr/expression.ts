// Owns the public interface of the expression language: parse once, evaluate often. An evaluation always ends in
// bounded time, with plain data or an EngineError with its position.

import type { SourcePosition } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { describe } from './data.ts';
import { Evaluator } from './evaluate.ts';
import { type FreePath, freePaths } from './free-paths.ts';
import { Meter, MissingValue } from './meter.ts';
import { parseTree } from './parser.ts';
import { evaluationError, type Source, startOf } from './source.ts';
import type { Node } from './syntax-tree.ts';

/** A parsed expression: plain data that can be stored and evaluated any number of times. */
export interface Expression {
  readonly source: string;
  /** Every path it may read, so that a caller can load only those and check them against a schema. */
  readonly paths: readonly FreePath[];
  readonly tree: Node;
  readonly stretch: Source;
}

/** Parses an expression. Braces around the whole, as in `{{ a == b }}`, are allowed and ignored. */
export function parseExpression(source: string, where: Partial<SourcePosition> = {}): Expression {
  const stretch = { text: source, ...withoutBraces(source), origin: startOf(where) };
  const tree = parseTree(stretch);
  return { source, paths: freePaths(tree, stretch), tree, stretch };
}

/** Returns the value of the expression. The members of `scope` are its names. */
export function evaluate(expression: Expression, scope: Json): Json {
  return run(expression, scope, meterFor(expression));
}

/** Evaluates a condition. Anything but true or false is an error, so that a mistake never counts as false. */
export function evaluateCondition(expression: Expression, scope: Json): boolean {
  const meter = meterFor(expression);
  const value = run(expression, scope, meter);
  if (typeof value === 'boolean') return value;
  meter.offset = expression.tree.offset;
  return meter.fail(`a condition must be true or false, but is ${describe(value, meter)}; compare it, as in x == 'yes' or x != null`);
}

/** Returns the value of the expression within the limits of a meter; a missing name becomes an error. */
export function run({ tree, stretch }: Expression, scope: Json, meter: Meter): Json {
  try {
    return new Evaluator(scope, meter).value(tree);
  } catch (thrown) {
    if (!(thrown instanceof MissingValue)) throw thrown;
    throw evaluationError(stretch, { offset: thrown.offset, message: thrown.explain() });
  }
}

function meterFor(expression: Expression): Meter {
  const discreet = expression.paths.some((path) => path.segments[0] === 'secrets');
  return new Meter(expression.stretch, discreet);
}

function withoutBraces(source: string): { start: number; end: number } {
  const start = source.length - source.trimStart().length;
  const end = source.trimEnd().length;
  const braced = end - start >= 4 && source.startsWith('{{', start) && source.endsWith('}}', end);
  return braced ? { start: start + 2, end: end - 2 } : { start: 0, end: source.length };
}
