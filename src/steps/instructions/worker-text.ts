// Builds the text for the worker of a step: the data, the rules for the reply, and the instructions of a driven
// agent or of handed-out work.

import { QUESTION_FORMAT } from '../../agents/reply.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepModel } from '../../definition/model.ts';
import { DEFAULT_EXCLUDES } from '../../definition/outcome.ts';
import { ownEntry } from '../services.ts';
import type { Job } from '../work.ts';
import { isInstructed, type StoredHandover } from '../worker/handover.ts';
import { type ReplyRules, replyRulesOf, ruleInstructions } from '../worker/reply-rules.ts';
import { stateFilesOf, stateInstructions } from '../worker/saved-state.ts';
import { stepData, type WorkerConfig, withRunContext, writtenTask } from '../worker/worker-task.ts';
import { type Instructions, instructionsFor, wholeText } from './instructions.ts';

/** A call of a worker: who it is, its data, and the rules for its reply. */
export interface WorkerCall {
  readonly worker: WorkerConfig;
  readonly data: JsonObject;
  readonly rules: ReplyRules;
}

/** Builds the call of a worker. Throws CONTEXT_FAILED. */
export async function openCall({ request, context }: Job, worker: WorkerConfig): Promise<WorkerCall> {
  const { context: fixed = {} } = worker;
  const data = await stepData(request, context, worker.seesContext === true ? withRunContext(fixed, context) : fixed);
  return { worker, data, rules: replyRulesOf(worker, request.bound.model, request.group) };
}

/** The instructions of a driven agent, without the reply format of its program. */
export async function drivenText(job: Job, call: WorkerCall): Promise<Instructions> {
  const questions = job.request.bound.model.supportsQuestions === true ? [QUESTION_FORMAT] : [];
  return buildInstructions(job, call, [...ruleInstructions(call.rules, '"output"'), ...(await stateInstructions(job)), ...questions]);
}

/** The work for the calling agent: the instructions of a driven agent, without the reply format. */
export async function handoverOf(job: Job, call: WorkerCall): Promise<StoredHandover> {
  const { title, kind, supportsQuestions } = job.request.bound.model;
  const { givesText: _, ...expected } = call.rules;
  const outcomes = isInstructed(job.request.bound.model) ? reportableOutcomes(job.request.bound.model) : [];
  const parts = await buildInstructions(job, call, [
    ...ruleInstructions(call.rules, 'The result'),
    ...outcomeInstructions(outcomes),
    ...(await stateInstructions(job)),
  ]);
  const more = { ...(outcomes.length === 0 ? {} : { outcomes }), ...omitUndefined({ state: await stateFilesOf(job) }) };
  const { role = '' } = call.worker;
  return { kind, prompt: wholeText(parts), parts, role, title, mayAsk: supportsQuestions === true, ...expected, ...more };
}

function buildInstructions(job: Job, { worker, data }: WorkerCall, rules: readonly string[]): Promise<Instructions> {
  const { role = '' } = worker;
  const preamble = ownEntry(job.runner.services.roles, role)?.prompt;
  return instructionsFor(job, { ...writtenTask(job.request, worker, job.context.snapshot.results), preamble, data, rules });
}

/** The outcomes that a report may choose: those with a transition, if there are several. */
function reportableOutcomes({ next }: StepModel): readonly string[] {
  const named = Object.keys(next).filter((outcome) => outcome !== '_default' && !DEFAULT_EXCLUDES.includes(outcome));
  return named.length > 1 ? named : [];
}

function outcomeInstructions(outcomes: readonly string[]): string[] {
  if (outcomes.length === 0) return [];
  return [`Say how the step ended with "outcome" in the result, one of ${outcomes.join(', ')}. Without it, the outcome is ok.`];
}
