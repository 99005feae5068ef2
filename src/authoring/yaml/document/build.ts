// Owns the way from a workflow file as it is written to the document that compilers read: one spelling for each thing.

import { parseDuration } from '../../../base/duration.ts';
import { unreachable } from '../../../base/invariant.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { ArgSpec } from '../../../definition/arg.ts';
import type { YamlPath } from '../position/position.ts';
import type { WrittenStage, WrittenWorkflow } from '../schema/schema.ts';
import { callOf, hooksOf } from './call.ts';
import { checksOf, listOf, programOf, requestOf } from './check.ts';
import type {
  YamlBranch,
  YamlBudget,
  YamlFrame,
  YamlOption,
  YamlOutput,
  YamlParallel,
  YamlStage,
  YamlTrigger,
  YamlWork,
  YamlWorkflow,
} from './document.ts';
import { entriesOf, msOf, notifyOf, transitionsOf } from './transition.ts';

type WrittenParallel = Extract<WrittenStage, { type: 'parallel' }>;
type WrittenWork = Exclude<WrittenStage, WrittenParallel>;
type WrittenBranch = WrittenParallel['branches'][number];

/** The document of a workflow file that the schema and its rules accept. */
export function documentOf(written: WrittenWorkflow): YamlWorkflow {
  const { apiVersion, metadata, concurrency, budget } = written;
  return {
    apiVersion,
    ...metadata,
    trigger: triggerOf(written.trigger),
    overrideTriggers: written.override_triggers ?? false,
    params: paramsOf(written.params),
    context: entriesOf(written.context, ['context']),
    concurrency: typeof concurrency === 'number' ? { max: concurrency } : concurrency,
    budget: budget && budgetOf(budget),
    permissions: permissionsOf(written.permissions),
    protected: written.protected ?? [],
    maxIterations: written.limits?.max_iterations,
    stages: written.stages.map((stage, index) => stageOf(stage, ['stages', index])),
    onComplete: hooksOf(written.on_complete, ['on_complete']),
    onError: hooksOf(written.on_error, ['on_error']),
  };
}

function triggerOf(written: WrittenWorkflow['trigger']): YamlTrigger | undefined {
  if (written === undefined) return undefined;
  const path = ['trigger'];
  if (typeof written === 'string') return { event: written, labels: [], baseBranches: [], path };
  const { label, labels = [], assignee_is_bot, milestone, base_branch } = written.conditions ?? {};
  return { event: written.event, label, labels, assigneeIsBot: assignee_is_bot, milestone, baseBranches: listOf(base_branch), path };
}

function paramsOf(written: WrittenWorkflow['params']): Readonly<Record<string, ArgSpec>> {
  return Object.fromEntries(
    Object.entries(written ?? {}).map(([name, param]) => {
      // A key that is there with nothing in it would not be the same as one that is not there.
      const given = Object.entries(param).filter(([, value]) => value !== undefined);
      return [name, Object.fromEntries(given) as ArgSpec];
    }),
  );
}

function budgetOf({ tokens, cost_usd: costUsd, turns, time }: NonNullable<WrittenWorkflow['budget']>): YamlBudget {
  return { tokens, costUsd, turns, timeMs: msOf(time) };
}

function permissionsOf(written: WrittenWorkflow['permissions']): YamlWorkflow['permissions'] {
  return Object.fromEntries(Object.entries(written ?? {}).flatMap(([name, access]) => (access === undefined ? [] : [[name, access]])));
}

function stageOf(stage: WrittenStage, path: YamlPath): YamlStage {
  const onEnter = stage.on_enter && notifyOf(stage.on_enter.notify, [...path, 'on_enter', 'notify']);
  const frame = { ...frameOf(stage, path), onEnter, transitions: transitionsOf(stage, path) };
  return stage.type === 'parallel' ? { ...frame, ...parallelOf(stage, path) } : { ...frame, ...workOf(stage, path) };
}

function frameOf(stage: WrittenStage | WrittenBranch, path: YamlPath): YamlFrame {
  const { id, name: title, condition, timeout, recovery } = stage;
  const writes = 'writes' in stage ? stage.writes : undefined;
  return { id, title, condition, timeoutMs: msOf(timeout), recovery, writes, transitions: {}, path };
}

function parallelOf(stage: WrittenParallel, path: YamlPath): Pick<YamlParallel, 'type' | 'join' | 'branches' | 'concurrency'> {
  const { join = 'all', branches, concurrency } = stage;
  const branchOf = (branch: WrittenBranch, index: number): YamlBranch => {
    const at = [...path, 'branches', index];
    return { ...frameOf(branch, at), ...workOf(branch, at) };
  };
  return { type: 'parallel', join: joinOf(join), branches: branches.map(branchOf), concurrency };
}

function joinOf(join: string): YamlParallel['join'] {
  if (join === 'any') return { rule: 'any' };
  return join === 'all' ? { rule: 'all' } : { rule: 'count', n: Number.parseInt(join, 10) };
}

function workOf(stage: WrittenWork | WrittenBranch, path: YamlPath): YamlWork {
  switch (stage.type) {
    case undefined:
    case 'agent': {
      const { agent, action, prompt, context = {}, continue_session = false, supports_questions = false, schema, budget, outputs } = stage;
      const { protected: guarded = [], may_change: mayChange = [] } = stage;
      return {
        type: 'agent',
        agent,
        action,
        prompt,
        context: context as JsonObject,
        continueSession: continue_session,
        supportsQuestions: supports_questions,
        schema: schema as JsonObject | undefined,
        budget: budget && budgetOf(budget),
        protected: guarded,
        mayChange,
        outputs: outputsOf(outputs, path),
      };
    }
    case 'gate':
      return { type: 'gate', checks: checksOf(stage.conditions, [...path, 'conditions']) };
    case 'delay': {
      const poll = stage.poll && { intervalMs: parseDuration(stage.poll.interval, 'interval'), condition: stage.poll.condition };
      return { type: 'delay', durationMs: parseDuration(stage.duration, 'duration'), poll };
    }
    case 'action':
      return { type: 'action', call: callOf(stage, path) };
    case 'webhook':
      return {
        type: 'webhook',
        request: requestOf(stage.request),
        status: stage.expect?.status,
        body: stage.expect?.body as Json | undefined,
      };
    case 'human': {
      const { prompt, show = [], from, count, subjects = [], signed = false } = stage;
      return { type: 'human', prompt, show, options: optionsOf(stage.options, path), from: listOf(from), count, subjects, signed };
    }
    case 'workflow':
      return { type: 'workflow', workflow: stage.workflow, input: (stage.input ?? {}) as JsonObject };
    case 'command':
      return { type: 'command', program: programOf(stage), outputs: outputsOf(stage.outputs, path) };
    default:
      return unreachable(stage);
  }
}

type WrittenOutputs = Extract<WrittenWork, { type: 'agent' }>['outputs'];
type WrittenOptions = Extract<WrittenWork, { type: 'human' }>['options'];

function outputsOf(written: WrittenOutputs, path: YamlPath): YamlOutput[] {
  return (written ?? []).map((output, index) => ({ ...output, required: output.required ?? false, path: [...path, 'outputs', index] }));
}

function optionsOf(written: WrittenOptions, stage: YamlPath): YamlOption[] {
  return (written ?? []).map(({ label, outcome = 'ok', goto, requires_input = false }, index) => {
    const path = [...stage, 'options', index];
    return {
      label,
      outcome,
      to: goto === undefined ? undefined : { stage: goto, path: [...path, 'goto'] },
      requiresInput: requires_input,
      path,
    };
  });
}
