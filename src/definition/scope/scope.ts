// Owns the scope of expressions. It contains only the names an expression reads, from what the host loaded, so that
// evaluating one costs the same however long the run is.

import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { reservedName } from '../../base/reserved-name.ts';
import { type Expression, evaluate, evaluateCondition, parseExpression } from '../../expr/expression.ts';
import { HIDDEN_NAMES } from '../../expr/filters.ts';
import { CONDITION_ROOTS, FACT_ROOTS, OUTSIDE_ROOTS, OWN_ROOTS } from './scope-root.ts';

/** Something an expression reads that must be loaded first. */
export type ScopeNeed =
  | { readonly read: 'data'; readonly key: string }
  | { readonly read: 'output'; readonly step: string }
  /** Facts outside the run at the time of the decision. The host stores them in the data as `$root`. */
  | { readonly read: 'outside'; readonly root: string; readonly part: string | undefined };

/** The last decision of a person in a run, as authors read it in `checkpoint.lastDecision`: `step` is the step that asked. */
export interface LastDecision {
  readonly step: string;
  readonly option: string;
  readonly input?: string | undefined;
}

/** What an expression is evaluated against. */
export interface ScopeInput {
  readonly run: {
    readonly id: string;
    readonly workflow: string;
    readonly counts?: Readonly<Record<string, number>>;
    readonly decision?: LastDecision | undefined;
  };
  /** What the host has loaded. */
  readonly view: {
    readonly params: JsonObject;
    /** Returns a key of the run's data. */
    data(key: string): Json | undefined;
    /** Returns the latest result of a step. */
    output(step: string): Json | undefined;
  };
  /** Absent when the initial data of a run is evaluated, before its first step. */
  readonly step?: string;
  readonly result?: Json;
  /** Named outputs: the step that produces each. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** Why the step failed, for `action.error` in its own transitions. */
  readonly error?: string | undefined;
}

/** The most items of one fan-out. Each is a member of the run, whatever its body does. */
export const FAN_OUT_ITEMS_MAX = 100_000;

const parsed = new Map<string, Expression>();
const PARSED_MAX = 10_000;

/** Parses an expression once per process. */
export function expressionOf(source: string): Expression {
  let expression = parsed.get(source);
  if (expression === undefined) {
    expression = parseExpression(source);
    if (parsed.size >= PARSED_MAX) parsed.clear();
    parsed.set(source, expression);
  }
  return expression;
}

const NEEDLESS_ROOTS: readonly string[] = ['params', 'run', 'step', 'secrets'];

/** Returns what must be loaded before the expression can be evaluated. */
export function needsOf(source: string, names?: ScopeInput['names']): ScopeNeed[] {
  return needsOfPaths(expressionOf(source).paths, names);
}

/** Returns what must be loaded before anything that reads these paths can be evaluated. */
export function needsOfPaths(paths: Expression['paths'], names: ScopeInput['names'] = {}): ScopeNeed[] {
  const output = (name: string): ScopeNeed[] => [...new Set([name, names[name] ?? name])].map((step) => ({ read: 'output', step }));
  return paths.flatMap(({ segments: [root, first, second] }): ScopeNeed[] => {
    if (typeof root !== 'string' || OWN_ROOTS.includes(root) || NEEDLESS_ROOTS.includes(root)) return [];
    if (OUTSIDE_ROOTS.includes(root))
      return [
        { read: 'outside', root, part: typeof first === 'string' ? first : undefined },
        { read: 'data', key: reservedName(root) },
      ];
    if (FACT_ROOTS.includes(root)) return [{ read: 'data', key: reservedName(root) }];
    if (root !== 'outputs' && root !== 'checkpoint' && root !== 'context') return [{ read: 'data', key: root }];
    if (typeof first !== 'string') return [];
    if (root === 'outputs') return output(first);
    if (first === 'results' || (root === 'context' && first === 'outputs')) return typeof second === 'string' ? output(second) : [];
    return [{ read: 'data', key: first }];
  });
}

/** Returns the expression of an `items`: a bare path refers to the checkpoint's data. */
export function itemsExpression(source: string): string {
  const root = /^[A-Za-z_$][\w$]*/.exec(source)?.[0];
  return root === undefined || CONDITION_ROOTS.includes(root) ? source : `checkpoint.${source}`;
}

/** Whether a condition holds. */
export function holds(source: string, input: ScopeInput): boolean {
  const expression = expressionOf(source);
  assertReadable(expression, input);
  return evaluateCondition(expression, scopeOf(expression, input));
}

/** Returns the value of an expression. */
export function expressionValue(source: string, input: ScopeInput): Json {
  const expression = expressionOf(source);
  assertReadable(expression, input);
  return evaluate(expression, scopeOf(expression, input));
}

/** If outside facts could not be read, every expression that uses them fails with the reason. */
function assertReadable({ paths }: Expression, { view }: ScopeInput): void {
  for (const root of OUTSIDE_ROOTS) {
    if (!paths.some(({ segments }) => segments[0] === root)) continue;
    const facts = view.data(reservedName(root));
    if (isJsonObject(facts) && typeof facts.unreadable === 'string') throw new EngineError('EXPRESSION_EVALUATION', facts.unreadable);
  }
}

// Null would look like a value that a step returned.
const NOT_FOUND = '(nothing in this run has that name)';

/** Returns what must be loaded before the values of these dotted paths can be shown. */
export function needsOfShown(paths: readonly string[], names: ScopeInput['names'] = {}): ScopeNeed[] {
  return paths.flatMap((path): ScopeNeed[] => {
    const [root = '', name] = path.split('.');
    const steps = root === 'outputs' && name !== undefined ? [...new Set([name, names[name] ?? name])] : [];
    return [{ read: 'data', key: root }, ...steps.map((step): ScopeNeed => ({ read: 'output', step }))];
  });
}

/** Returns values by dotted paths into the current result, the checkpoint's data, the params, and `outputs` of steps. */
export function shownValues(paths: readonly string[], input: ScopeInput): JsonObject {
  const shown: Record<string, Json> = {};
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.');
    let value: Json | undefined = isOwn(input.result, first) ? (input.result as JsonObject)[first] : dataOrParam(first, input);
    if (value === undefined && first === 'outputs') value = outputsOf(rest[0], input);
    for (const segment of rest) value = isOwn(value, segment) ? (value as JsonObject)[segment] : undefined;
    shown[path] = value === undefined ? NOT_FOUND : value;
  }
  return shown;
}

/** Returns a scope with exactly what these paths read. */
export function scopeOf({ paths }: Pick<Expression, 'paths'>, input: ScopeInput): JsonObject {
  const scope: Record<string, Json> = {};
  const checkpoint: Record<string, Json> = {};
  const context: Record<string, Json> = {};
  const outputs: Record<string, Json> = {};
  for (const { segments } of paths) {
    const [root, first, second] = segments;
    if (root === 'outputs') addOutput(outputs, first, input);
    else if (root === 'checkpoint' && first === 'results') addOutput(outputs, second, input);
    else if (root === 'checkpoint') addCheckpoint(checkpoint, first, input);
    else if (root === 'context' && first === 'outputs') addOutput(outputs, second, input);
    else if (root === 'context') addCheckpoint(context, first, input);
    else if (typeof root === 'string') addRoot(scope, root, input);
  }
  if (Object.keys(outputs).length > 0) Object.assign(scope, { outputs });
  addHiddenFacts(scope, paths, input);
  scope.checkpoint = { ...checkpoint, results: outputs };
  scope.context = { ...context, outputs };
  return scope;
}

function addRoot(scope: Record<string, Json>, root: string, input: ScopeInput): void {
  const value = rootValue(root, input);
  if (value !== undefined) scope[root] = value;
}

/** Returns the value of a root; other names refer to the run's data. */
function rootValue(root: string, input: ScopeInput): Json | undefined {
  const { run, view, step = null, result = null, error = null } = input;
  switch (root) {
    case 'params':
      return view.params;
    case 'run':
      return { id: run.id, workflow: run.workflow };
    case 'step':
      return { id: step };
    case 'action':
      return { error, ...(isJsonObject(result) ? result : { result }) };
    default:
      if (OWN_ROOTS.includes(root)) return withoutFacts(result);
      return view.data(FACT_ROOTS.includes(root) ? reservedName(root) : root);
  }
}

/** Adds facts that were recorded with the outputs and the current result, for filters only. */
function addHiddenFacts(scope: Record<string, Json>, paths: Expression['paths'], { view, names = {}, result = null }: ScopeInput): void {
  const steps = needsOfPaths(paths, names).flatMap((need) => (need.read === 'output' ? [need.step] : []));
  const readsOwn = paths.some(({ segments: [root] }) => root === 'result');
  if (steps.length === 0 && !readsOwn) return;
  const outputs = [...steps.map((step) => view.output(step)), ...(readsOwn ? [result] : [])].filter(isJsonObject);
  for (const name of HIDDEN_NAMES)
    scope[name] = outputs.flatMap((output) => (Object.hasOwn(output, name) && Array.isArray(output[name]) ? output[name] : []));
}

/** Returns a step's output as authors see it, without the facts recorded for filters. */
function withoutFacts(output: Json): Json {
  if (!isJsonObject(output) || !HIDDEN_NAMES.some((name) => Object.hasOwn(output, name))) return output;
  return Object.fromEntries(Object.entries(output).filter(([name]) => !HIDDEN_NAMES.includes(name)));
}

function outputsOf(step: string | undefined, input: ScopeInput): JsonObject {
  const outputs: Record<string, Json> = {};
  addOutput(outputs, step, input);
  return outputs;
}

function addOutput(outputs: Record<string, Json>, step: unknown, input: ScopeInput): void {
  if (typeof step !== 'string') return;
  const own = input.view.output(step);
  // A result of null is an output as well.
  const value = own === undefined ? outputNamed(step, input) : own;
  if (value !== undefined) outputs[step] = withoutFacts(value);
}

/** Returns a named output, if no step has that name. */
function outputNamed(name: string, { view, names = {} }: ScopeInput): Json | undefined {
  const step = Object.hasOwn(names, name) ? names[name] : undefined;
  const outputs = step === undefined ? undefined : view.output(step);
  return isOwn(outputs, name) ? (outputs as JsonObject)[name] : undefined;
}

function addCheckpoint(checkpoint: Record<string, Json>, key: unknown, input: ScopeInput): void {
  if (typeof key !== 'string') return;
  if (key === 'iterationCounts') checkpoint[key] = input.run.counts ?? {};
  else if (key === 'lastDecision') checkpoint[key] = (input.run.decision as Json | undefined) ?? null;
  else {
    const value = dataOrParam(key, input);
    if (value !== undefined) checkpoint[key] = value;
  }
}

function dataOrParam(key: string, input: ScopeInput): Json | undefined {
  const value = input.view.data(key);
  if (value !== undefined) return value;
  return Object.hasOwn(input.view.params, key) ? input.view.params[key] : undefined;
}

function isOwn(value: Json | undefined, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

/** Returns the message of a failed evaluation, for a run's record. */
export function evaluationMessage(source: string, thrown: unknown): string {
  const why = thrown instanceof EngineError ? thrown.message : String(thrown);
  return `the condition ${JSON.stringify(source)} could not be evaluated: ${why}`;
}
