// Owns how a worker is asked: a live object of the application, or a role through its driver. What the answer means is
// for the kind of step that asked.

import type { AgentAnswer, AgentDriver, AgentPermissions, AgentRefusal, AgentReply, AgentRequest, AgentUsage } from '../agents/driver.ts';
import { QUESTION_FORMAT } from '../agents/reply.ts';
import { messageOf } from '../base/error.ts';
import { present } from '../base/fields.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import type { Budget } from '../definition/budget.ts';
import { misfit } from '../definition/json-schema.ts';
import type { Definition } from '../definition/model.ts';
import type { StepError } from '../kernel/input.ts';
import { isPromise, Stopped, untilStopped } from './abort.ts';
import type { Admission, Refusal } from './accounting.ts';
import type { Snapshot } from './attempt.ts';
import { handedOver, promptOf, type WorkerConfig, withRunContext } from './brief.ts';
import { keyOf } from './context.ts';
import { type Handover, isHandedOut } from './handover.ts';
import { narrowed } from './permission.ts';
import { entryOf, type RoleSetting } from './services.ts';
import { type Job, stepError, stoppedError } from './work.ts';

/** What came of asking. */
export type Asked =
  | { readonly kind: 'returned'; readonly value: unknown; readonly actor: string }
  | (AgentAnswer & { readonly kind: 'answered' | 'asks'; readonly actor: string })
  | { readonly kind: 'handed'; readonly handover: Handover; readonly actor: string }
  | {
      readonly kind: 'trouble';
      readonly error: StepError;
      readonly actor: string;
      readonly usage?: AgentUsage;
      readonly refusals?: readonly AgentRefusal[];
    };

/** Asks the live object of a step, or else the role. */
export async function ask(job: Job, worker: WorkerConfig): Promise<Asked> {
  const { request, context } = job;
  const { code } = request.bound;
  const { role = '', context: fixed = {} } = worker;
  const data = await handedOver(request, context, worker.seesContext === true ? withRunContext(fixed, context) : fixed);
  if (request.signal.aborted) throw new Stopped();
  if (code.agent === undefined && isHandedOut(job.bench.services, role, context.snapshot)) return handOver(job, worker, data);
  if (code.agent === undefined) return askRole(job, worker, data);
  const returned = code.agent.execute(data, context);
  const value = isPromise(returned) ? await untilStopped(returned, request.signal) : returned;
  return { kind: 'returned', value, actor: 'a live object' };
}

/** Hands the work to the agent that called: what a driven one would be told, without how it ends its answer. */
function handOver({ bench, request }: Job, worker: WorkerConfig, data: JsonObject): Asked {
  const { title, kind, supportsQuestions } = request.bound.model;
  const { role = '' } = worker;
  const preamble = entryOf(bench.services.roles, role)?.prompt;
  const mayAsk = supportsQuestions === true;
  const schema = present({ schema: worker.schema });
  const prompt = promptOf(request, { worker, preamble, data });
  return { kind: 'handed', actor: role, handover: { kind, prompt, role, title, mayAsk, ...schema } };
}

async function askRole(job: Job, worker: WorkerConfig, data: JsonObject): Promise<Asked> {
  const { services } = job.bench;
  const { role = '' } = worker;
  const trouble = (error: StepError): Asked => ({ kind: 'trouble', error, actor: role });
  const setting = entryOf(services.roles, role);
  if (setting === undefined) {
    const known = Object.keys(services.roles ?? {});
    const where = `write it as .pawl/agents/${role}.md or under "roles" in .pawl/config.yaml, or pass it as a role to createEngine`;
    return trouble(unknownRole(job, `there is no role "${role}"${didYouMean(role, known)}; ${where}`));
  }
  const driver = entryOf(services.drivers, setting.driver);
  if (driver === undefined) {
    const hint = didYouMean(setting.driver, Object.keys(services.drivers ?? {}));
    return trouble(unknownRole(job, `the role "${role}" names the driver "${setting.driver}", which is not there${hint}`));
  }
  const admission = await admit(job, worker, setting);
  if ('reason' in admission) return trouble(stepError('LIMIT_REACHED', admission.message, admission));
  const answer = await admission.close(await reach(driver, requestFor(job, { worker, setting, data, admission }), admission.left));
  if (answer.kind === 'answered') return { ...answer, actor: role };
  if (answer.kind === 'asks')
    return job.request.bound.model.supportsQuestions === true ? { ...answer, actor: role } : trouble(unasked(job, role));
  return { ...trouble(failureOf(job, role, answer)), ...present({ usage: answer.usage, refusals: answer.refusals }) } as Asked;
}

/** Asks whoever keeps the books whether the agent may be asked now. */
function admit({ bench, request }: Job, { role = '', budget }: WorkerConfig, setting: RoleSetting): Promise<Admission | Refusal> {
  const { accounting } = bench.services;
  const { day, ...attempt } = setting.budget ?? {};
  if (accounting === undefined)
    return Promise.resolve({ left: attempt, onEvent: () => undefined, close: (answer) => Promise.resolve(answer) });
  const { activation, bound, runId: run } = request;
  const { path, attempt: number } = activation;
  return accounting.open({
    run,
    path,
    step: bound.model.id,
    attempt: number,
    role,
    account: setting.credential ?? setting.driver,
    budgets: { attempt, ...present({ day, step: budget }) },
    redactor: bench.redactor,
  });
}

/** What an agent used that was not asked: nothing, and that is known. */
const NOTHING_USED: AgentUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0, turns: 0 };

/** Asks the driver. One whose time was that of its budget has used that up. */
async function reach(driver: AgentDriver, call: AgentRequest, left: Budget): Promise<AgentAnswer> {
  if (call.signal.aborted)
    return { kind: 'failed', failure: 'aborted', message: 'it was stopped before it was asked', usage: NOTHING_USED };
  try {
    // Not cut short when the attempt stops: the driver hears that too, and answers once nothing is left running.
    const answer = await driver.ask(call);
    const isOver = answer.kind === 'failed' && answer.failure === 'timeout' && call.timeoutMs === left.timeMs && left.timeMs !== undefined;
    return isOver ? { ...answer, failure: 'budget', message: `the time that its budget leaves is over: ${answer.message}` } : answer;
  } catch (thrown) {
    return { kind: 'failed', failure: 'crash', message: messageOf(thrown) };
  }
}

function unasked({ request }: Job, role: string): StepError {
  const { id } = request.bound.model;
  return stepError('AGENT_FAILED', `the agent "${role}" asked the person it works for, and step "${id}" takes no questions`);
}

function unknownRole({ request }: Job, message: string): StepError {
  return stepError('ROLE_UNKNOWN', `step "${request.bound.model.id}": ${message}`, { retryable: false });
}

interface Call {
  readonly worker: WorkerConfig;
  readonly setting: RoleSetting;
  readonly data: JsonObject;
  readonly admission: Admission;
}

const TEXT = { type: 'string' };

// A generator gives text; one that does not is told so, once, by its driver.
function textFault({ success, output }: AgentReply): string | undefined {
  return success && typeof output !== 'string' ? '"output" must be a text' : undefined;
}

/** What the role allows, as far as the workflow lets its own run; where neither says anything, the driver's own default. */
function permissionsFor(definition: Definition, { permissions }: RoleSetting): AgentPermissions | undefined {
  return permissions === undefined && definition.permissions === undefined ? undefined : narrowed(definition, permissions);
}

/** The schema of the output, and the check that decides whether an answer fits it. */
function schemaOf({ schema, givesText }: WorkerConfig): Pick<AgentRequest, 'schema' | 'check'> {
  if (givesText === true) return { schema: TEXT, check: textFault };
  if (schema === undefined) return {};
  return { schema, check: ({ success, output }) => (success ? misfit(schema, output) : undefined) };
}

function requestFor({ bench, request, context: { snapshot } }: Job, call: Call): AgentRequest {
  const { model } = request.bound;
  const { worker, setting, data, admission } = call;
  const { role = '', action, script } = worker;
  const { timeMs, ...budget } = admission.left;
  return {
    role,
    runId: request.runId,
    step: model.id,
    path: request.activation.path,
    attempt: request.activation.attempt,
    idempotencyKey: keyOf(request),
    prompt: [
      promptOf(request, { worker, preamble: setting.prompt, data }),
      ...(model.supportsQuestions === true ? [QUESTION_FORMAT] : []),
    ].join('\n\n'),
    action,
    script,
    context: data,
    feedback: request.activation.feedback,
    cwd: bench.services.cwd,
    env: bench.services.env ?? {},
    timeoutMs: timeMs === undefined ? model.timeoutMs : Math.min(timeMs, model.timeoutMs ?? timeMs),
    ...present({ model: setting.model, credential: setting.credential, permissions: permissionsFor(request.workflow.definition, setting) }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    onEvent: (event) => admission.onEvent(event),
    ...present({ inheritEnv: bench.services.inheritEnv, watchdogs: bench.services.watchdogs }),
    ...present({ pidDir: bench.services.pidDir, redactor: bench.redactor }),
    ...schemaOf(worker),
    ...(worker.continueSession === true ? continued(role, snapshot) : {}),
    signal: request.signal,
  };
}

/** The latest session of the role in this run, where the step goes on with it. A session is no memory to rely on. */
function continued(role: string, { data, completedSteps }: Snapshot): Pick<AgentRequest, 'session'> {
  const id = data[sessionKey(role)];
  if (typeof id !== 'string') return {};
  const done = completedSteps.length === 0 ? 'Nothing is done yet.' : `Done so far: ${completedSteps.join(', ')}.`;
  const handover = `You go on with work that was begun in a session that is gone. ${done} Look at the workspace for what is there.`;
  return { session: { id, handover } };
}

function failureOf({ request }: Job, role: string, answer: AgentAnswer & { readonly kind: 'failed' }): StepError {
  const { failure, message, resumeAt } = answer;
  if (failure === 'aborted') return stoppedError(request.bound.model.id);
  const until = resumeAt === undefined ? '' : `; it may be asked again from ${new Date(resumeAt).toISOString()}`;
  return stepError('AGENT_FAILED', `the agent "${role}" failed (${failure}): ${message}${until}`, {
    reason: failure === 'timeout' || failure === 'quota' || failure === 'budget' ? failure : 'error',
    ...(resumeAt === undefined ? {} : { resumeAt }),
    // Without a login, asking again brings the same answer.
    ...(failure === 'auth' ? { retryable: false } : {}),
  });
}

/** The session that an answer came from: the next attempt of the same role may go on with it. */
export function sessionOf(asked: Asked): { readonly remember?: JsonObject } {
  if (asked.kind !== 'answered' && asked.kind !== 'asks') return {};
  return asked.session === undefined ? {} : { remember: { [sessionKey(asked.actor)]: asked.session } };
}

function sessionKey(role: string): string {
  return `$session:${role}`;
}

/** What asking cost, as the driver measured it, and what the agent wanted to do and was not let. */
export function usageEvidence(asked: Asked): { readonly evidence?: { readonly [name: string]: Json } } {
  if (asked.kind === 'returned' || asked.kind === 'handed') return {};
  const { usage, refusals = [] } = asked;
  const evidence = {
    ...(usage === undefined ? {} : { usage: usage as unknown as JsonObject }),
    ...(refusals.length === 0 ? {} : { refusals: refusals as unknown as Json }),
  };
  return Object.keys(evidence).length === 0 ? {} : { evidence };
}
