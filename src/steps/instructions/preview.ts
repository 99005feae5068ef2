// Owns the preview of a step's instructions without a run: what its agent would get on the first visit. Nothing is
// started, no condition is checked, and values that only a run knows are left as written.

import { promptWithReply } from '../../agents/reply.ts';
import { isEngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import { createPath } from '../../definition/address.ts';
import { type CompiledWorkflow, NO_CODE, type StepCode } from '../../definition/code.ts';
import { membersOf, type StepModel } from '../../definition/model.ts';
import type { AttemptRequest, Snapshot } from '../attempt.ts';
import { AttemptContext } from '../context.ts';
import { filledIn } from '../filling.ts';
import { ATTENDED } from '../run-records.ts';
import { Secrets } from '../secrets.ts';
import type { StepServices } from '../services.ts';
import type { Executors, Job } from '../work.ts';
import type { WorkerConfig } from '../worker/brief.ts';
import { type Handover, isHandedOut, isInstructed } from '../worker/handover.ts';
import { replyRulesOf } from '../worker/reply-rules.ts';
import { promptOf } from './instructions.ts';
import { drivenText, handoverOf, openCall, type WorkerCall } from './worker-text.ts';

/** The step whose instructions are wanted. */
export interface PreviewRequest {
  readonly workflow: CompiledWorkflow;
  readonly step: StepModel;
  /** The step that it is a branch, body or repair of. */
  readonly group?: StepModel;
  readonly params: JsonObject;
  /** Data of the run, such as the arguments of the step. */
  readonly data?: JsonObject;
  /** Whether the calling agent does the work of roles without a driver. */
  readonly isAttended: boolean;
}

/** What an agent would get: handed-out work, or the prompt of a driven agent. */
export type Preview =
  | { readonly kind: 'handed'; readonly handover: Handover }
  | { readonly kind: 'driven'; readonly role: string; readonly prompt: string };

/** The steps of a workflow that agents work at, with the steps around them. */
export function agentSteps(steps: readonly StepModel[], group?: StepModel): readonly Pick<PreviewRequest, 'step' | 'group'>[] {
  return steps.flatMap((step) => {
    const isAgent = step.kind === 'agent' || step.kind === 'generate' || isInstructed(step);
    const own = isAgent ? [{ step, ...present({ group }) }] : [];
    return [...own, ...agentSteps(membersOf(step), step)];
  });
}

/** Builds what the agent of a step would read. */
export async function previewOf(services: StepServices, executors: Executors, wanted: PreviewRequest): Promise<Preview> {
  const job = jobOf(services, executors, wanted);
  const worker = workerOf(job.request.bound.model);
  const call = await callWithoutRun(job, worker);
  const { role = '' } = worker;
  if (isInstructed(wanted.step) || isHandedOut(services, role, job.context.snapshot))
    return { kind: 'handed', handover: await handoverOf(job, call) };
  const told = await drivenText(job, call);
  const schema = call.rules.schema;
  return { kind: 'driven', role, prompt: promptWithReply({ ...promptOf(told), ...present({ schema }) }) };
}

function workerOf(step: StepModel): WorkerConfig {
  if (step.kind === 'agent') return step.config;
  if (step.kind !== 'generate') return { role: 'agent' };
  const { generator, ...told } = step.config;
  return { ...told, role: generator, givesText: true };
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
    gateDecision: undefined,
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
      recovery: 0,
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
    ...present({ group }),
    snapshot: () => snapshot,
    signal: new AbortController().signal,
  };
  const filled = step.templates === true ? filledOrWritten(request, snapshot) : request;
  const secrets = new Secrets({}, () => undefined);
  const runner = { services, kinds, checks: { ...services.checks, ...checks }, secrets, redactor: undefined };
  return { runner, request: filled, context: new AttemptContext(filled, { snapshot }) };
}

/** The functions of a step; those of a branch or a body are among those of the step around it. */
function codeOf({ code }: CompiledWorkflow, step: StepModel, group?: StepModel): StepCode {
  return (group === undefined ? code.get(step.id) : code.get(group.id)?.members[step.id]) ?? NO_CODE;
}

/** Templates that need a value of a run stay as they are written. */
function filledOrWritten(request: AttemptRequest, snapshot: Snapshot): AttemptRequest {
  try {
    return filledIn(request, snapshot);
  } catch {
    return request;
  }
}
