// Writes a definition as a workflow file. The text is read back immediately, and the caller gets all differences: a file that
// silently means something else is worse than none.
//
// - A definition that came from a workflow file is written so that it reads back equal.
// - What a file cannot express, such as a function, is an error that names its step.

import { stringify } from 'yaml';
import { writeDuration } from '../../../base/duration.ts';
import { EngineError } from '../../../base/error.ts';
import { omitUndefined } from '../../../base/fields.ts';
import { canonicalJson, type Json, type JsonObject } from '../../../base/json.ts';
import { snake } from '../../../base/letter-case.ts';
import { addedName, addedPurpose } from '../../../definition/address.ts';
import type { Breakers } from '../../../definition/breakers.ts';
import { writeBudget } from '../../../definition/budget.ts';
import { withoutDatabases } from '../../../definition/database.ts';
import type { Definition, GraphDefinition, StepModel } from '../../../definition/model.ts';
import type { DescribedWorkflow } from '../../../definition/plain-workflow.ts';
import type { ReactionModel } from '../../../definition/trigger/reaction.ts';
import type { Compilers } from '../../graph/work.ts';
import { checkYaml } from '../check/check.ts';
import { nonEmpty } from '../compile/part.ts';
import { writeHook, writeNotify, writeWork } from './stage.ts';
import { TransitionWriter } from './transition.ts';
import { refusal } from './word.ts';

const LINE_WIDTH = 120;
const HOOK = /^on_(?:complete|error)\.\d+$/;
/** The default, which is left out. */
const MAX_ITERATIONS = 10;

/** A workflow file, and where it differs from the definition when it is read back. */
export interface WorkflowYaml {
  readonly text: string;
  /** By step or field; empty when the file is the same definition. */
  readonly differences: readonly string[];
}

/** Writes a workflow as a file; `around` are fields that definitions do not contain, such as its trigger. */
export function writeYaml(workflow: DescribedWorkflow, registry: Compilers, around: JsonObject = {}): WorkflowYaml {
  const { definition, functions, hasContext } = workflow;
  if (definition.form === 'flow')
    throw new EngineError(
      'USAGE',
      `cannot export "${definition.name}": it is a flow, and a workflow file cannot contain functions; keep it as a module`,
    );
  if (hasContext) throw new EngineError('USAGE', `cannot export "${definition.name}": its \`context\` is a function; keep it as a module`);
  for (const step of functions) throw refusal(step, 'it contains a function');
  const text = stringify(documentOf(definition, around, registry), { lineWidth: LINE_WIDTH });
  const { compiled, errors } = checkYaml(`${definition.name}.yaml`, text, registry);
  const [wrong] = errors;
  if (compiled === undefined)
    throw new EngineError('USAGE', `"${definition.name}" cannot be written as a workflow file: ${wrong?.message}; ${wrong?.hint}`);
  return { text, differences: differencesOf(definition, compiled.definition) };
}

function documentOf(definition: GraphDefinition, around: JsonObject, compilers: Compilers): JsonObject {
  const { name, title, description, version, params, steps, limits, context, entry, permissions, budget } = definition;
  const transitions = new TransitionWriter(definition, compilers);
  const stages = steps.filter(({ id }) => !HOOK.test(id) && !transitions.isAdded(id));
  const [first] = stages;
  if (first !== undefined && transitions.nameOf({ step: entry }, first.id) !== first.id)
    throw refusal(entry, 'the workflow begins with it, but it is not the first step');
  return omitUndefined({
    apiVersion: 'pawl.dev/v1',
    kind: 'Workflow',
    metadata: omitUndefined({
      name,
      title: title === name ? undefined : title,
      description: description === '' ? undefined : description,
      version,
    }),
    ...around,
    params: Object.keys(params).length === 0 ? undefined : (params as unknown as JsonObject),
    context: context && Object.fromEntries(context.map((entry) => [entry.name, entry.value])),
    permissions: permissions as JsonObject | undefined,
    writes: definition.writes as JsonObject | undefined,
    staged: definition.staged,
    protected: definition.protected && [...definition.protected],
    databases: definition.databases as Json | undefined,
    snapshot: definition.snapshot as JsonObject | undefined,
    budget: budget && writeBudget(budget),
    limits: limits.maxIterations === MAX_ITERATIONS ? undefined : { max_iterations: limits.maxIterations },
    circuit_breakers: definition.breakers && writeBreakers(definition.breakers),
    on_events: definition.onEvents && writeReactions(definition.onEvents, (step) => transitions.nameOf({ step }, step)),
    stages: stages.map((step) => stageOf(withoutDatabases(step, definition.databases), transitions, compilers)),
    on_complete: hooksOf(definition, 'on_complete'),
    on_error: hooksOf(definition, 'on_error'),
  });
}

function hooksOf({ steps }: Definition, list: 'on_complete' | 'on_error'): Json | undefined {
  const hooks = steps.filter(({ id }) => HOOK.test(id) && addedPurpose(id, list) !== undefined);
  return hooks.length === 0 ? undefined : hooks.map(writeHook);
}

function stageOf(step: StepModel, transitions: TransitionWriter, compilers: Compilers): JsonObject {
  const enter = transitions.step(addedName(step.id, 'enter'));
  return {
    ...frameOf(step),
    ...writeWork(step, { compilers, branchOf: frameOf, goto: (to) => transitions.nameOf(to, step.id) }),
    ...(enter === undefined ? {} : { on_enter: { notify: writeNotify(enter) } }),
    ...transitions.write(step),
  };
}

function frameOf(step: StepModel): JsonObject {
  const { id, title, condition, timeoutMs, recovery, writes, protected: guarded, mayChange, network, mutatesCheckout } = step;
  const { databases, onFail, staged } = step;
  const { args, actions, preconditions, postconditions, slots } = step;
  if (preconditions.length + postconditions.length > 0) throw refusal(id, 'it has preconditions or postconditions');
  if (Object.keys(args).length + actions.length > 0) throw refusal(id, 'it has arguments or instructions');
  if (slots.length > 0) throw refusal(id, 'it has slots');
  return omitUndefined({
    id,
    name: title === id ? undefined : title,
    condition,
    timeout: timeoutMs === undefined ? undefined : writeDuration(timeoutMs),
    recovery,
    writes: writes && [...writes],
    protected: guarded && [...guarded],
    may_change: mayChange && [...mayChange],
    network: network as Json | undefined,
    mutates_checkout: mutatesCheckout,
    staged,
    databases: databases as Json | undefined,
    restore_on_fail: onFail === undefined ? undefined : true,
  });
}

/** The fields that differ after reading back. */
function differencesOf(before: Definition, after: Definition): string[] {
  const steps = new Map(after.steps.map((step) => [step.id, step]));
  const ofSteps = before.steps.flatMap((step) => {
    const fields = differing(step, steps.get(step.id));
    return fields.length === 0 ? [] : [`step "${step.id}": ${fields.join(', ')}`];
  });
  const { steps: _before, ...head } = before;
  const { steps: _after, ...read } = after;
  const added = after.steps.filter(({ id }) => !before.steps.some((step) => step.id === id));
  return [...differing(head, read), ...ofSteps, ...added.map(({ id }) => `step "${id}" is new`)];
}

function differing(before: object, after: object | undefined): string[] {
  if (after === undefined) return ['all of it'];
  const values = { before: new Map(Object.entries(before)), after: new Map(Object.entries(after)) };
  const same = (field: string): boolean => textOf(values.before.get(field)) === textOf(values.after.get(field));
  return [...new Set([...values.before.keys(), ...values.after.keys()])].filter((field) => field !== 'addedFor' && !same(field));
}

function textOf(value: unknown): string {
  return value === undefined ? '' : canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}

/** The reactions as a list; `stageOf` returns the stage of a step. */
function writeReactions(reactions: readonly ReactionModel[], stageOf: (step: string) => string): Json {
  return reactions.map(({ event, do: kind, step, max, notify, message, ...conditions }) => {
    const { label, labels, assigneeIsBot, milestone, baseBranches, reviewState } = conditions;
    const lists = { labels: nonEmpty([...labels]), baseBranch: nonEmpty([...baseBranches]) };
    const written = omitUndefined(snake({ label, assigneeIsBot, milestone, ...lists, reviewState }));
    return omitUndefined({ event, conditions: nonEmpty(written), do: kind, stage: step && stageOf(step), max, notify, message }) as Json;
  });
}

/** The limits; one that is off is written as `false`, because a missing one would get its default. */
function writeBreakers({ iterations, toolCalls, turns, activeMs, sleepMs }: Breakers): Json {
  const time = (ms: number | undefined): string | false => (ms === undefined ? false : writeDuration(ms));
  return {
    ...{ max_iterations: iterations ?? false, max_tool_calls: toolCalls ?? false, max_turns: turns ?? false },
    ...{ max_active: time(activeMs), max_sleep: time(sleepMs) },
  };
}
