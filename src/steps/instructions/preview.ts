// Previews the instructions of a step on its first visit, without a run. Nothing is started, no condition is checked,
// and templates that need values of a run are not rendered.

import { promptWithReply } from '../../agents/reply.ts';
import { isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import { createPath } from '../../definition/address.ts';
import { type CompiledWorkflow, NO_CODE, type StepCode } from '../../definition/code.ts';
import { membersOf, type StepModel } from '../../definition/model.ts';
import type { AttemptRequest, Snapshot } from '../attempt.ts';
import { AttemptContext } from '../context.ts';
import { ATTENDED } from '../run-records.ts';
import { Secrets } from '../secrets.ts';
import type { StepServices } from '../services.ts';
import { renderTemplates } from '../template-rendering.ts';
import type { Executors, Job } from '../work.ts';
import { type Handover, isHandedOut, isInstructed } from '../worker/handover.ts';
import { replyRulesOf } from '../worker/reply-rules.ts';
import type { WorkerConfig } from '../worker/worker-task.ts';
import { promptOf } from './instructions.ts';
import { drivenText, handoverOf, openCall, type WorkerCall } from './worker-text.ts';

/** The step whose instructions to preview. */
export interface PreviewRequest {
  readonly workflow: CompiledWorkflow;
  readonly step: StepModel;
  /** The step of which it is a branch, body or repair. */
  readonly group?: StepModel;
  readonly params: JsonObject;
  /** Data of the run, such as the arguments of the step. */
  readonly data?: JsonObject;
  /** Whether the calling agent does the work of roles without a driver. */
  readonly isAttended: boolean;
}

/** The instructions of an agent: handed-out work, or the prompt of a driven agent. */
export type Preview =
  | { readonly kind: 'handed'; readonly handover: Handover }
  | { readonly kind: 'driven'; readonly role: string; readonly prompt: string };

/** Lists the steps of a workflow that agents carry out, with the steps that contain them. */
export function agentSteps(steps: readonly StepModel[], group?: StepModel): readonly Pick<PreviewRequest, 'step' | 'group'>[] {
  return steps.flatMap((step) => {
    const isAgent = step.kind === 'agent' || step.kind === 'generate' || isInstructed(step);
    const own = isAgent ? [{ step, ...omitUndefined({ group }) }] : [];
    return [...own, ...agentSteps(membersOf(step), step)];
  });
}

/** Builds the preview of a step's instructions. */
export async function previewOf(services: StepServices, executors: Executors, wanted: PreviewRequest): Promise<Preview> {
  const job = jobOf(services, executors, wanted);
  const worker = workerOf(job.request.bound.model);
  const call = await callWithoutRun(job, worker);
  const { role = '' } = worker;
  if (isInstructed(wanted.step) || isHandedOut(services, role, job.context.snapshot))
    return { kind: 'handed', handover: await handoverOf(job, call) };
  const instructions = await drivenText(job, call);
  const schema = call.rules.schema;
  return { kind: 'driven', role, prompt: promptWithReply({ ...promptOf(instructions), ...omitUndefined({ schema }) }) };
}

function workerOf(step: StepModel): WorkerConfig {
  if (step.kind === 'agent') return step.config;
  if (step.kind !== 'generate') return { role: 'agent' };
  const { generator, ...config } = step.config;
  return { ...config, role: generator, givesText: true };
}

async function callWithoutRun(job: Job, worker: WorkerConfig): Promise<WorkerCall> {
  try {
    return await openCall(job, worker);
  } catch (error) {
    // A context function that needs results of a run cannot be called without one.
    if (!isEngineError(error) || error.code !== 'CONTEXT_FAILED') throw error;
    const data = { '…': 'built by a function when the step starts' };
    return { worker, data, rules: replyRulesOf(worker, job.request.bound.model, job.request.group) };
  }
}

function jobOf(
  services: StepServices,
  { kinds, checks }: Executors,
  { workflow, step, group, params, data = {}, isAttended }: PreviewRequest,
): Job {
  const snapshot: Snapshot = {
    data: isAttended ? { ...data, ...ATTENDED.with(true) } : data,
    results: {},
    completedSteps: [],
    iterationCounts: {},
    decision: undefined,
  };
  const path = createPath((group ?? step).id, 1);
  const member = group === undefined ? {} : { member: { group: path, key: group.kind === 'each' ? 'ITEM' : step.id, index: 0 } };
  const request: AttemptRequest = {
    want: 'execute',
    bound: { model: step, code: codeOf(workflow, step, group) },
    activation: {
      path,
      step: step.id,
      kind: step.kind,
      state: 'running',
      attempt: 1,
      since: 1,
      openedAt: 0,
      startedAt: 0,
      ...member,
    },
    runId: 'RUN',
    startedAt: 0,
    workflow,
    params,
    result: null,
    item: undefined,
    ...omitUndefined({ group }),
    snapshot: () => snapshot,
    signal: new AbortController().signal,
  };
  const filled = step.templates === true ? renderedIfPossible(request, snapshot) : request;
  const secrets = new Secrets({}, () => undefined);
  const runner = { services, kinds, checks: { ...services.checks, ...checks }, secrets, redactor: undefined };
  return { runner, request: filled, context: new AttemptContext(filled, { snapshot }) };
}

/** The functions of a step; those of a branch or a body belong to the step that contains it. */
function codeOf({ code }: CompiledWorkflow, step: StepModel, group?: StepModel): StepCode {
  return (group === undefined ? code.get(step.id) : code.get(group.id)?.members[step.id]) ?? NO_CODE;
}

/** Renders the templates of a step, unless they need values of a run. */
function renderedIfPossible(request: AttemptRequest, snapshot: Snapshot): AttemptRequest {
  try {
    return renderTemplates(request, snapshot);
  } catch {
    return request;
  }
}
