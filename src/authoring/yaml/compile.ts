// Owns the way from a checked workflow file to the one definition that everything runs. There is no second engine: what
// the file says beyond a graph of steps (a delay on a transition, somebody to tell on entering) becomes steps of its own.
//
// C1. A stage without a way for success goes to the next one in the file, the last to `complete`; a skipped one likewise.
// C2. `fail`, `error`, `timeout`, `conflict` and `ci_failure` without a way go where `on_error` leads, else escalate.
// C3. A way back without a bound is bounded by the limit of the workflow, and a warning says so.

import { deepFreeze } from '../../base/json.ts';
import { arg } from '../../definition/arg.ts';
import { type CompiledWorkflow, NO_CODE } from '../../definition/code.ts';
import { hashCode, hashDefinition } from '../../definition/hash.ts';
import type { Definition, StepModel } from '../../definition/model.ts';
import { type Problem, ProblemList } from '../../definition/problem.ts';
import { checkDefinition } from '../../definition/validate.ts';
import { hookSteps } from './compile-hook.ts';
import { readStage } from './compile-stage.ts';
import { type CompileProblem, Ways } from './compile-way.ts';
import type { YamlWorkflow } from './document.ts';

const MAX_ITERATIONS = 10;
/** Faults that a target without a stage makes by itself. */
const FOLLOWS_WRONG_TARGETS: ReadonlySet<string> = new Set(['UNREACHABLE', 'DEAD_END', 'NO_END']);

/** The names that expressions of a workflow file may begin with; any other is one of the run's context. */
export const YAML_ROOTS: readonly string[] = [
  'params',
  'trigger',
  'context',
  'config',
  'outputs',
  'result',
  'gate',
  'action',
  'branches',
  'github',
  'run',
  'step',
  'checkpoint',
];

/** A workflow file as a definition. `workflow` is there when nothing is wrong but warnings. */
export interface Compiled {
  readonly workflow?: CompiledWorkflow;
  readonly problems: readonly CompileProblem[];
}

/** Compiles a checked document. */
export function compileYaml(document: YamlWorkflow): Compiled {
  const ways = new Ways(document, document.maxIterations ?? MAX_ITERATIONS);
  const stages = document.stages.flatMap((stage, index) => readStage(stage, { ways, index }));
  const steps = [...stages, ...ways.added, ...hookSteps(document)];
  const definition = definitionOf(document, steps);
  const problems = new ProblemList();
  // Names in expressions are checked with their places (`check-names.ts`), and targets where they are written.
  checkDefinition(definition, problems, { roots: 'any' });
  const found = problems.found
    .filter(({ code }) => code !== 'TARGET_UNKNOWN' && code !== 'TARGET_IN_BRANCH')
    .map((problem) => placed(document, problem));
  const errors = ways.wrong.length > 0 ? [...ways.wrong, ...found.filter(({ code }) => !FOLLOWS_WRONG_TARGETS.has(code))] : found;
  const all = [...errors, ...ways.warnings];
  if (errors.length > 0) return { problems: all };
  const frozen = deepFreeze(JSON.parse(JSON.stringify(definition)) as Definition);
  const workflow: CompiledWorkflow = Object.freeze({
    definition: frozen,
    hash: hashDefinition(frozen),
    codeHash: hashCode([]),
    code: new Map(frozen.steps.map(({ id }) => [id, NO_CODE])),
    children: new Map(),
  });
  return { workflow, problems: all };
}

function definitionOf(document: YamlWorkflow, steps: readonly StepModel[]): Definition {
  const { name, title, description, version, params, context, stages, onError } = document;
  const first = stages[0];
  return {
    name,
    title: title ?? name,
    description: description ?? '',
    ...(version === undefined ? {} : { version }),
    form: 'graph',
    params: Object.fromEntries(Object.entries(params).map(([key, spec]) => [key, arg(spec)])),
    entry: first === undefined ? '' : first.onEnter === undefined ? first.id : `${first.id}.enter`,
    steps,
    limits: { maxIterations: document.maxIterations ?? MAX_ITERATIONS },
    ...outputNamesOf(document),
    ...(onError.length === 0 ? {} : { onError: 'on_error.1' }),
    ...(context.length === 0 ? {} : { context: context.map(({ name: key, value }) => ({ name: key, value })) }),
  };
}

/** Outputs that only one stage produces, under names that no stage has. */
function outputNamesOf({ stages }: YamlWorkflow): Pick<Definition, 'outputNames'> {
  const producers = new Map<string, Set<string>>();
  for (const stage of stages)
    for (const { name } of 'outputs' in stage ? stage.outputs : []) producers.set(name, (producers.get(name) ?? new Set()).add(stage.id));
  const unique = [...producers].filter(([name, ids]) => ids.size === 1 && !stages.some(({ id }) => id === name));
  return unique.length === 0 ? {} : { outputNames: Object.fromEntries(unique.map(([name, ids]) => [name, [...ids][0] as string])) };
}

/** Where a problem of a step stands: at the stage it was made from. */
function placed(document: YamlWorkflow, problem: Problem): CompileProblem {
  const step = problem.step ?? '';
  const stage = document.stages.find(({ id }) => step === id || step.startsWith(`${id}.`) || step.startsWith(`${id}/`));
  return { ...problem, severity: 'error', path: stage?.path ?? [] };
}
