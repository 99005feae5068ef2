// Owns the way from a checked workflow file to the one definition that everything runs. There is no second engine: what
// the file says beyond a graph of steps (a delay on a transition, somebody to tell on entering) becomes steps of its own.
//
// C1. A stage without a way for success goes to the next one in the file, the last to `complete`; a skipped one likewise.
// C2. `fail`, `error`, `timeout`, `conflict` and `ci_failure` without a way go where `on_error` leads, else escalate.
// C3. A way back without a bound is bounded by the limit of the workflow, and a warning says so.

import { arg } from '../../../definition/arg.ts';
import type { Budget } from '../../../definition/budget.ts';
import type { CompiledWorkflow } from '../../../definition/code.ts';
import type { KindRegistry } from '../../../definition/kind.ts';
import { type Definition, membersOf, type StepModel } from '../../../definition/model.ts';
import { workflowOf } from '../../../definition/plain-workflow.ts';
import { type Problem, ProblemList } from '../../../definition/problem.ts';
import { bypassesIn } from '../../../definition/rework.ts';
import { checkDefinition } from '../../../definition/validate.ts';
import type { YamlBudget, YamlWorkflow } from '../document/document.ts';
import { hookSteps } from './hook.ts';
import { tiedToHead } from './landing.ts';
import { readStage } from './stage.ts';
import { type CompileProblem, Ways } from './way.ts';

const MAX_ITERATIONS = 10;
/** Faults that a target without a stage makes by itself. */
const FOLLOWS_WRONG_TARGETS: ReadonlySet<string> = new Set(['UNREACHABLE', 'DEAD_END', 'NO_END']);
/** Faults that two stages of one id make by themselves. */
const FOLLOWS_DUPLICATES: ReadonlySet<string> = new Set([...FOLLOWS_WRONG_TARGETS, 'LOOP_UNBOUNDED']);
const NOTHING: ReadonlySet<string> = new Set();
/** What to do about faults of the graph, in the words of a workflow file. */
const HINTS: Readonly<Record<string, string>> = {
  NO_END: 'let a stage lead to complete',
  UNREACHABLE: 'lead to it from a stage, or remove it',
  LOOP_REENTERED: 'let "then" lead out of the loop, or to escalate',
};

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
export function compileYaml(document: YamlWorkflow, registry: KindRegistry): Compiled {
  const { definition, problems } = draftYaml(document, registry);
  return definition === undefined ? { problems } : { workflow: workflowOf(definition, document.trigger), problems };
}

/** A definition that nobody has frozen or hashed: enough to say what is wrong. */
interface Draft {
  readonly definition?: Definition;
  readonly problems: readonly CompileProblem[];
}

/** The definition of a checked document, if nothing is wrong but warnings, and everything that is. */
export function draftYaml(document: YamlWorkflow, registry: KindRegistry): Draft {
  const ways = new Ways(document, document.maxIterations ?? MAX_ITERATIONS);
  const stages = document.stages.flatMap((stage, index) => readStage(stage, { ways, index, registry }));
  const steps = tiedToHead(document, [...stages, ...ways.added, ...hookSteps(document)], ways);
  const definition = definitionOf(document, steps);
  const problems = new ProblemList();
  // Names in expressions are checked with their places (`check-names.ts`), and targets where they are written.
  checkDefinition({ ...definition, steps: steps.map(withoutIdleSkip) }, problems, { registry, roots: 'any' });
  const found = problems.found
    .filter(({ code }) => code !== 'TARGET_UNKNOWN' && code !== 'TARGET_IN_BRANCH')
    .map((problem) => placed(document, problem));
  const isTwice = found.some(({ code }) => code === 'STEP_DUPLICATE');
  const follows = isTwice ? FOLLOWS_DUPLICATES : ways.wrong.length > 0 ? FOLLOWS_WRONG_TARGETS : NOTHING;
  const all = [...ways.wrong, ...found.filter(({ code }) => !follows.has(code)), ...ways.warnings, ...bypassWarnings(document, definition)];
  return all.some(({ severity }) => severity === 'error') ? { problems: all } : { definition, problems: all };
}

/** Rework that returns to a question without the checks that everything before had to pass. */
function bypassWarnings(document: YamlWorkflow, { steps, entry }: Definition): CompileProblem[] {
  return bypassesIn(steps.map(withoutIdleSkip), entry).map(({ gate, rework, check }) => {
    const problem: Problem = {
      step: gate,
      code: 'CHECK_BYPASSED',
      message: `what "${rework}" changes after a decision at "${gate}" comes back to it without passing "${check}"`,
      hint: `lead "${rework}" to "${check}", so that what is asked about was checked`,
    };
    return { ...placed(document, problem), severity: 'warning' };
  });
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
    ...(document.budget === undefined ? {} : { budget: budgetOf(document.budget) }),
    ...(Object.keys(document.permissions).length === 0 ? {} : { permissions: document.permissions }),
    ...(document.protected.length === 0 ? {} : { protected: document.protected }),
    facts: ['issue_number', 'pr_number', 'labels', 'base_branch'],
    ...outputNamesOf(document),
    ...(onError.length === 0 ? {} : { onError: 'on_error.1' }),
    ...(context.length === 0 ? {} : { context: context.map(({ name: key, value }) => ({ name: key, value })) }),
  };
}

/** The amounts of a budget that were written. */
function budgetOf(budget: YamlBudget): Budget {
  return Object.fromEntries(Object.entries(budget).filter(([, amount]) => amount !== undefined));
}

/** The step without its way for being skipped, where only a person could skip it: that is no path to rely on. */
function withoutIdleSkip(step: StepModel): StepModel {
  const members = membersOf(step);
  const isSkippable = step.condition !== undefined || (members.length > 0 && members.every(({ condition }) => condition !== undefined));
  if (isSkippable || step.next.ok === undefined) return step;
  const { skip: _, ...next } = step.next;
  return { ...step, next };
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
  if (problem.code === 'STEP_DUPLICATE') {
    const second = document.stages.findLast(({ id }) => step === id);
    const { step: _, ...rest } = problem;
    const message = `there is another stage "${step}" before this one, and each has an id of its own`;
    return { ...rest, severity: 'error', message, path: [...(second?.path ?? []), 'id'] };
  }
  const stage = document.stages.find(({ id }) => step === id || step.startsWith(`${id}.`) || step.startsWith(`${id}/`));
  // A bound that leads back into its loop is mended where it says what follows it.
  const ends =
    problem.code === 'LOOP_REENTERED'
      ? Object.values(stage?.transitions ?? {}).find(({ max, then }) => max !== undefined && then !== undefined)
      : undefined;
  return { ...problem, hint: HINTS[problem.code] ?? problem.hint, severity: 'error', path: ends?.then?.path ?? stage?.path ?? [] };
}
