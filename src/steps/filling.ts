// Owns rendering a step's templates from the run's record, just before the work.

import type { Json } from '../base/json.ts';
import { type CheckModel, nestedChecks } from '../definition/check.ts';
import type { StepModel, WorkConfigs } from '../definition/model.ts';
import { isProgramCheck } from '../definition/read-check.ts';
import type { ScopeInput } from '../definition/scope/scope.ts';
import { rendered } from '../definition/scope/template-scope.ts';
import type { AttemptRequest, Snapshot } from './attempt.ts';
import { asTask } from './instructions/quotes.ts';

/** The request with the templates of its step rendered from the run's record. */
export function filledIn(request: AttemptRequest, snapshot: Snapshot): AttemptRequest {
  const { bound } = request;
  const input = scopeInputOf(request, snapshot);
  const fill = <T>(value: T): T => rendered(value as Json, input) as T;
  return { ...request, bound: { ...bound, model: filledModel(bound.model, fill) } };
}

/** What the templates of a step are evaluated against. */
export function scopeInputOf(request: AttemptRequest, { data, results, iterationCounts, gateDecision }: Snapshot): ScopeInput {
  const { runId, workflow, bound, params, item } = request;
  const view = {
    params,
    data: (key: string) => (key === 'item' && item !== undefined ? item : data[key]),
    output: (step: string) => results[step],
  };
  const decided = gateDecision === undefined ? {} : { decision: gateDecision };
  const run = { id: runId, workflow: workflow.definition.name, counts: iterationCounts, ...decided };
  const undone = request.undoes === undefined ? {} : { result: request.result };
  return { run, view, names: workflow.definition.outputNames, step: bound.model.id, ...undone };
}

type Fill = <T>(value: T) => T;

function filledModel(model: StepModel, fill: Fill): StepModel {
  if (model.kind === 'workflow') return { ...model, input: fill(model.input) };
  return 'config' in model ? ({ ...model, config: filledConfig(model.config, fill) } as StepModel) : model;
}

function filledConfig(config: WorkConfigs[keyof WorkConfigs], fill: Fill): object {
  if ('checks' in config) return { ...config, checks: filledChecks(config.checks, fill) };
  if ('run' in config || 'argv' in config) return filledProgram(config, fill);
  return 'prompt' in config ? filledTask(config, fill) : fill(config);
}

/** The work of an agent; no value in its prompt can pass as part of the instructions. */
function filledTask<Task extends { readonly prompt?: string }>(task: Task, fill: Fill): Task {
  const filled = fill(task);
  return task.prompt === undefined || typeof filled.prompt !== 'string'
    ? filled
    : { ...filled, prompt: asTask(task.prompt, filled.prompt) };
}

/** A program with its environment rendered: no value becomes part of a command. */
function filledProgram<Program extends { readonly run?: unknown; readonly argv?: unknown }>(program: Program, fill: Fill): Program {
  const { run: _, argv: __, ...rest } = program;
  return { ...program, ...fill(rest) };
}

/** The checks of a gate, except requests, which are rendered when they are sent because they may contain secrets. */
function filledChecks(checks: readonly CheckModel[], fill: Fill): CheckModel[] {
  return checks.map((check) => {
    if (check.templates === true) return check;
    const inner = nestedChecks(check);
    if (inner.length > 0) return { ...check, checks: filledChecks(inner, fill) } as CheckModel;
    return isProgramCheck(check) ? filledProgram(check, fill) : fill(check);
  });
}
