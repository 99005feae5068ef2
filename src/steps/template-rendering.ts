// Renders a step's templates from the run's record, just before the work.

import type { Json } from '../base/json.ts';
import { type CheckModel, isBuiltIn, nestedChecks } from '../definition/check.ts';
import type { StepModel, WorkConfigs } from '../definition/model.ts';
import type { ScopeInput } from '../definition/scope/scope.ts';
import { rendered } from '../definition/scope/template-scope.ts';
import type { AttemptRequest, Snapshot } from './attempt.ts';
import { withoutForgedHeadings } from './instructions/quotes.ts';

/** The request with the templates of its step rendered from the run's record. */
export function renderTemplates(request: AttemptRequest, snapshot: Snapshot): AttemptRequest {
  const { bound } = request;
  const input = scopeInputOf(request, snapshot);
  const fill = <T>(value: T): T => rendered(value as Json, input) as T;
  return { ...request, bound: { ...bound, model: renderModel(bound.model, fill) } };
}

/** The scope of a step's templates. */
export function scopeInputOf(request: AttemptRequest, { data, results, iterationCounts, decision }: Snapshot): ScopeInput {
  const { runId, workflow, bound, params, item } = request;
  const view = {
    params,
    data: (key: string) => (key === 'item' && item !== undefined ? item : data[key]),
    output: (step: string) => results[step],
  };
  const decided = decision === undefined ? {} : { decision };
  const run = { id: runId, workflow: workflow.definition.name, counts: iterationCounts, ...decided };
  const undone = request.undoes === undefined ? {} : { result: request.result };
  return { run, view, names: workflow.definition.outputNames, step: bound.model.id, ...undone };
}

type Render = <T>(value: T) => T;

function renderModel(model: StepModel, fill: Render): StepModel {
  if (model.kind === 'workflow') return { ...model, input: fill(model.input) };
  return 'config' in model ? ({ ...model, config: renderConfig(model.config, fill) } as StepModel) : model;
}

function renderConfig(config: WorkConfigs[keyof WorkConfigs], fill: Render): object {
  if ('checks' in config) return { ...config, checks: renderChecks(config.checks, fill) };
  if ('run' in config || 'argv' in config) return renderProgram(config, fill);
  return 'prompt' in config ? renderTask(config, fill) : fill(config);
}

/** Renders the work of an agent. No value in its prompt can look like a section of the instructions. */
function renderTask<Task extends { readonly prompt?: string }>(task: Task, fill: Render): Task {
  const filled = fill(task);
  return task.prompt === undefined || typeof filled.prompt !== 'string'
    ? filled
    : { ...filled, prompt: withoutForgedHeadings(task.prompt, filled.prompt) };
}

/** Renders the environment of a program, but not its command: no value becomes part of one. */
function renderProgram<Program extends { readonly run?: unknown; readonly argv?: unknown }>(program: Program, fill: Render): Program {
  const { run: _, argv: __, ...rest } = program;
  return { ...program, ...fill(rest) };
}

/** Renders the checks of a gate, except requests, which are rendered when they are sent because they may contain secrets. */
function renderChecks(checks: readonly CheckModel[], fill: Render): CheckModel[] {
  return checks.map((check) => {
    if (check.templates === true) return check;
    const inner = nestedChecks(check);
    if (inner.length > 0) return { ...check, checks: renderChecks(inner, fill) } as CheckModel;
    return isBuiltIn(check, 'command') ? renderProgram(check, fill) : fill(check);
  });
}
