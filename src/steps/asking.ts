// Owns how a worker is asked: a live object of the application, or a role through its driver. What the answer means is
// for the kind of step that asked.

import type { AgentAnswer, AgentRequest, AgentUsage } from '../agents/driver.ts';
import { messageOf } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import type { StepError } from '../kernel/input.ts';
import { isPromise, Stopped, untilStopped } from './abort.ts';
import { handedOver, promptOf } from './brief.ts';
import { keyOf } from './context.ts';
import { entryOf, type RoleSetting } from './services.ts';
import { type Job, stepError, stoppedError } from './work.ts';

/** What came of asking. */
export type Asked =
  | { readonly kind: 'returned'; readonly value: unknown; readonly actor: string }
  | (AgentAnswer & { readonly kind: 'answered'; readonly actor: string })
  | { readonly kind: 'trouble'; readonly error: StepError; readonly actor: string; readonly usage?: AgentUsage };

/** Asks the live object of a step, or else the role. */
export async function ask(job: Job, role: string | undefined): Promise<Asked> {
  const { request, context } = job;
  const { model, code } = request.bound;
  const data = await handedOver(request, context, model.config.context);
  if (request.signal.aborted) throw new Stopped();
  if (code.agent === undefined) return askRole(job, role ?? '', data);
  const returned = code.agent.execute(data, context);
  const value = isPromise(returned) ? await untilStopped(returned, request.signal) : returned;
  return { kind: 'returned', value, actor: 'a live object' };
}

async function askRole(job: Job, role: string, data: JsonObject): Promise<Asked> {
  const { services } = job.bench;
  const trouble = (error: StepError): Asked => ({ kind: 'trouble', error, actor: role });
  const setting = entryOf(services.roles, role);
  if (setting === undefined) {
    const known = Object.keys(services.roles ?? {});
    return trouble(unknownRole(job, `no role "${role}"${didYouMean(role, known)}; configure it under roles`));
  }
  const driver = entryOf(services.drivers, setting.driver);
  if (driver === undefined) {
    const hint = didYouMean(setting.driver, Object.keys(services.drivers ?? {}));
    return trouble(unknownRole(job, `the role "${role}" names the driver "${setting.driver}", which is not there${hint}`));
  }
  const call = requestFor(job, { role, setting, data });
  let answer: AgentAnswer;
  try {
    // Not cut short when the attempt stops: the driver hears that too, and answers once nothing is left running.
    answer = await driver.ask(call);
  } catch (thrown) {
    answer = { kind: 'failed', failure: 'crash', message: messageOf(thrown) };
  }
  if (answer.kind === 'answered') return { ...answer, actor: role };
  if (answer.kind === 'asks')
    return trouble(
      stepError(
        'AGENT_FAILED',
        `the agent "${role}" asked the person it works for, and step "${job.request.bound.model.id}" takes no questions`,
      ),
    );
  return { ...trouble(failureOf(job, role, answer)), ...(answer.usage === undefined ? {} : { usage: answer.usage }) } as Asked;
}

function unknownRole({ request }: Job, message: string): StepError {
  return stepError('ROLE_UNKNOWN', `step "${request.bound.model.id}": ${message}`, { retryable: false });
}

interface Call {
  readonly role: string;
  readonly setting: RoleSetting;
  readonly data: JsonObject;
}

function requestFor({ bench, request }: Job, { role, setting, data }: Call): AgentRequest {
  const { model } = request.bound;
  const { action, script } = model.config;
  return {
    role,
    runId: request.runId,
    step: model.id,
    path: request.activation.path,
    attempt: request.activation.attempt,
    idempotencyKey: keyOf(request),
    prompt: promptOf(request, { preamble: setting.prompt, data }),
    action: typeof action === 'string' ? action : undefined,
    script: typeof script === 'string' ? script : undefined,
    context: data,
    feedback: request.activation.feedback,
    ...(setting.model === undefined ? {} : { model: setting.model }),
    ...(setting.credential === undefined ? {} : { credential: setting.credential }),
    cwd: bench.services.cwd,
    env: bench.services.env ?? {},
    timeoutMs: model.timeoutMs,
    signal: request.signal,
  };
}

function failureOf({ request }: Job, role: string, answer: AgentAnswer & { readonly kind: 'failed' }): StepError {
  const { failure, message, resumeAt } = answer;
  if (failure === 'aborted') return stoppedError(request.bound.model.id);
  const until = resumeAt === undefined ? '' : `; it may be asked again from ${new Date(resumeAt).toISOString()}`;
  return stepError('AGENT_FAILED', `the agent "${role}" failed (${failure}): ${message}${until}`, {
    reason: failure === 'timeout' ? 'timeout' : 'error',
    // Without a login, asking again brings the same answer.
    ...(failure === 'auth' ? { retryable: false } : {}),
  });
}

/** What asking cost, as the driver measured it. */
export function usageEvidence(asked: Asked): { readonly evidence?: { readonly usage: Json } } {
  const usage = asked.kind === 'returned' ? undefined : asked.usage;
  return usage === undefined ? {} : { evidence: { usage: usage as unknown as JsonObject } };
}
