// Compiles a checked workflow file: the file becomes the spec of a graph, which the graph compiler reads, and each problem
// gets its position in the file.
//
// - A stage without a transition for success goes to the next one in the file, the last to `complete`; a skipped one
//   likewise.
// C2. `fail`, `error`, `timeout`, `conflict` and `ci_failure` without a transition go where `on_error` leads, else
//     escalate.
// - A transition back without a bound is bounded by the limit of the workflow, and a warning says so.

import { durationOf } from '../../../base/duration.ts';
import { omitUndefined } from '../../../base/fields.ts';
import type { JsonObject } from '../../../base/json.ts';
import { camel } from '../../../base/letter-case.ts';
import { isOfStep } from '../../../definition/address.ts';
import type { CompiledWorkflow } from '../../../definition/code.ts';
import type { Definition } from '../../../definition/model.ts';
import { type ScheduleModel, scheduleOf } from '../../../definition/trigger/schedule.ts';
import type { TriggerModel } from '../../../definition/trigger/trigger.ts';
import { adviceOn, withoutUnusedSkip } from '../../../definition/validation/advice.ts';
import { type Problem, severityOf } from '../../../definition/validation/problem.ts';
import { checkDefinition } from '../../../definition/validation/validate.ts';
import { finishGraph, readGraph } from '../../graph/graph.ts';
import { GraphReading } from '../../graph/reading.ts';
import type { Compilers } from '../../graph/work.ts';
import type { YamlStage } from '../schema/form.ts';
import type { YamlWorkflow } from '../schema/schema.ts';
import { listOf } from './part.ts';
import { reactionPath } from './reaction.ts';
import { specOf } from './spec.ts';
import { type CompileProblem, type TransitionKey, Transitions, transitionKeysOf, transitionOf } from './transition.ts';

const MAX_ITERATIONS = 10;
/** Problems that are reported at the name in the file. */
const CHECKED_IN_FILE: ReadonlySet<string> = new Set(['TARGET_UNKNOWN', 'TARGET_IN_BRANCH', 'NAME_UNKNOWN']);
/** Problems that are mere consequences of a target that does not exist. */
const FOLLOWS_WRONG_TARGETS: ReadonlySet<string> = new Set(['UNREACHABLE', 'DEAD_END', 'NO_END']);
/** Problems that are mere consequences of two stages with the same id. */
const FOLLOWS_DUPLICATES: ReadonlySet<string> = new Set([...FOLLOWS_WRONG_TARGETS, 'LOOP_UNBOUNDED']);
/** Hints for problems of the graph, in the terms of a workflow file. */
const HINTS: Readonly<Record<string, string>> = {
  NO_END: 'let a stage lead to complete',
  UNREACHABLE: 'lead to it from a stage, or remove it',
  LOOP_REENTERED: 'let `then` lead out of the loop, or to "escalate"',
};

/** A definition, if there are no errors, and a function that freezes and hashes it: most files are only checked. */
interface Draft {
  readonly definition?: Definition;
  readonly finish?: () => CompiledWorkflow;
  readonly problems: readonly CompileProblem[];
}

/** The definition of a checked file, if there are no errors, and all problems. */
export function draftYaml(file: YamlWorkflow, compilers: Compilers): Draft {
  const transitions = new Transitions(file, file.limits?.max_iterations ?? MAX_ITERATIONS);
  const reading = new GraphReading(compilers, 'file');
  const draft = readGraph(specOf(file, transitions, compilers), reading);
  const { definition } = draft;
  // Names in expressions and targets of transitions are checked where they are written.
  const steps = definition.steps.map(withoutUnusedSkip);
  checkDefinition({ ...definition, steps }, reading.problems, { registry: compilers, roots: 'any' });
  const found = reading.problems.found
    .filter(({ code, reaction }) => reaction !== undefined || !CHECKED_IN_FILE.has(code))
    .map((problem) => placed(file, definition, problem));
  const hasWrongTarget = transitions.problems.some(({ severity }) => severity === 'error');
  const isTwice = found.some(({ code }) => code === 'STEP_DUPLICATE');
  const follows = isTwice ? FOLLOWS_DUPLICATES : hasWrongTarget ? FOLLOWS_WRONG_TARGETS : new Set<string>();
  const graph = found.filter(({ code }) => !follows.has(code));
  const problems = [...transitions.problems, ...graph];
  if (problems.some(({ severity }) => severity === 'error')) return { problems };
  const advice = adviceOn(definition, compilers).map((problem) => placed(file, definition, problem));
  return {
    definition,
    problems: [...problems, ...advice],
    finish: () => finishGraph(draft, reading, { trigger: triggerOf(file), schedule: scheduleIn(file), command: commandOf(file) }),
  };
}

/** The trigger of the workflow. */
export function triggerOf({ trigger, override_triggers }: YamlWorkflow): TriggerModel | undefined {
  const overrides = override_triggers === true ? { overrides: true as const } : {};
  if (trigger === undefined) return undefined;
  if (typeof trigger === 'string') return { event: trigger, labels: [], baseBranches: [], ...overrides };
  if (trigger.event === undefined) return undefined;
  const { labels = [], baseBranch, ...conditions } = camel(trigger.conditions ?? {});
  return {
    event: trigger.event,
    labels,
    baseBranches: listOf(baseBranch),
    ...omitUndefined({ ...conditions, fromRuns: trigger.from_runs, ...stopOf(trigger.stop_after) }),
    ...overrides,
  };
}

const DAY_MS = 86_400_000;

/** When a trigger ends: at a time, or after an age such as `+30d`; undefined if the text is neither. */
export function stopOf(text: string | undefined): Pick<TriggerModel, 'stopAfter' | 'stopAfterMs'> | undefined {
  if (text === undefined) return {};
  const end = text.startsWith('+') ? durationOf(text.slice(1)) || Number.NaN : endOf(text);
  if (!Number.isFinite(end)) return undefined;
  return text.startsWith('+') ? { stopAfterMs: end } : { stopAfter: end };
}

/** The end of a day, or a time; NaN for anything else. */
function endOf(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T00:00:00Z`) + DAY_MS - 1;
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
}

/** The command that starts the workflow. */
export function commandOf({ trigger }: YamlWorkflow): string | undefined {
  return trigger === undefined || typeof trigger === 'string' ? undefined : trigger.command;
}

/** The schedule of a file, if it has one. */
export function scheduleIn({ trigger }: YamlWorkflow): ScheduleModel | undefined {
  if (trigger === undefined || typeof trigger === 'string' || trigger.schedule === undefined) return undefined;
  const { schedule, timezone, catch_up: catchUp, params } = trigger;
  return scheduleOf({ schedule, ...omitUndefined({ timezone, catchUp, params: params as JsonObject | undefined }) });
}

/** A problem of a step, positioned at its stage. */
function placed(file: YamlWorkflow, { steps }: Definition, problem: Problem): CompileProblem {
  const { stages } = file;
  if (problem.reaction !== undefined) return { ...problem, severity: severityOf(problem), path: reactionPath(file, problem.reaction) };
  const step = problem.step ?? '';
  if (problem.code === 'STEP_DUPLICATE') {
    const { step: _, ...rest } = problem;
    const message = `there is another stage "${step}" before this one, but each needs its own id`;
    return { ...rest, severity: 'error', message, path: ['stages', stages.findLastIndex(({ id }) => id === step), 'id'] };
  }
  const { addedFor } = steps.find(({ id }) => id === step) ?? {};
  const index = stages.findIndex(({ id }) => isOfStep(addedFor ?? step, id));
  const stage = stages[index];
  const hint = HINTS[problem.code] ?? problem.hint;
  const severity = severityOf(problem);
  if (stage === undefined) return { ...problem, hint, severity, path: problem.param === undefined ? [] : ['params', problem.param] };
  // A limit that leads back into its loop is fixed at its `then`.
  const bounded = problem.code === 'LOOP_REENTERED' ? transitionKeysOf(stage).find((key) => isBoundedWithTarget(stage, key)) : undefined;
  const inside = bounded === undefined ? (problem.code === 'KIND_INVALID' && 'with' in stage ? ['with'] : []) : [bounded, 'then'];
  return { ...problem, hint, severity, path: ['stages', index, ...inside] };
}

function isBoundedWithTarget(stage: YamlStage, key: TransitionKey): boolean {
  const { max_iterations: max, then } = transitionOf(stage, key) ?? {};
  return max !== undefined && then !== undefined;
}
