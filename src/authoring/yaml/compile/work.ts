// Owns how the work of a stage, a branch or a hook is said in the spec of a graph.

import { parseDuration } from '../../../base/duration.ts';
import { present } from '../../../base/fields.ts';
import { unreachable } from '../../../base/invariant.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { Budget } from '../../../definition/budget.ts';
import type { OutputModel } from '../../../definition/model.ts';
import type { OwnKind } from '../../../definition/own-kind.ts';
import type { ForgeSpec, GateCheckSpec, GateOptionSpec, SharedSpec, WorkSpec } from '../../graph/spec.ts';
import type { Compilers } from '../../graph/work.ts';
import type { WrittenCheck } from '../schema/form.ts';
import type { WrittenOwnStage, WrittenStage, WrittenWorkflow } from '../schema/schema.ts';
import { bareExpression, envOf, listOf, nonEmpty, requestOf } from './part.ts';

type WrittenParallel = Extract<WrittenStage, { type: 'parallel' }>;
type WrittenWork = Exclude<WrittenStage, WrittenParallel> | WrittenParallel['branches'][number];
type WrittenAction = Extract<WrittenStage, { type: 'action' }>;
type WrittenAgent = Extract<WrittenStage, { type: 'agent' }>;
type WrittenHook = NonNullable<WrittenWorkflow['on_complete']>[number];
type WrittenNotify = Extract<WrittenHook, { notify: unknown }>['notify'];

/** The work of a step, and what goes with it. */
export type WorkAndFrame = WorkSpec & SharedSpec;

/** The work of a stage or a branch. Texts are templates where the schema allows them; results stay among the outputs. */
export function workOf(stage: WrittenWork, compilers: Compilers): WorkAndFrame {
  const own = ownKindOf(stage, compilers);
  if (own !== undefined) return { use: own((stage as WrittenOwnStage).with as never) };
  switch (stage.type) {
    case undefined:
    case 'agent':
      return agentOf(stage);
    case 'gate':
      return { gate: { checks: stage.conditions.map((check) => checkOf(check, compilers)) } };
    case 'delay': {
      const { duration, poll } = stage;
      return { delay: { duration, ...present({ poll: poll && { interval: poll.interval, condition: bareExpression(poll.condition) } }) } };
    }
    case 'action':
      return { forge: forgeOf(stage) };
    case 'webhook': {
      const expect = present({ status: stage.expect?.status, body: stage.expect?.body as Json | undefined });
      return { webhook: { request: requestOf(stage.request), ...present({ expect: nonEmpty(expect) }) } };
    }
    case 'human': {
      const { prompt, show, from, count, subjects, signed } = stage;
      const options = stage.options?.map(optionOf);
      return { human: { prompt, ...present({ show, options, from, count, signed, subjects: subjects && { files: subjects } }) } };
    }
    case 'workflow':
      return { workflow: stage.workflow, ...present({ input: stage.input as JsonObject | undefined }) };
    case 'command':
      return { ...programOf(stage), ...outputsOf(stage.outputs) };
    default:
      return unreachable(stage);
  }
}

/** The kind of the application that a stage names, if it does. */
export function ownKindOf({ type }: { readonly type?: string | undefined }, { ownKinds = {} }: Compilers): OwnKind | undefined {
  return type !== undefined && Object.hasOwn(ownKinds, type) ? ownKinds[type] : undefined;
}

function agentOf(stage: Extract<WrittenWork, { agent: string }> | WrittenAgent): WorkAndFrame {
  const { agent, action, prompt, context, schema, budget, protected: guarded, may_change: mayChange } = stage;
  return {
    agent,
    // An agent of a file sees the run's data: what failed, which issue it is about.
    seesContext: true,
    ...present({ action, prompt, protected: guarded, mayChange, schema: schema as JsonObject | undefined }),
    ...present({ context: nonEmpty(context), budget: budgetOf(budget) }),
    ...present({ continueSession: stage.continue_session, supportsQuestions: stage.supports_questions || undefined }),
    ...outputsOf(stage.outputs),
    // A pull request that was verified is what the run is about from then on.
    ...(stage.outputs?.some(({ type }) => type === 'pr') ? { merges: ['pr_number'] } : {}),
  };
}

/** A budget as the spec has it. */
export function budgetOf(budget: WrittenWorkflow['budget']): Budget | undefined {
  return (
    budget &&
    present({
      tokens: budget.tokens,
      costUsd: budget.cost_usd,
      turns: budget.turns,
      timeMs: budget.time === undefined ? undefined : parseDuration(budget.time, 'time'),
    })
  );
}

function outputsOf(outputs: WrittenAgent['outputs'] = []): Pick<WorkAndFrame, 'outputs'> {
  if (outputs.length === 0) return {};
  return { outputs: outputs.map((output) => ({ ...output, required: output.required ?? false }) as OutputModel) };
}

function optionOf(option: NonNullable<Extract<WrittenWork, { type: 'human' }>['options']>[number]): GateOptionSpec {
  const { label, outcome = 'ok', requires_input: requiresInput = false } = option;
  return { label, outcome, requiresInput };
}

interface WrittenProgram {
  readonly run?: string | undefined;
  readonly argv?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly cwd?: string | undefined;
}

function programOf(program: WrittenProgram): Pick<WorkAndFrame, 'command' | 'env' | 'cwd'> {
  return present({ command: program.run ?? program.argv, env: envOf(program.env), cwd: program.cwd });
}

/** A check of a gate; all fields of one that has no form are its own. */
function checkOf(written: WrittenCheck, compilers: Compilers): GateCheckSpec {
  const { check, timeout } = written;
  const form = Object.hasOwn(compilers.checks, check) ? compilers.checks[check]?.yaml : undefined;
  if (form === undefined) return written as GateCheckSpec;
  return { ...form.toSpec(written as never, (inner) => checkOf(inner, compilers)), check, ...present({ timeout }) };
}

/** What an action stage does at the forge. */
function forgeOf(written: WrittenAction): ForgeSpec {
  const { action } = written;
  switch (action) {
    case 'merge_pr':
      return { action, ...present({ method: written.method }), delete_branch: written.delete_branch ?? false };
    case 'close_issue':
      return { action, ...present({ issue: written.issue }) };
    case 'create_issue':
      return { action, title: written.title, ...present({ body: written.body }), labels: listOf(written.labels) };
    case 'label':
      return { action, add: listOf(written.add), remove: listOf(written.remove) };
    case 'comment':
      return { action, target: written.target, message: written.message };
    case 'notify':
      return notifyOf(written);
    default:
      return unreachable(written);
  }
}

/** What a hook does at the forge. */
export function hookOf(hook: WrittenHook): ForgeSpec {
  const [name = '', fields] = Object.entries(hook)[0] ?? [];
  if ('notify' in hook) return notifyOf(hook.notify);
  if ('close_issue' in hook) return { action: 'close_issue', issue: hook.close_issue };
  if ('label_issue' in hook) return { action: 'label', add: listOf(hook.label_issue), remove: [] };
  return forgeOf({ ...(fields as object), action: name } as WrittenAction);
}

/** A message to a group or person. */
export function notifyOf(notify: WrittenNotify): ForgeSpec {
  const { target, message } = typeof notify === 'string' ? { target: notify } : notify;
  return { action: 'notify', target, ...present({ message }) };
}
