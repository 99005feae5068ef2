// Owns the sizes: lines of a file, lines of a function, positional parameters.

import { at, isTest, lineOf, nodesOf, type Source, type SyntaxNode } from './source.ts';

const FILE_LINES_MAX = 500;
const FUNCTION_LINES_MAX = 70;
const PARAMETERS_MAX = 3;
const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** What is larger than the limits in one file. The body of a `describe` is no function to speak of, so tests are spared that one. */
export function limitViolations(source: Source): string[] {
  const found: string[] = [];
  const lines = source.text.trimEnd().split('\n').length;
  if (lines > FILE_LINES_MAX) found.push(at(source, 0, `has ${lines} lines; split it by concept, the limit is ${FILE_LINES_MAX}`));
  for (const { node } of nodesOf(source)) {
    if (!FUNCTIONS.includes(node.type)) continue;
    found.push(...parameterViolation(source, node));
    if (!isTest(source.path)) found.push(...lengthViolation(source, node));
  }
  return found;
}

function parameterViolation(source: Source, node: SyntaxNode): string[] {
  const params = (node.params as readonly { name?: string }[]).filter((param) => param.name !== 'this');
  if (params.length <= PARAMETERS_MAX) return [];
  return [
    at(source, node.start, `takes ${params.length} positional parameters; the limit is ${PARAMETERS_MAX}, name the rest in one object`),
  ];
}

function lengthViolation(source: Source, node: SyntaxNode): string[] {
  const lines = lineOf(source, node.end) - lineOf(source, node.start) + 1;
  if (lines <= FUNCTION_LINES_MAX) return [];
  return [at(source, node.start, `is a function of ${lines} lines; the limit is ${FUNCTION_LINES_MAX}`)];
}
