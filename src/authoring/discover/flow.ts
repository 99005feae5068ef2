// Owns what can be seen of a flow without running it: the steps it names, names that a run would refuse, and what a
// replay would do differently.

import type { AnyNode, CallExpression } from 'acorn';
import { isEngineError } from '../../base/error.ts';
import { compileFlow, type FlowOptions } from '../flow/flow.ts';
import { lintFlow } from '../flow/lint.ts';
import { stepName } from '../flow/model.ts';
import type { Reading } from './reading.ts';
import { childrenOf, nodesIn, type Place, placeAt, type SourceProblem } from './syntax.ts';

/** A call of `step(…)` in the text of a flow. */
export interface StepCall {
  /** The name, when it is written as a text. */
  readonly name: string | undefined;
  readonly node: CallExpression;
  /** Whether it is always reached, perhaps reached, or reached again and again. */
  readonly reached: 'once' | 'maybe' | 'often';
}

/** The errors and warnings of a flow. */
export interface FlowFindings {
  readonly errors: readonly SourceProblem[];
  readonly warnings: readonly SourceProblem[];
}

const BRANCHES = ['IfStatement', 'ConditionalExpression', 'SwitchStatement', 'TryStatement', 'LogicalExpression'];
const LOOPS = ['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement'];
const FUNCTIONS = ['FunctionExpression', 'FunctionDeclaration', 'ArrowFunctionExpression'];

/** The steps that a flow names, in the order of the text. */
export function stepCalls({ body, entry, evaluator }: Pick<Reading, 'body' | 'entry' | 'evaluator'>): StepCall[] {
  const calls: StepCall[] = [];
  const visit = (node: AnyNode, reached: StepCall['reached']): void => {
    if (node.type === 'CallExpression' && isStep(entry, node)) {
      const name = node.arguments[0] === undefined ? undefined : evaluator.value(node.arguments[0]);
      calls.push({ name: typeof name === 'string' ? name : undefined, node, reached });
    }
    for (const child of childrenOf(node)) visit(child, within(child, reached));
  };
  if (body !== undefined) visit(body, 'once');
  return calls;
}

function within({ type }: AnyNode, reached: StepCall['reached']): StepCall['reached'] {
  if (LOOPS.includes(type)) return 'often';
  return reached === 'once' && (BRANCHES.includes(type) || FUNCTIONS.includes(type)) ? 'maybe' : reached;
}

function isStep({ scope, library }: Reading['entry'], { callee }: CallExpression): boolean {
  const imported = scope.importedName(callee);
  return imported?.name === 'step' && library.has(imported.source);
}

/** Checks a flow as far as its text tells. */
export function checkFlow(reading: Reading): FlowFindings {
  const errors = [...compileProblems(reading), ...nameProblems(reading), ...unyieldedProblems(reading)];
  return { errors, warnings: [...loopWarnings(reading), ...replayWarnings(reading)] };
}

/** The real compiler reads the options; of the body it needs the kind of function. */
function compileProblems({ module, entry, name, nameNode, spec, body }: Reading): SourceProblem[] {
  const isFunction = body !== undefined && FUNCTIONS.includes(body.type);
  if (body !== undefined && !isFunction && body.type === 'Identifier' && !entry.scope.functions.has(body.name)) return [];
  const isGenerator =
    isFunction && 'generator' in body
      ? body.generator === true && !('async' in body && body.async === true)
      : body !== undefined && !isFunction;
  const { children: _, ...options } = spec;
  try {
    const given = isGenerator ? function* () {} : body === undefined ? undefined : () => undefined;
    compileFlow(name, options as FlowOptions<Record<never, never>>, given as never);
    return [];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const [message = '', ...rest] = error.message.split('; ');
    const node = isGenerator ? nameNode : (body ?? nameNode);
    return [{ code: error.code, message, hint: rest.join('; ') || 'mend it', ...placeAt(module.text, node.start) }];
  }
}

function nameProblems(reading: Reading): SourceProblem[] {
  const { module } = reading;
  const seen = new Map<string, Place>();
  return stepCalls(reading).flatMap(({ name, node, reached }): SourceProblem[] => {
    if (name === undefined) return [];
    const place = placeAt(module.text, node.start);
    const refused = refusal(name);
    if (refused !== undefined) return [{ ...refused, ...place }];
    if (reached !== 'once') return [];
    const first = seen.get(name);
    seen.set(name, first ?? place);
    if (first === undefined) return [];
    const message = `the step "${name}" is already used in line ${first.line}, and a run knows its steps by their names`;
    return [{ code: 'STEP_DUPLICATE', message, hint: 'give this one another name', ...place }];
  });
}

/** A step that is a statement of its own is built and never done. */
function unyieldedProblems({ module, body, entry, evaluator }: Reading): SourceProblem[] {
  if (body === undefined) return [];
  return [...nodesIn(body)].flatMap((node): SourceProblem[] => {
    const call = node.type === 'ExpressionStatement' ? rootCall(node.expression) : undefined;
    if (call === undefined || !isStep(entry, call)) return [];
    const name = call.arguments[0] === undefined ? undefined : evaluator.value(call.arguments[0]);
    const what = typeof name === 'string' ? `the step "${name}"` : 'a step';
    return [
      {
        code: 'STEP_NOT_YIELDED',
        message: `${what} is built and not yielded, so it is never done`,
        hint: 'write yield* before it',
        ...placeAt(module.text, call.start),
      },
    ];
  });
}

/** The call that a chain such as `step('a').task(fn).retry(2)` begins with. */
function rootCall(node: AnyNode): CallExpression | undefined {
  if (node.type === 'MemberExpression') return rootCall(node.object);
  if (node.type !== 'CallExpression') return undefined;
  return node.callee.type === 'MemberExpression' ? rootCall(node.callee.object) : node;
}

function refusal(name: string): Pick<SourceProblem, 'code' | 'message' | 'hint'> | undefined {
  try {
    stepName(name);
    return undefined;
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const [message = '', hint = ''] = error.message.split('; ');
    return { code: 'NAME_INVALID', message, hint };
  }
}

function loopWarnings(reading: Reading): SourceProblem[] {
  return stepCalls(reading)
    .filter(({ name, reached }) => name !== undefined && reached === 'often')
    .map(({ name, node }) => ({
      code: 'STEP_REPEATED',
      message: `the step "${name}" is in a loop: its second round would be refused, because a run knows its steps by their names`,
      hint: `number it: step(\`${name}-\${i}\`)`,
      ...placeAt(reading.module.text, node.start),
    }));
}

/** The lint tells lines of the function; here they are lines of the file. */
function replayWarnings({ module, body }: Reading): SourceProblem[] {
  if (body === undefined || !FUNCTIONS.includes(body.type)) return [];
  const source = module.code.slice(body.start, body.end);
  const first = placeAt(module.text, body.start).line;
  const lines = module.text.split('\n');
  return lintFlow(Object.assign(() => undefined, { toString: () => source })).map((warning) => {
    const [, name = '', line = '1', rest = ''] = /^(.+?) in line (\d+) of the flow (.*)$/s.exec(warning) ?? [];
    const at = first + Number(line) - 1;
    const [message = '', hint = ''] = rest.split('; ');
    const found = (lines[at - 1] ?? '').indexOf(name.replace(/\(\)$/, '').replace(/^(?:crypto\.|new )/, ''));
    return { code: 'REPLAY_DIFFERS', message: `${name} ${message}`, hint, line: at, column: Math.max(0, found) + 1 };
  });
}
