// Checks the source of a flow: steps that would be rejected or never run, and code that a replay would run differently. A
// flow is replayed after every restart, so time, randomness and outside data must come from steps, whose results are
// recorded. Only the function itself is read, not the functions it calls.
//
// - A function passed to a step builder runs inside that step, where everything is allowed.

import type { AnyNode, CallExpression } from 'acorn';
import { type ModuleNames, nameOf } from '../discover/names.ts';
import type { Outline } from '../discover/outline.ts';
import { childrenOf, type FilePosition, nodesIn, placeAt, type SourceProblem } from '../discover/syntax.ts';
import { stepNameFault } from './model.ts';

/** The errors and warnings of a flow. */
interface FlowFindings {
  readonly errors: readonly SourceProblem[];
  readonly warnings: readonly SourceProblem[];
}

/** A call of `step(…)`, and whether it is reached always, sometimes, or repeatedly. */
interface StepCall {
  readonly name: string | undefined;
  readonly node: CallExpression;
  readonly reached: 'once' | 'maybe' | 'often';
}

const BRANCHES = ['IfStatement', 'ConditionalExpression', 'SwitchStatement', 'TryStatement', 'LogicalExpression'];
const LOOPS = ['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement'];
const FUNCTIONS = ['FunctionExpression', 'FunctionDeclaration', 'ArrowFunctionExpression'];
/** The builders whose functions run inside the step. */
const BUILDERS = ['task', 'agent', 'generate', 'delay', 'recovery', 'preconditions', 'postconditions', 'subworkflow', 'workflow'];

/** Sources of values that differ in a replay, by their canonical form. */
const SOURCES: ReadonlyMap<string | undefined, string> = new Map([
  ['Date.now()', 'reads the clock'],
  ['new Date()', 'reads the clock'],
  ['performance.now()', 'reads the clock'],
  ['Math.random()', 'draws a random number'],
  ['crypto.randomUUID()', 'draws a random id'],
  ['crypto.getRandomValues()', 'draws random bytes'],
  ['fetch()', 'talks to the network'],
  ['process.env', 'reads the environment'],
]);

/** Returns the function of a flow, if it is written in the file of the flow. */
export function flowBody({ names, call }: Outline): AnyNode | undefined {
  const last = call.arguments.at(-1);
  const body = last === undefined ? undefined : names.follow(last);
  return body !== undefined && FUNCTIONS.includes(body.type) ? body : undefined;
}

/** Returns the call of `step(…)` that a chain such as `step('a').task(fn).retry(2)` begins with. */
export function stepCallOf(names: ModuleNames, node: CallExpression): CallExpression | undefined {
  const root = rootOf(node);
  return isStep(names, root) ? root : undefined;
}

/** Checks the function of a flow. */
export function lintFlow(outline: Outline): FlowFindings {
  const { module, names } = outline;
  const body = flowBody(outline);
  if (body === undefined) return { errors: [], warnings: [] };
  const calls = stepCalls(names, body);
  const at = (node: AnyNode): FilePosition => placeAt(module.text, node.start);
  const byPlace = (a: FilePosition, b: FilePosition): number => a.line - b.line || a.column - b.column;
  return {
    errors: [...nameProblems(calls, at), ...unyielded(names, body, at), ...literals(names, body, at)].sort(byPlace),
    warnings: [...repeated(calls, at), ...replayed(names, body, at)].sort(byPlace),
  };
}

type At = (node: AnyNode) => FilePosition;

function stepCalls(names: ModuleNames, body: AnyNode): StepCall[] {
  const calls: StepCall[] = [];
  const visit = (node: AnyNode, reached: StepCall['reached']): void => {
    if (isStep(names, node)) calls.push({ name: names.text(node.arguments[0]), node, reached });
    for (const child of childrenOf(node)) visit(child, within(child, reached));
  };
  visit(body, 'once');
  return calls;
}

function within(node: AnyNode, reached: StepCall['reached']): StepCall['reached'] {
  const { type } = node;
  if (LOOPS.includes(type)) return 'often';
  if (reached === 'often' && leavesFlow(node)) return 'maybe';
  return reached === 'once' && (BRANCHES.includes(type) || FUNCTIONS.includes(type)) ? 'maybe' : reached;
}

/** Whether a block ends the flow: its steps run at most once, even in a loop. */
function leavesFlow(node: AnyNode): boolean {
  if (node.type !== 'BlockStatement') return false;
  const last = node.body.at(-1)?.type;
  return (last === 'ReturnStatement' || last === 'ThrowStatement') && ![...nodesIn(node)].some(({ type }) => type === 'ContinueStatement');
}

function isStep(names: ModuleNames, node: AnyNode): node is CallExpression {
  return node.type === 'CallExpression' && names.imported(node.callee)?.name === 'step';
}

function nameProblems(calls: readonly StepCall[], at: At): SourceProblem[] {
  const seen = new Map<string, FilePosition>();
  return calls.flatMap(({ name, node, reached }): SourceProblem[] => {
    if (name === undefined) return [];
    const fault = stepNameFault(name);
    if (fault !== undefined) return [{ code: 'NAME_INVALID', ...fault, ...at(node) }];
    if (reached !== 'once') return [];
    const first = seen.get(name);
    seen.set(name, first ?? at(node));
    if (first === undefined) return [];
    const message = `the step name "${name}" is already used in line ${first.line}, and names must be unique in a run`;
    return [{ code: 'STEP_DUPLICATE', message, hint: 'give this one another name', ...at(node) }];
  });
}

/** Reports steps that never run: they are statements, are returned, or are kept in a variable that nothing reads. */
function unyielded(names: ModuleNames, body: AnyNode, at: At): SourceProblem[] {
  const nodes = [...nodesIn(body)];
  const own = new Set(declaredIn(body));
  const returned = new Set([...nodesOutsideFunctions(body)].filter(({ type }) => type === 'ReturnStatement'));
  return nodes.flatMap((node) =>
    lostValues(node, returned, nodes).flatMap((value): SourceProblem[] => {
      const call = rootOf(value);
      const subject = createdBy({ names, own }, call);
      if (subject === undefined) return [];
      const message = `${subject} is created but never yielded, so it never runs`;
      return [{ code: 'STEP_NOT_YIELDED', message, hint: 'write yield* before it', ...at(call) }];
    }),
  );
}

/** The expressions of a node whose values are lost to the flow: only what it yields runs. */
function lostValues(node: AnyNode, returned: ReadonlySet<AnyNode>, nodes: readonly AnyNode[]): AnyNode[] {
  if (node.type === 'ExpressionStatement') return valuesOf(node.expression);
  if (node.type === 'ReturnStatement') return returned.has(node) && node.argument ? valuesOf(node.argument) : [];
  if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || !node.init) return [];
  const { name } = node.id;
  const isName = (other: AnyNode): boolean => other.type === 'Identifier' && other.name === name;
  // An option that is set in a statement of its own makes another step and leaves this one as it is.
  const statements = nodes.filter(
    (other) => other.type === 'ExpressionStatement' && isMethodCall(other.expression) && isName(rootOf(other.expression)),
  );
  return nodes.filter(isName).length === 1 + statements.length ? valuesOf(node.init) : [];
}

function isMethodCall(node: AnyNode): boolean {
  return node.type === 'CallExpression' && node.callee.type === 'MemberExpression';
}

/** The expressions that can be the value of an expression, or are evaluated for nothing in it. */
function valuesOf(node: AnyNode): AnyNode[] {
  if (node.type === 'LogicalExpression') return [...valuesOf(node.left), ...valuesOf(node.right)];
  if (node.type === 'ConditionalExpression') return [...valuesOf(node.consequent), ...valuesOf(node.alternate)];
  if (node.type === 'SequenceExpression') return node.expressions.flatMap(valuesOf);
  if (node.type === 'ArrayExpression') return node.elements.flatMap((element) => (element === null ? [] : valuesOf(element)));
  return node.type === 'UnaryExpression' ? valuesOf(node.argument) : [node];
}

/** What a call creates, itself or through a function of the module that returns a step; undefined for anything else. */
function createdBy({ names, own }: Scope, call: AnyNode): string | undefined {
  if (call.type !== 'CallExpression') return undefined;
  const { callee } = call;
  const group = groupName(names, call);
  if (group !== undefined) return `${group}([…])`;
  if (isStep(names, call)) {
    const name = names.text(call.arguments[0]);
    return name === undefined ? 'a step' : `the step "${name}"`;
  }
  if (callee.type !== 'Identifier' || own.has(callee.name)) return undefined;
  const made = returnedBy(names.follow(callee));
  return made !== undefined && isStep(names, rootOf(made)) ? 'a step' : undefined;
}

/** What a function returns whose body is one expression. */
function returnedBy(node: AnyNode): AnyNode | undefined {
  if (node.type !== 'ArrowFunctionExpression' && node.type !== 'FunctionDeclaration' && node.type !== 'FunctionExpression')
    return undefined;
  if (node.generator === true || node.body.type !== 'BlockStatement') return node.generator === true ? undefined : node.body;
  const [only, ...more] = node.body.body;
  return only?.type === 'ReturnStatement' && more.length === 0 ? (only.argument ?? undefined) : undefined;
}

/** The nodes of a flow itself, without those of functions in it. */
function* nodesOutsideFunctions(node: AnyNode): Generator<AnyNode> {
  for (const child of childrenOf(node)) {
    if (FUNCTIONS.includes(child.type)) continue;
    yield child;
    yield* nodesOutsideFunctions(child);
  }
}

function groupName(names: ModuleNames, { callee }: CallExpression): string | undefined {
  const name = names.imported(callee)?.name;
  return name === 'all' || name === 'race' ? name : undefined;
}

const TEMPLATE = /\{\{\s*(?:params|input|context|outputs|checkpoint|result|item|trigger|run|step|secrets)\b[^}]*\}\}/;

/** Reports strings that look like templates of a workflow file: a flow uses them literally. */
function literals(names: ModuleNames, body: AnyNode, at: At): SourceProblem[] {
  const problems = new Map<AnyNode, SourceProblem>();
  for (const call of nodesIn(body)) {
    if (call.type !== 'CallExpression' || !isStep(names, rootOf(call))) continue;
    for (const node of call.arguments.flatMap((argument) => [...nodesIn(argument)])) {
      const text = node.type === 'Literal' ? node.value : node.type === 'TemplateElement' ? node.value.cooked : undefined;
      const [placeholder] = typeof text === 'string' ? (TEMPLATE.exec(text) ?? []) : [];
      if (placeholder === undefined) continue;
      const message = `"${placeholder}" is not rendered: a flow has its values in scope`;
      const hint = 'write a template literal with the value itself';
      problems.set(node, { code: 'TEMPLATE_LITERAL', message, hint, ...at(node) });
    }
  }
  return [...problems.values()];
}

/** The first expression of a chain such as `step('a').task(fn).retry(2)`. */
function rootOf(node: AnyNode): AnyNode {
  if (node.type === 'MemberExpression') return rootOf(node.object);
  return node.type === 'CallExpression' && node.callee.type === 'MemberExpression' ? rootOf(node.callee) : node;
}

function repeated(calls: readonly StepCall[], at: At): SourceProblem[] {
  return calls
    .filter(({ name, reached }) => name !== undefined && reached === 'often')
    .map(({ name, node }) => ({
      code: 'STEP_REPEATED',
      message: `the step "${name}" is in a loop and would fail in the second round, because names must be unique in a run`,
      hint: `number it: step(\`${name}-\${i}\`)`,
      ...at(node),
    }));
}

function replayed(names: ModuleNames, body: AnyNode, at: At): SourceProblem[] {
  const scope = { names, own: new Set([...names.constants.keys(), ...declaredIn(body)]) };
  const problems: SourceProblem[] = [];
  const visit = (node: AnyNode, isOfStep: boolean): void => {
    if (isOfStep && FUNCTIONS.includes(node.type)) return;
    const source = sourceOf(scope, node);
    const reads = SOURCES.get(source);
    if (reads !== undefined)
      problems.push({
        code: 'REPLAY_DIFFERS',
        message: `${source} ${reads}, so a replay could take a different path`,
        hint: 'do it in a step, whose result is recorded: yield* step("…").task(() => …)',
        ...at(node),
      });
    for (const child of childrenOf(node)) visit(child, isBuilder(names, node) ? child !== node.callee : isOfStep);
  };
  visit(body, false);
  return problems;
}

function isBuilder(names: ModuleNames, node: AnyNode): node is CallExpression {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  return BUILDERS.includes(nameOf(node.callee.property) ?? '') && isStep(names, rootOf(node));
}

/** The names that a function declares itself, which are not global. */
function declaredIn(body: AnyNode): string[] {
  return [...nodesIn(body)].flatMap((node) => {
    const patterns = node.type === 'VariableDeclarator' ? [node.id] : 'params' in node ? node.params : [];
    return patterns.flatMap((pattern) => [...nodesIn(pattern)].flatMap((inner) => (inner.type === 'Identifier' ? [inner.name] : [])));
  });
}

/** The names that a flow can use: those that its module imports, and those that it or its module declares. */
interface Scope {
  readonly names: ModuleNames;
  readonly own: ReadonlySet<string>;
}

/** The canonical form of an expression that may differ in a replay. */
function sourceOf(scope: Scope, node: AnyNode): string | undefined {
  if (node.type === 'NewExpression') return node.arguments.length === 0 ? `new ${globalName(scope, node.callee)}()` : undefined;
  if (node.type === 'CallExpression') return `${globalName(scope, node.callee)}()`;
  return node.type === 'MemberExpression' ? globalName(scope, node) : undefined;
}

/** The name of something global, such as `Date.now`; undefined for everything else. */
function globalName(scope: Scope, node: AnyNode): string | undefined {
  const imported = scope.names.imported(node);
  if (imported !== undefined) {
    if (!['crypto', 'node:crypto'].includes(imported.source)) return undefined;
    return ['default', '*'].includes(imported.name) ? 'crypto' : `crypto.${imported.name}`;
  }
  if (node.type === 'Identifier') return scope.own.has(node.name) ? undefined : node.name;
  if (node.type !== 'MemberExpression' || node.computed) return undefined;
  const object = globalName(scope, node.object);
  const name = nameOf(node.property);
  return object === undefined ? undefined : object === 'globalThis' ? name : `${object}.${name}`;
}
