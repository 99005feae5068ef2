// Owns the order of steps of a graph: transition tables, choices by expression, bounds and what follows them.
//
// G1. A bound counts per edge and run and never resets; the next time the edge leads to its `then`.
// G2. A condition that cannot be evaluated escalates; it is never false by accident.

import { EngineError } from '../base/error.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import { stepsOnCycles } from '../definition/analysis.ts';
import { edgeKey } from '../definition/count-key.ts';
import { targetName } from '../definition/describe.ts';
import { type Definition, type Edge, type GraphDefinition, membersOf, type StepModel, type Target } from '../definition/model.ts';
import { DEFAULT_EXCLUDES } from '../definition/outcome.ts';
import { evaluationMessage, holds, itemsExpression, needsOf, needsOfShown, type ScopeInput } from '../definition/scope/scope.ts';
import { needsOfTemplates, rendered } from '../definition/scope/template-scope.ts';
import { isBefore } from '../definition/validation/rework.ts';
import type { TakenEdge } from '../kernel/event.ts';
import type { EndedActivation, Facts, Move, Need, Program, RunBeginning } from '../kernel/program.ts';
import type { HaltCause, RunState } from '../kernel/run-state.ts';
import { UNDO_MODEL, UNDO_STEP, undoMoves } from './undo.ts';

const programs = new WeakMap<GraphDefinition, Program>();

/** The program of a graph; made once per definition, since it holds nothing of a run. */
export function graphProgram(definition: GraphDefinition): Program {
  let program = programs.get(definition);
  if (program === undefined) {
    program = createGraphProgram(definition);
    programs.set(definition, program);
  }
  return program;
}

function createGraphProgram(definition: GraphDefinition): Program {
  const models = new Map<string, StepModel>();
  for (const step of definition.steps) {
    models.set(step.id, step);
    for (const member of membersOf(step)) models.set(`${step.id}/${member.id}`, member);
  }
  const cycles = stepsOnCycles(definition);
  const undoes = [...models.values()].some(({ undo }) => undo !== undefined);
  const model = (step: string): StepModel => {
    const found = step === UNDO_STEP ? UNDO_MODEL : models.get(step);
    if (found === undefined)
      throw new EngineError('STEP_UNKNOWN', `workflow "${definition.name}" has no step "${step}"${didYouMean(step, models.keys())}`);
    return found;
  };
  return {
    model,
    isOnCycle: (step) => cycles.has(step) || model(step).side === true,
    goesBack: (question, to) => isBefore(definition, to, question),
    outputNames: definition.outputNames,
    ...(definition.onError === undefined ? {} : { onError: definition.onError }),
    ...(undoes ? { onUndo: UNDO_STEP } : {}),
    reads: readsOf(definition),
    begin: (run, view, start = {}) => [
      ...initialData(definition, { run, view, start }),
      { do: 'open', step: model(start.detour?.asks[0]?.step ?? start.from ?? definition.entry).id },
    ],
    next: (run, ended, view) =>
      ended.step === UNDO_STEP ? undoMoves(ended, view) : nextMoves(model(ended.step), { run, ended, view, names: definition.outputNames }),
  };
}

/** The initial data of the run: the facts that it started with, and the `context` of its definition, in order. */
function initialData(
  { context = [], facts: names = [] }: Definition,
  { run, view, start }: { run: RunState; view: Facts; start: RunBeginning },
): Move[] {
  const unknown = names.length === 0 ? undefined : view.keep(Object.fromEntries(names.map((name) => [name, null])));
  const facts = [unknown, start.facts].flatMap((data) => (data === undefined ? [] : [{ do: 'merge' as const, data }]));
  if (context.length === 0) return facts;
  const data = new Map<string, Json>(names.map((name) => [name, null]));
  const known = start.facts === undefined ? null : view.value(start.facts);
  if (isJsonObject(known)) for (const [name, value] of Object.entries(known)) data.set(name, value);
  const own = new Map<string, Json>();
  const seen = { params: view.params, data: (key: string) => (own.has(key) ? own.get(key) : data.get(key)), output: () => undefined };
  for (const { name, value } of context) own.set(name, rendered(value, { run, view: seen }));
  const kept = view.keep(Object.fromEntries(own));
  return kept === undefined ? facts : [...facts, { do: 'merge', data: kept }];
}

/** The step that ended, and the run at that moment. */
interface TransitionContext {
  readonly run: RunState;
  readonly ended: EndedActivation;
  readonly view: Facts;
  readonly names: Definition['outputNames'];
}

/** The scope of expressions that are evaluated when a step has ended. */
function scopeAfter({ run, view, names, ended: { step, output } }: TransitionContext): ScopeInput {
  return { run, view, names, step, result: output === undefined ? null : view.value(output) };
}

// `nextMoves` asks `nextMove` for the entry of the transition table; `takeTransition` applies the limit of its edge (G1),
// `followEdge` evaluates the `context`, and `moveTo` turns the target into a move.

/** What follows a step. After a side step nothing does, unless it has a transition. */
function nextMoves(model: StepModel, at: TransitionContext): Move[] {
  if (model.side === true && model.next[transitionKey(model, at.ended)] === undefined) return [];
  return [nextMove(model, at)];
}

function nextMove(model: StepModel, at: TransitionContext): Move {
  const { ended } = at;
  const option = ended.choice === undefined ? undefined : model.question?.options.find((candidate) => candidate.label === ended.choice);
  if (option?.to !== undefined) return moveTo(option.to, at, { to: targetName(option.to) });
  const key = transitionKey(model, ended);
  const entry = model.next[key];
  if (entry === undefined) return unmapped(model, at);
  if (!('condition' in entry)) return takeTransition(entry, at, edgeKey(model.id, key));
  try {
    const yes = holds(entry.condition, scopeAfter(at));
    return takeTransition(yes ? entry.onTrue : entry.onFalse, at, edgeKey(model.id, key, yes));
  } catch (thrown) {
    return conditionFailed(evaluationMessage(entry.condition, thrown));
  }
}

/** The key of the transition table for how a step ended. Bounds are counted by it, so that an edge has one bound (G1). */
function transitionKey(model: StepModel, ended: EndedActivation): string {
  if (ended.allRejected && model.next.reject_all !== undefined) return 'reject_all';
  const covered = model.next[ended.outcome] === undefined && !DEFAULT_EXCLUDES.includes(ended.outcome);
  return covered ? '_default' : ended.outcome;
}

function takeTransition(edge: Edge, at: TransitionContext, key: string): Move {
  if (edge.max === undefined) return followEdge(edge, at, { to: targetName(edge.to) });
  const allowed = edge.max + (at.run.extended[key] ?? 0);
  if ((at.run.counts[key] ?? 0) < allowed) return followEdge(edge, at, { to: targetName(edge.to), key });
  const { ended } = at;
  const then = edge.then ?? { end: 'escalate' as const };
  const taken: TakenEdge = { to: targetName(then), key, exhausted: true };
  if (!('end' in then) || then.end !== 'escalate') return moveTo(then, at, taken);
  const message = `the transition from "${ended.step}" to "${targetName(edge.to)}" reached its limit of ${allowed}`;
  // Only a step can be visited more often. From an end the run continues like after any other escalation.
  const cause: HaltCause = 'end' in edge.to ? { reason: 'target', message } : { reason: 'exhausted', message, edge: key, to: edge.to.step };
  return escalate(cause, taken);
}

/** Follows an edge. Its `context` is evaluated now, while the step that ended can still be read. */
function followEdge(edge: Edge, at: TransitionContext, taken: TakenEdge): Move {
  if (edge.context === undefined) return moveTo(edge.to, at, taken);
  const { view, ended } = at;
  try {
    const merge = view.keep(rendered(edge.context, { ...scopeAfter(at), error: ended.error?.message }));
    return moveTo(edge.to, at, merge === undefined ? taken : { ...taken, merge });
  } catch (thrown) {
    const subject = `the \`context\` of the transition from "${ended.step}" to "${taken.to}"`;
    return conditionFailed(`${subject} could not be evaluated: ${thrown instanceof EngineError ? thrown.message : String(thrown)}`);
  }
}

function conditionFailed(message: string): Move {
  return escalate({ reason: 'condition', code: 'CONDITION_ERROR', message }, undefined);
}

function escalate(cause: HaltCause, edge: TakenEdge | undefined): Move {
  return { do: 'halt', status: 'escalated', cause, at: 'step', edge };
}

function moveTo(target: Target, at: TransitionContext, edge: TakenEdge): Move {
  if ('step' in target) return { do: 'open', step: target.step, edge };
  const { ended } = at;
  const { output } = ended;
  if (target.end === 'complete') return { do: 'end', status: 'completed', edge, output };
  if (target.end === 'reject') return { do: 'end', status: 'rejected', edge, output };
  const message = ended.error?.message ?? `step "${ended.step}" settled "${ended.outcome}", which leads to ${target.end}`;
  return { do: 'halt', status: target.end === 'fail' ? 'failed' : 'escalated', cause: { reason: 'target', message }, at: 'step', edge };
}

function unmapped(model: StepModel, { ended }: TransitionContext): Move {
  const { error, outcome, output } = ended;
  if (outcome === 'reject') return { do: 'end', status: 'rejected', edge: { to: 'reject' }, output };
  const message = error?.message ?? `step "${model.id}" settled "${outcome}", but \`next\` has no transition for that outcome`;
  return escalate({ reason: error === undefined ? 'unmapped' : 'error', message, code: error?.code }, { to: 'escalate' });
}

/** Everything that conditions, items and questions of the definition read, so that it can be loaded before a decision. */
function readsOf(definition: Definition): readonly Need[] {
  const names = definition.outputNames;
  const needs = new Map<string, Need>();
  const add = (need: Need) => needs.set(JSON.stringify(need), need);
  const visit = (step: StepModel): void => {
    for (const entry of Object.values(step.next)) {
      if ('condition' in entry) needsOf(entry.condition, names).forEach(add);
      for (const { context } of 'condition' in entry ? [entry.onTrue, entry.onFalse] : [entry])
        if (context !== undefined) needsOfTemplates(context, names).forEach(add);
    }
    if (step.condition !== undefined) needsOf(step.condition, names).forEach(add);
    if (step.kind === 'each') needsOf(itemsExpression(step.items), names).forEach(add);
    if (step.templates === true && step.question !== undefined) needsOfTemplates(step.question.prompt, names).forEach(add);
    needsOfShown(step.question?.show ?? [], names).forEach(add);
    membersOf(step).forEach(visit);
  };
  definition.steps.forEach(visit);
  return [...needs.values()];
}
