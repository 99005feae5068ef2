// Calls a worker: an in-process agent of the application, or a role through its driver. The kind of step interprets the
// answer.

import type {
  AgentAnswer,
  AgentDriver,
  AgentFailure,
  AgentPermissions,
  AgentRefusal,
  AgentReply,
  AgentRequest,
  AgentUsage,
  Watchdogs,
} from '../../agents/driver.ts';
import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Budget } from '../../definition/budget.ts';
import type { StepCode } from '../../definition/code.ts';
import type { Definition } from '../../definition/model.ts';
import { paramVariables } from '../../definition/scope/param-variables.ts';
import type { StepError } from '../../kernel/input.ts';
import type { NetworkFence } from '../../process/network.ts';
import { AttemptStopped, isPromise, untilStopped } from '../abort.ts';
import type { Snapshot } from '../attempt.ts';
import { keyOf } from '../context.ts';
import { type Instructions, promptOf } from '../instructions/instructions.ts';
import { drivenText, handoverOf, openCall, type WorkerCall } from '../instructions/worker-text.ts';
import { SESSIONS } from '../run-records.ts';
import { ownEntry, type RoleSetting, type StepServices } from '../services.ts';
import { CLAIM_ONLY, type Job, stepError, stoppedError } from '../work.ts';
import type { Admission, Refusal, Spawn } from './accounting.ts';
import { openCredentials } from './credentials.ts';
import { isHandedOut, type StoredHandover } from './handover.ts';
import { openNetwork } from './network.ts';
import { narrowPermissions } from './permission.ts';
import { type RawReply, replyFault, replyRulesOf } from './reply-rules.ts';
import { readSavedState, type SavedState, stateFilesOf } from './saved-state.ts';
import type { WorkerConfig } from './worker-task.ts';

/** The result of a call, the network access if it was limited, and the hidden logins. */
export type WorkerResult = AskResult & { readonly network?: JsonObject; readonly credentials?: JsonObject };

type AskResult =
  | { readonly kind: 'returned'; readonly value: Json; readonly actor: string; readonly usage?: AgentUsage }
  | (AgentAnswer & { readonly kind: 'answered'; readonly actor: string })
  | (AgentAnswer & { readonly kind: 'asks'; readonly actor: string; readonly saved?: SavedState })
  | { readonly kind: 'handed'; readonly handover: StoredHandover; readonly actor: string }
  | {
      readonly kind: 'failure';
      readonly error: StepError;
      readonly actor: string;
      readonly usage?: AgentUsage;
      readonly refusals?: readonly AgentRefusal[];
      /** The reply, if it does not count. */
      readonly claim?: Json;
      readonly evidence?: JsonObject;
    };

/** Calls the in-process agent of a step, or its role. */
export async function callWorker(job: Job, worker: WorkerConfig): Promise<WorkerResult> {
  const { request, context } = job;
  const { code } = request.bound;
  const { role = '' } = worker;
  const call = await openCall(job, worker);
  if (request.signal.aborted) throw new AttemptStopped();
  const { agent } = code;
  if (agent !== undefined) return withNetwork(job, { actor: IN_PROCESS_AGENT, unfenced: IN_PROCESS }, () => callObject(job, agent, call));
  if (!isHandedOut(job.runner.services, role, context.snapshot)) return callRole(job, call);
  const setting = ownEntry(job.runner.services.roles, role);
  return withNetwork(job, { actor: role, setting, unfenced: ATTENDED_AGENT }, () => handOver(job, call));
}

const IN_PROCESS_AGENT = 'an in-process agent';
const IN_PROCESS = 'it is code of the application';
const ATTENDED_AGENT = 'the agent that called Pawl does it';

/** Calls an object of the application, with the same budgets and rules as any agent. */
async function callObject(job: Job, agent: NonNullable<StepCode['agent']>, { worker, data, rules }: WorkerCall): Promise<WorkerResult> {
  const { request, context } = job;
  const admission = await admit(job, worker, { worker: 'object', role: IN_PROCESS_AGENT, account: IN_PROCESS_AGENT });
  if ('reason' in admission) return notAdmitted(admission, IN_PROCESS_AGENT);
  const limit = timeLimit(request.signal, admission.left.timeMs);
  try {
    const returned = callAdmitted(admission, () => agent.execute(data, context));
    const value = isPromise(returned) ? await untilStopped(returned, limit) : returned;
    const plain = toPlain(value, `the output of step "${request.bound.model.id}"`);
    const reply = objectReply(plain);
    const usage = usageOf(plain);
    await admission.close({ kind: 'answered', success: reply.success, output: reply.output, ...omitUndefined({ usage }) } as AgentAnswer);
    const fault = replyFault(rules, reply);
    if (fault !== undefined) return { ...invalidReply(job, IN_PROCESS_AGENT, { fault, claim: plain }), ...omitUndefined({ usage }) };
    return { kind: 'returned', value: plain, actor: IN_PROCESS_AGENT, ...omitUndefined({ usage }) };
  } catch (thrown) {
    const isOver = thrown instanceof AttemptStopped && !request.signal.aborted;
    const failure = isOver ? 'budget' : 'crash';
    const failed = { kind: 'failed', failure, message: isOver ? TIME_IS_OVER : messageOf(thrown) } as const;
    await admission.close(failed);
    if (!isOver) throw thrown;
    return { kind: 'failure', error: failureOf(job, IN_PROCESS_AGENT, failed), actor: IN_PROCESS_AGENT };
  }
}

const TIME_IS_OVER = 'the remaining time of its budget is used up';

function timeLimit(signal: AbortSignal, timeMs: number | undefined): AbortSignal {
  return timeMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeMs)]);
}

/** Reads the return value of an object as a reply: `success` and `verdict` mean the same as for any agent. */
export function objectReply(value: Json): RawReply {
  const fields = isJsonObject(value) ? value : {};
  const isWrapped = typeof fields.success === 'boolean';
  const output = isWrapped && fields.output !== undefined ? fields.output : value;
  return { success: fields.success !== false, output, verdict: fields.verdict, ...(isWrapped ? { assumptions: fields.assumptions } : {}) };
}

function usageOf(value: Json): AgentUsage | undefined {
  return isJsonObject(value) && typeof value.success === 'boolean' && isJsonObject(value.usage ?? null)
    ? (value.usage as AgentUsage)
    : undefined;
}

/** A reply that breaks the rules fails the attempt; the next attempt gets the reason. */
function invalidReply(
  job: Job,
  actor: string,
  { fault, claim }: { readonly fault: string; readonly claim: Json },
): WorkerResult & { kind: 'failure' } {
  const message = `the reply of ${actor === IN_PROCESS_AGENT ? actor : `the agent "${actor}"`} at step "${job.request.bound.model.id}" is invalid: ${fault}`;
  const error = stepError('STEP_OUTPUT_INVALID', message, { reason: 'contract' });
  return { kind: 'failure', error, actor, claim, evidence: { reply: { fault }, verdict: CLAIM_ONLY } };
}

function notAdmitted(refusal: Refusal, actor: string): WorkerResult {
  return { kind: 'failure', error: stepError('LIMIT_REACHED', refusal.message, refusal), actor };
}

/** Hands the instructions of a step without a worker to the agent that carries out the run. */
export async function handInstructions(job: Job): Promise<WorkerResult> {
  const worker = { role: 'agent' };
  const rules = replyRulesOf(worker, job.request.bound.model, job.request.group);
  return handOver(job, { worker, data: {}, rules });
}

/** Hands the work to the calling agent: the instructions of a driven agent, without the reply format. */
async function handOver(job: Job, call: WorkerCall): Promise<WorkerResult> {
  const { role = '' } = call.worker;
  const admission = await admit(job, call.worker, handoverSpawn(role));
  if ('reason' in admission) return notAdmitted(admission, role);
  return { kind: 'handed', actor: role, handover: await handoverOf(job, call) };
}

function handoverSpawn(role: string): Pick<Spawn, 'worker' | 'role' | 'account'> {
  return { worker: 'handed', role, account: 'attended' };
}

/** Records work that was handed out and is reported now. */
export async function recordHandedWork(job: Job, worker: WorkerConfig, ms: number): Promise<void> {
  const { accounting } = job.runner.services;
  await accounting?.reported(spawnOf(job, worker, handoverSpawn(worker.role ?? '')), ms);
}

async function callRole(job: Job, call: WorkerCall): Promise<WorkerResult> {
  const { services } = job.runner;
  const { role = '' } = call.worker;
  const failure = (error: StepError): WorkerResult => ({ kind: 'failure', error, actor: role });
  const setting = ownEntry(services.roles, role);
  if (setting === undefined) {
    const known = Object.keys(services.roles ?? {});
    const where = `write it as .pawl/agents/${role}.md or under "roles" in .pawl/config.yaml, or pass it as a role to createEngine`;
    return failure(unknownRole(job, `there is no role "${role}"${didYouMean(role, known)}; ${where}`));
  }
  const driver = ownEntry(services.drivers, setting.driver);
  if (driver === undefined) {
    const hint = didYouMean(setting.driver, Object.keys(services.drivers ?? {}));
    return failure(unknownRole(job, `the role "${role}" names the driver "${setting.driver}", which does not exist${hint}`));
  }
  const unfenced = driver.fences === true ? undefined : `the driver "${driver.name}" starts no program`;
  return await withNetwork(job, { actor: role, setting, unfenced }, (fence) => callRoleDriver(job, { ...call, setting, driver, fence }));
}

interface DriverCall extends WorkerCall {
  readonly setting: RoleSetting;
  readonly driver: AgentDriver;
  readonly fence: NetworkFence | undefined;
}

async function callRoleDriver(job: Job, { worker, data, rules, setting, driver, fence }: DriverCall): Promise<WorkerResult> {
  const { role = '' } = worker;
  const failure = (error: StepError): WorkerResult => ({ kind: 'failure', error, actor: role });
  const admission = await admit(job, worker, { worker: 'driver', role, account: setting.credential ?? setting.driver, setting });
  if ('reason' in admission) return notAdmitted(admission, role);
  let rejected: { fault: string; claim: Json } | undefined;
  // The driver may use this check to let its agent correct the reply; the final check is below.
  const check = (reply: AgentReply): string | undefined => {
    const fault = replyFault(rules, reply);
    rejected = fault === undefined ? undefined : { fault, claim: { ...reply } };
    return fault;
  };
  const place = await stateFilesOf(job);
  const instructions = await drivenText(job, { worker, data, rules });
  const call = requestFor(job, { worker, setting, data, admission, rules, check, instructions });
  const answered = await callAdmitted(admission, () => callDriver(driver, { ...call, ...omitUndefined({ fence }) }, admission.left));
  const answer = await admission.close(answered);
  const noted = omitUndefined({ usage: answer.usage, refusals: answer.refusals });
  if (answer.kind === 'answered') {
    const { success, output, verdict, message, assumptions } = answer;
    check({
      success,
      output: toPlain(output ?? null, `the output of step "${job.request.bound.model.id}"`),
      ...omitUndefined({ verdict, message, assumptions }),
    } as AgentReply);
    return rejected === undefined ? { ...answer, actor: role } : { ...invalidReply(job, role, rejected), ...noted };
  }
  if (answer.kind === 'failed' && answer.failure === 'invalid-output' && rejected !== undefined)
    return { ...invalidReply(job, role, rejected), ...noted };
  if (answer.kind === 'asks') {
    if (job.request.bound.model.supportsQuestions !== true) return failure(questionsNotAccepted(job, role));
    const read = place === undefined ? undefined : await readSavedState(place);
    if (read === undefined) return { ...answer, actor: role };
    return 'kept' in read
      ? { ...answer, actor: role, saved: read.kept }
      : { ...failure(progressNotSaved(job, role, read.problem)), ...noted };
  }
  return { ...failure(failureOf(job, role, answer)), ...noted } as WorkerResult;
}

interface Worker {
  readonly actor: string;
  readonly setting?: RoleSetting | undefined;
  /** Why its network access cannot be limited, if so. */
  readonly unfenced: string | undefined;
}

/** Calls the worker with the network access that the role and the step allow, and records that access. */
async function withNetwork(
  { runner, request: { bound } }: Job,
  { actor, setting, unfenced }: Worker,
  asking: (fence: NetworkFence | undefined) => Promise<WorkerResult>,
): Promise<WorkerResult> {
  const network = await openNetwork([setting?.permissions?.network, bound.model.network], unfenced);
  if ('refusal' in network) {
    const message = `step "${bound.model.id}" was not started: ${network.refusal}`;
    return { kind: 'failure', error: stepError('NETWORK_NOT_ENFORCED', message, { retryable: false }), actor };
  }
  const { fence, evidence } =
    unfenced === undefined ? guardedFence(runner.services, network.fence) : { fence: network.fence, evidence: {} };
  try {
    return { ...(await asking(fence)), ...network.evidence(), ...evidence };
  } finally {
    await network.close();
  }
}

function guardedFence(services: StepServices, network: NetworkFence | undefined) {
  const credentials = openCredentials(services);
  return { fence: credentials.fence(network).fence, evidence: credentials.evidence };
}

function callAdmitted<T>(admission: Admission, call: () => T): T {
  return admission.during === undefined ? call() : admission.during(call);
}

/** A worker to admit. */
type AdmissionRequest = Pick<Spawn, 'worker' | 'role' | 'account'> & { readonly setting?: RoleSetting };

/** Asks the accounting whether the worker may be called now. */
function admit(job: Job, worker: WorkerConfig, applicant: AdmissionRequest): Promise<Admission | Refusal> {
  const { accounting } = job.runner.services;
  const spawn = spawnOf(job, worker, applicant);
  if (accounting !== undefined) return accounting.open(spawn);
  const { unknown: _, ...left } = spawn.budgets.attempt ?? {};
  return Promise.resolve({ left, onEvent: () => undefined, close: (answer) => Promise.resolve(answer) });
}

function spawnOf({ runner, request }: Job, { budget }: WorkerConfig, { setting, ...applicant }: AdmissionRequest): Spawn {
  const { activation, bound, runId: run } = request;
  const { day, ...attempt } = setting?.budget ?? {};
  return {
    ...applicant,
    run,
    path: activation.path,
    step: bound.model.id,
    attempt: activation.attempt,
    budgets: { attempt, ...omitUndefined({ day, step: budget }) },
    ...omitUndefined({ driver: setting?.driver, model: setting?.model }),
    redactor: runner.redactor,
  };
}

/** The usage of an agent that was not called. */
const NOTHING_USED: AgentUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0, turns: 0 };

/** Calls the driver. If the timeout came from a budget, that budget is used up. */
async function callDriver(driver: AgentDriver, call: AgentRequest, left: Budget): Promise<AgentAnswer> {
  if (call.signal.aborted)
    return { kind: 'failed', failure: 'aborted', message: 'it was stopped before it was called', usage: NOTHING_USED };
  try {
    // Not aborted when the attempt stops: the driver gets the signal, and answers when all its programs have ended.
    const answer = await driver.ask(call);
    const isOver = answer.kind === 'failed' && answer.failure === 'timeout' && call.timeoutMs === left.timeMs && left.timeMs !== undefined;
    return isOver ? { ...answer, failure: 'budget', message: `${TIME_IS_OVER}: ${answer.message}` } : answer;
  } catch (thrown) {
    return { kind: 'failed', failure: 'crash', message: messageOf(thrown) };
  }
}

function questionsNotAccepted({ request }: Job, role: string): StepError {
  const { id } = request.bound.model;
  return stepError('AGENT_FAILED', `the agent "${role}" asked questions, but step "${id}" does not accept them`);
}

function progressNotSaved({ request }: Job, role: string, problem: string): StepError {
  const message = `the agent "${role}" at step "${request.bound.model.id}" asked before it saved its progress: ${problem}`;
  return stepError('STEP_OUTPUT_INVALID', message, { reason: 'contract' });
}

function unknownRole({ request }: Job, message: string): StepError {
  return stepError('ROLE_UNKNOWN', `step "${request.bound.model.id}": ${message}`, { retryable: false });
}

interface RoleCall extends WorkerCall {
  readonly instructions: Instructions;
  readonly setting: RoleSetting;
  readonly admission: Admission;
  readonly check: NonNullable<AgentRequest['check']>;
}

const TEXT = { type: 'string' };

/** The permissions of the role, narrowed by the workflow; if neither sets any, the driver's default. */
function permissionsFor(definition: Definition, { permissions }: RoleSetting): AgentPermissions | undefined {
  return permissions === undefined && definition.permissions === undefined ? undefined : narrowPermissions(definition, permissions);
}

function requestFor({ runner, request, context: { snapshot } }: Job, call: RoleCall): AgentRequest {
  const { model } = request.bound;
  const { worker, setting, data, admission, rules, check, instructions } = call;
  const { role = '', action, script } = worker;
  const { timeMs, ...budget } = admission.left;
  return {
    role,
    runId: request.runId,
    step: model.id,
    path: request.activation.path,
    attempt: request.activation.attempt,
    idempotencyKey: keyOf(request),
    ...promptOf(instructions),
    action,
    script,
    context: data,
    feedback: request.activation.feedback,
    cwd: runner.services.cwd,
    env: { ...openCredentials(runner.services).env, ...runner.services.env, ...paramVariables(request.params) },
    timeoutMs: timeMs === undefined ? model.timeoutMs : Math.min(timeMs, model.timeoutMs ?? timeMs),
    ...omitUndefined({
      model: setting.model,
      credential: setting.credential,
      permissions: permissionsFor(request.workflow.definition, setting),
    }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    onEvent: (event) => admission.onEvent(event),
    ...omitUndefined({ inheritEnv: runner.services.inheritEnv, watchdogs: watchdogsFor(runner.services, setting, model.timeoutMs) }),
    ...omitUndefined({ pidDir: runner.services.pidDir, redactor: runner.redactor }),
    ...omitUndefined({ schema: rules.givesText === true ? TEXT : rules.schema }),
    check,
    ...(worker.continueSession === true ? sessionToContinue(role, snapshot) : {}),
    signal: request.signal,
  };
}

/**
 * The watchdogs of an agent. How long it may be silent is a setting of the role or the services, otherwise the time limit of
 * the step, so that the driver's default does not end the agent earlier.
 */
function watchdogsFor({ watchdogs }: StepServices, { idleMs }: RoleSetting, timeoutMs: number | undefined): Watchdogs | undefined {
  const idle = idleMs ?? watchdogs?.idleMs ?? timeoutMs;
  return idle === undefined ? watchdogs : { ...watchdogs, idleMs: idle };
}

/** The latest session of the role in this run, if the step continues it. Sessions may be lost at any time. */
function sessionToContinue(role: string, { data, completedSteps }: Snapshot): Pick<AgentRequest, 'session'> {
  const id = SESSIONS.of(role).in(data);
  if (id === undefined) return {};
  const steps = [...completedSteps];
  const done = steps.length === 0 ? 'Nothing is done yet.' : `Done so far: ${steps.join(', ')}.`;
  const handover = `You continue work of an earlier session, which is no longer available. ${done} Check the workspace for existing work.`;
  return { session: { id, handover } };
}

function failureOf({ runner, request }: Job, role: string, answer: AgentAnswer & { readonly kind: 'failed' }): StepError {
  const { failure, message } = answer;
  if (failure === 'aborted') return stoppedError(request.bound.model.id);
  const { resumeAt = failure === 'unavailable' ? nextTry(runner.services.now(), request.activation.since) : undefined } = answer;
  const until = resumeAt === undefined ? '' : `; it may be asked again from ${new Date(resumeAt).toISOString()}`;
  const all = failure === 'crash' ? `; "pawl logs ${request.runId} ${request.bound.model.id}" shows all that it printed` : '';
  return stepError('AGENT_FAILED', `the agent "${role}" failed (${failure}): ${message}${until}${all}`, {
    reason: reasonOf(failure, resumeAt),
    ...omitUndefined({ resumeAt }),
    // Without a login, a retry fails again.
    ...(failure === 'auth' ? { retryable: false } : {}),
  });
}

// An unavailable provider is called again later without using up retries, up to a limit.
function reasonOf(failure: AgentFailure, resumeAt: number | undefined): StepError['reason'] {
  if (failure === 'unavailable') return resumeAt === undefined ? 'error' : 'quota';
  return failure === 'timeout' || failure === 'quota' || failure === 'budget' ? failure : 'error';
}

const UNAVAILABLE_MS = 15_000;
const UNAVAILABLE_MS_MAX = 300_000;
const UNAVAILABLE_TRIES_MAX = 10;

function nextTry(now: number, waits: number): number | undefined {
  return waits > UNAVAILABLE_TRIES_MAX ? undefined : now + Math.min(UNAVAILABLE_MS_MAX, UNAVAILABLE_MS * 2 ** Math.max(0, waits - 1));
}

/** The session of an answer, for the run's data. The next attempt of the same role may continue it. */
export function sessionOf(asked: WorkerResult): { readonly remember?: JsonObject } {
  if (asked.kind !== 'answered' && asked.kind !== 'asks') return {};
  return asked.session === undefined ? {} : { remember: SESSIONS.of(asked.actor).with(asked.session) };
}

/** Evidence of a call: the usage that the driver measured, denied requests, and why a reply does not count. */
export function usageEvidence(asked: WorkerResult): { readonly evidence?: { readonly [name: string]: Json } } {
  const { network, credentials } = asked;
  if (asked.kind === 'handed') return network === undefined ? {} : { evidence: { network } };
  const { usage } = asked;
  const refusals = asked.kind === 'returned' ? [] : (asked.refusals ?? []);
  const evidence = {
    ...(asked.kind === 'failure' ? asked.evidence : {}),
    ...omitUndefined({ network, credentials }),
    ...(usage === undefined ? {} : { usage: usage as unknown as JsonObject }),
    ...(refusals.length === 0 ? {} : { refusals: refusals as unknown as Json }),
  };
  return Object.keys(evidence).length === 0 ? {} : { evidence };
}
