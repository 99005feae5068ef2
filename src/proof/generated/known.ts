// Analyses a workflow before it runs: which conditions and templates read only parameters and arguments, the values of
// those conditions, and which steps a run with given parameters can reach.

import type { JsonObject } from '../../base/json.ts';
import { isChoice, transitionsOf } from '../../definition/analysis.ts';
import { type Choice, type Definition, type Edge, entryOf, type StepModel, type Target } from '../../definition/model.ts';
import { expressionOf, holds, needsOfPaths } from '../../definition/scope/scope.ts';
import { OWN_ROOTS } from '../../definition/scope/scope-root.ts';
import { pathsInTemplates } from '../../definition/scope/template-scope.ts';

type Paths = ReturnType<typeof pathsInTemplates>;

/** The known values: the parameters of a run, and the arguments of its current step. */
export interface KnownValues {
  readonly params: JsonObject;
  readonly args?: JsonObject;
}

/** Whether a condition reads no data that only a run has. */
export function isKnown(condition: string, values: KnownValues): boolean {
  return readsKnown(expressionOf(condition).paths, values);
}

/** Whether the templates in a part of a definition read no data that only a run has. */
export function isFilled(part: Parameters<typeof pathsInTemplates>[0], values: KnownValues): boolean {
  return readsKnown(pathsInTemplates(part), values);
}

function readsKnown(paths: Paths, { params, args = {} }: KnownValues): boolean {
  const isOwn = paths.some(({ segments: [root] }) => typeof root === 'string' && (OWN_ROOTS.includes(root) || root === 'secrets'));
  return (
    !isOwn &&
    needsOfPaths(paths).every((need) => need.read === 'data' && (Object.hasOwn(args, need.key) || Object.hasOwn(params, need.key)))
  );
}

/** Whether a condition is false for known values. One that cannot be evaluated is not. */
export function isRuledOut(
  condition: string | undefined,
  at: { readonly workflow: string; readonly step: string },
  values: KnownValues,
): boolean {
  if (condition === undefined || !isKnown(condition, values)) return false;
  try {
    return !holdsFor(condition, at, values);
  } catch {
    return false;
  }
}

function holdsFor(
  condition: string,
  { workflow, step }: { readonly workflow: string; readonly step: string },
  { params, args = {} }: KnownValues,
): boolean {
  const data = (key: string) => (Object.hasOwn(args, key) ? args[key] : undefined);
  return holds(condition, { run: { id: 'RUN', workflow }, step, view: { params, data, output: () => undefined } });
}

/** Returns the steps that a run with these parameters can reach and does not skip. */
export function stepsFor(definition: Definition, params: JsonObject): ReadonlySet<string> {
  const steps = new Map(definition.steps.map((step) => [step.id, step]));
  const seen = new Set<string>();
  const found = new Set<string>();
  const entry = entryOf(definition);
  const waiting = definition.steps.filter(({ id, side }) => id === entry || side === true).map(({ id }) => id);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const step = steps.get(id);
    if (step === undefined || seen.has(id)) continue;
    seen.add(id);
    const isSkipped = isRuledOut(step.condition, { workflow: definition.name, step: id }, { params });
    if (!isSkipped) found.add(id);
    for (const target of targetsFor(definition, step, { params, isSkipped })) if ('step' in target) waiting.push(target.step);
  }
  return found;
}

function targetsFor(
  definition: Definition,
  step: StepModel,
  { params, isSkipped }: { readonly params: JsonObject; readonly isSkipped: boolean },
): Target[] {
  const skip = step.next.skip === undefined ? '_default' : 'skip';
  return transitionsOf(step).flatMap(({ on, to, condition, via }) => {
    if (isSkipped && (via === 'option' || on !== skip)) return [];
    if (condition === undefined || !isKnown(condition.source, { params })) return [to];
    const isOther = isRuledOut(condition.source, { workflow: definition.name, step: step.id }, { params }) === condition.is;
    return isOther ? [] : [to];
  });
}

/** Returns the edges that an entry can take for these values: both if only a run can choose. */
export function edgesFor(entry: Edge | Choice, values: KnownValues): readonly (Edge | Choice)[] {
  return isChoice(entry) && !isKnown(entry.condition, values) ? [entry.onTrue, entry.onFalse] : [entry];
}
