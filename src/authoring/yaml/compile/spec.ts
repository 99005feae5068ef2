// Translates a workflow file to the spec of a graph, as `defineWorkflow` takes it, with its steps as entries by id. Whatever a
// graph has no field for (a delay on a transition, a message on entering a stage, hooks) becomes a separate step.

import { omitUndefined } from '../../../base/fields.ts';
import type { JsonObject } from '../../../base/json.ts';
import { addedName } from '../../../definition/address.ts';
import { readBreakers } from '../../../definition/breakers.ts';
import { readWrittenBudget } from '../../../definition/budget.ts';
import type { CustomKind } from '../../../definition/custom-kind.ts';
import { type DatabasesSpec, writtenDatabase } from '../../../definition/database.ts';
import type { Concurrency, SnapshotModel } from '../../../definition/model.ts';
import type { Arg, ArgSpecs } from '../../../definition/param/arg.ts';
import type { GraphEntries, SharedSpec, StepFields } from '../../graph/spec.ts';
import type { Compilers, KindCompiler } from '../../graph/work.ts';
import type { CheckSpec } from '../../spec/check.ts';
import type { BoundedNext, Retry } from '../../spec/part.ts';
import type { WorkAndFrame, YamlCheck, YamlStage, YamlUndo } from '../schema/form.ts';
import type { YamlWorkflow } from '../schema/schema.ts';
import { hookOf } from './forge.ts';
import { aboutPullRequest, staleTransitions } from './landing.ts';
import { envOf, nonEmpty } from './part.ts';
import { reactionsOf } from './reaction.ts';
import { always, notifyStep, retryOf, type StepEntry, type TransitionKey, type Transitions, transitionOf } from './transition.ts';

type YamlHooks = YamlWorkflow['on_complete'];

const SUCCESS: readonly TransitionKey[] = ['on_complete', 'on_success', 'on_pass'];
/** Outcomes that follow `on_error` if the stage has no transition for them (C2). */
const FAILURES: readonly (readonly [outcome: string, keys: readonly TransitionKey[]])[] = [
  ['error', []],
  ['timeout', ['on_timeout']],
  ['conflict', ['on_conflict']],
  ['ci_failure', ['on_ci_failure']],
];
/** An unreachable forge is retried before a person has to act, because the work of the run is already done. */
const HOOK_RETRY: Retry = { max: 3, on: ['error', 'timeout'], backoff: { initial: '10s', factor: 3, max: '10m' } };

/** The spec of a workflow file. */
export function specOf(file: YamlWorkflow, transitions: Transitions, compilers: Compilers): GraphEntries {
  const { name, title, description, version } = file.metadata;
  const stages = file.stages.flatMap((stage, index) => stageSteps(file, { stage, index, transitions, compilers }));
  return {
    name,
    ...omitUndefined({ title, description, version, budget: file.budget && readWrittenBudget(file.budget), protected: file.protected }),
    ...omitUndefined({ databases: file.databases as DatabasesSpec | undefined }),
    ...omitUndefined({ snapshot: file.snapshot && (omitUndefined(file.snapshot) as SnapshotModel) }),
    ...omitUndefined({ concurrency: concurrencyOf(file), recovery: file.recovery }),
    ...omitUndefined({
      params: file.params && paramsOf(file.params),
      permissions: nonEmpty(file.permissions && omitUndefined(file.permissions)),
    }),
    ...omitUndefined({ writes: nonEmpty(file.writes && omitUndefined(file.writes)), staged: file.staged }),
    ...omitUndefined({ data: nonEmpty(file.context) as JsonObject | undefined, onError: nonEmpty(file.on_error) && 'on_error.1' }),
    ...omitUndefined({ circuitBreakers: file.circuit_breakers && readBreakers(file.circuit_breakers) }),
    ...omitUndefined({ onEvents: reactionsOf(file, (stage) => transitions.target(stage)) }),
    facts: ['issue_number', 'pr_number', 'labels', 'base_branch'],
    entry: transitions.target(file.stages[0]?.id ?? ''),
    limits: { maxIterations: transitions.maxIterations },
    steps: [...stages, ...transitions.added, ...completeHooks(file.on_complete), ...errorHooks(file.on_error)],
  };
}

function concurrencyOf({ concurrency, metadata }: YamlWorkflow): Concurrency | undefined {
  if (concurrency === undefined) return undefined;
  const { max, key } = typeof concurrency === 'number' ? { max: concurrency } : concurrency;
  return { key: key === undefined ? `workflow:${metadata.name}` : `shared:${key}`, max };
}

function paramsOf(params: NonNullable<YamlWorkflow['params']>): ArgSpecs {
  // The compiler checks them and adds the defaults.
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, omitUndefined(param) as unknown as Arg]));
}

interface StageContext {
  readonly stage: YamlStage;
  readonly index: number;
  readonly transitions: Transitions;
  readonly compilers: Compilers;
}

/** The step of a stage, after the one that sends a message on entering it, if there is one. */
function stageSteps(file: YamlWorkflow, context: StageContext): StepEntry[] {
  const { stage, index, transitions, compilers } = context;
  const extend = extensionOf(stage, transitions);
  const work = questionOf(file, context, workOf(stage, compilers));
  const next = nextOf(file, context);
  const step: StepFields = {
    ...frameOf(stage),
    ...work,
    ...omitUndefined({ retry: retryOf(stage), extend }),
    next: { ...next, ...staleTransitions(file, index, { transitions, otherwise: next.error, facts: compilers }) },
  };
  if (stage.on_enter === undefined) return [[stage.id, step]];
  const enter = notifyStep(stage.on_enter.notify, always(stage.id));
  // A skipped stage sends no message.
  return [
    [addedName(stage.id, 'enter'), { ...enter, addedFor: stage.id, ...omitUndefined({ condition: stage.condition }) }],
    [stage.id, step],
  ];
}

/** A question with the targets of its answers; in a workflow about a pull request, it is about that too. */
function questionOf(file: YamlWorkflow, { stage, index: position, transitions }: StageContext, work: WorkAndFrame): WorkAndFrame {
  const { human } = work;
  if (human === undefined) return work;
  const answers = (stage.options ?? []) as readonly { readonly goto?: string }[];
  const options = human.options?.map((option, index) => {
    const target = answers[index]?.goto;
    if (target === undefined) return option;
    transitions.check(stage.id, target, ['stages', position, 'options', index, 'goto']);
    return { ...option, nextStep: transitions.target(target) };
  });
  const subjects = aboutPullRequest(file) ? { ...human.subjects, pr: true as const } : human.subjects;
  return { human: { ...human, ...omitUndefined({ options, subjects }) } };
}

/** More time instead of a timeout, and the side step that sends a message about it. */
function extensionOf(stage: YamlStage, transitions: Transitions): StepFields['extend'] {
  const { extend, max_extensions: max, notify } = transitionOf(stage, 'on_timeout') ?? {};
  if (extend === undefined) return undefined;
  const onExtend =
    notify === undefined ? undefined : transitions.add(stage.id, ['on_timeout', 'notify'], { ...notifyStep(notify, {}), side: true });
  return { by: extend, ...omitUndefined({ max, onExtend }) };
}

function nextOf(
  { databases }: YamlWorkflow,
  { stage, index, transitions, compilers }: StageContext,
): Readonly<Record<string, BoundedNext>> {
  const edge = (key: TransitionKey) => transitions.edge(index, key);
  const onward = { to: transitions.after(index) };
  const ok = SUCCESS.map(edge).find((transition) => transition !== undefined) ?? onward;
  const skip = edge('skip_to') ?? onward;
  const reject = edge('on_reject') ?? edge('on_any_reject');
  const rejectAll = edge('on_all_reject');
  const onFailure = edge('on_fail') ?? edge('on_failure');
  // `on_failure` is for every kind of failure, `on_fail` for a verdict.
  const onError = edge('on_error') ?? ('on_failure' in stage ? onFailure : undefined) ?? { to: 'escalate' };
  const own = ownKindOf(stage, compilers)?.outcomes.map((outcome) => [outcome, edge(`on_${outcome}`) ?? onError] as const) ?? [];
  // The outcome when others changed the same rows. For a stage that cannot write, validation reports it.
  const mayConflict = 'on_conflict' in stage || writesDatabase(stage, databases, compilers);
  const isPossible = (outcome: string): boolean =>
    stage.type === 'action' || (outcome !== 'ci_failure' && (outcome !== 'conflict' || mayConflict));
  const failures = FAILURES.filter(([outcome]) => isPossible(outcome)).map(
    ([outcome, keys]) => [outcome, keys.map(edge).find((transition) => transition !== undefined) ?? onError] as const,
  );
  return {
    ok,
    skip,
    fail: onFailure ?? onError,
    ...omitUndefined({ reject, reject_all: rejectAll }),
    ...Object.fromEntries([...failures, ...own]),
  };
}

function writesDatabase({ type, databases }: YamlStage, all: YamlWorkflow['databases'], { kinds }: Compilers): boolean {
  const named = (databases ?? all) as DatabasesSpec | undefined;
  const kind = Object.values(kinds).find((known) => known.kind === type)?.kind;
  return kind !== undefined && named !== undefined && writtenDatabase(kinds, { kind, databases: named }) !== undefined;
}

/** Hooks that run before a run completes, one after the other; a failed message never affects the run. */
function completeHooks(hooks: YamlHooks = []): StepEntry[] {
  return hooks.map((hook, index) => {
    const to = index + 1 < hooks.length ? `on_complete.${index + 2}` : 'complete';
    const more = 'notify' in hook ? { next: always(to) } : { next: { ok: to, skip: to }, retry: HOOK_RETRY };
    return [`on_complete.${index + 1}`, { ...hookStep(hook), ...more }];
  });
}

/** Hooks that run when a run has failed or escalated. */
function errorHooks(hooks: YamlHooks = []): StepEntry[] {
  return hooks.map((hook, index) => {
    const next = index + 1 < hooks.length ? always(`on_error.${index + 2}`) : {};
    return [`on_error.${index + 1}`, { ...hookStep(hook), next, side: true }];
  });
}

function hookStep(hook: NonNullable<YamlHooks>[number]): StepFields {
  return { forge: hookOf(hook), recovery: 'rerun', templates: true, merges: false };
}

/** The work of a stage or a branch; a branch without a type is an agent. */
function workOf(stage: YamlStage, compilers: Compilers): WorkAndFrame {
  const own = ownKindOf(stage, compilers);
  if (own !== undefined) return { use: own(stage.with as never) };
  const kinds: Readonly<Record<string, KindCompiler>> = compilers.kinds;
  const spec = kinds[stage.type ?? 'agent']?.yaml?.toSpec(stage as never, {
    checkOf: (check) => checkOf(check, compilers),
    memberOf: (branch) => [branch.id, { ...frameOf(branch), ...workOf(branch, compilers) }],
  });
  return { ...spec, ...omitUndefined({ writes: stage.writes as readonly string[] | undefined }) };
}

/** The fields that every stage and branch has. Texts are templates where the schema allows; results stay in the outputs. */
function frameOf({ name: title, condition, timeout, recovery, undo }: YamlStage): SharedSpec {
  return { templates: true, merges: false, ...omitUndefined({ title, condition, timeout, recovery, undo: undo && undoOf(undo) }) };
}

function undoOf(undo: YamlUndo): SharedSpec['undo'] {
  if (!('run' in undo) && !('argv' in undo)) return { forge: hookOf(undo as never) as never, recovery: 'rerun' };
  const { run, argv, env, cwd, timeout, recovery } = undo;
  return { command: (run ?? argv) as string, ...omitUndefined({ env: envOf(env as never), cwd, timeout: timeout as never, recovery }) };
}

/** The application's kind that a stage names, if any. */
function ownKindOf({ type }: YamlStage, { customKinds = {} }: Compilers): CustomKind | undefined {
  return type !== undefined && Object.hasOwn(customKinds, type) ? customKinds[type] : undefined;
}

/** A check of a gate; a check without a form keeps all its fields. */
function checkOf(yaml: YamlCheck, compilers: Compilers): CheckSpec {
  const { check, timeout } = yaml;
  const form = Object.hasOwn(compilers.checks, check) ? compilers.checks[check]?.yaml : undefined;
  const fields = form?.toSpec(yaml as never, (inner) => checkOf(inner, compilers)) ?? yaml;
  return { ...fields, check, ...omitUndefined({ timeout }) } as CheckSpec;
}
