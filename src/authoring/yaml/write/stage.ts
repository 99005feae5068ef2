// Owns how the work of a step is written: the fields of its type of stage, in the words of a workflow file.

import { present } from '../../../base/fields.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { CheckModel } from '../../../definition/check.ts';
import type { ApprovalOptionModel, OutputModel, StepModel, StepOf, Target, WorkConfigs } from '../../../definition/model.ts';
import { refusal, writeBudget, writeDuration } from './word.ts';

/** What the work of a stage needs to know of what is around it. */
export interface WorkPlace {
  /** The frame of a branch. */
  readonly branchOf: (step: StepModel) => JsonObject;
  /** The name of where an answer leads; in a branch none leads anywhere. */
  readonly goto?: (to: Target) => string;
}

const DEFAULT_ANSWERS = '[["approve","ok",false,null],["reject","reject",false,null]]';

/** The type of a stage and its own fields. */
export function writeWork(step: StepModel, place: WorkPlace): JsonObject {
  if (step.gate !== undefined && step.kind !== 'human') throw refusal(step.id, 'it works and then asks a person; make two steps of it');
  switch (step.kind) {
    case 'agent':
      return agentOf(step);
    case 'gate':
      return { type: 'gate', conditions: step.config.checks.map(checkOf), ...present({ flaky: step.config.flaky }) };
    case 'delay':
      return present({ type: 'delay', duration: writeDuration(step.durationMs), poll: pollOf(step.poll) });
    case 'action':
      return { type: 'action', ...withoutEmpty(step.config) };
    case 'webhook':
      return present({ type: 'webhook', request: step.config.request as JsonObject, expect: step.config.expect as JsonObject | undefined });
    case 'human':
      return humanOf(step, place);
    case 'workflow':
      if (step.review !== undefined)
        throw refusal(step.id, 'it is a review, of which only the parts are known here; write its stage by hand');
      return present({ type: 'workflow', workflow: step.workflow, input: isEmpty(step.input) ? undefined : step.input });
    case 'command':
      return present({ type: 'command', ...(step.config as JsonObject), outputs: outputsOf(step), fresh: step.fresh });
    case 'signal':
      return { type: 'signal', signal: step.signal };
    case 'parallel':
      return parallelOf(step, place);
    case 'own':
      return present({ type: step.config.use, with: step.config.with ?? undefined });
    default:
      throw refusal(step.id, `files have no stage for a ${step.kind} step`);
  }
}

function agentOf({ config, supportsQuestions, questionState, outputs, fresh, independent }: StepOf<'agent'>): JsonObject {
  const { role, continueSession, seesContext: _seen, budget, ...fields } = config;
  return present({
    type: 'agent',
    agent: role,
    ...(fields as JsonObject),
    outputs: outputsOf({ outputs }),
    fresh,
    independent,
    continue_session: continueSession,
    supports_questions: supportsQuestions,
    question_state: questionState,
    budget: budget && writeBudget(budget),
  });
}

function outputsOf({ outputs }: { readonly outputs?: readonly OutputModel[] | undefined }): Json | undefined {
  return outputs as unknown as Json | undefined;
}

function pollOf(poll: StepOf<'delay'>['poll']): Json | undefined {
  return poll && present({ interval: writeDuration(poll.intervalMs), condition: poll.condition });
}

function checkOf(check: CheckModel): Json {
  const { timeoutMs, templates: _filledIn, ...fields } = check;
  return present({
    ...withoutEmpty(fields as JsonObject),
    ...(check.check === 'any_of' ? { checks: undefined, conditions: check.checks.map(checkOf) } : {}),
    ...(check.check === 'human_approved' ? { step: undefined, stage: check.step } : {}),
    ...(check.check === 'coverage' && typeof check.minimum === 'number' ? { minimum: `${check.minimum}%` } : {}),
    timeout: timeoutMs === undefined ? undefined : writeDuration(timeoutMs),
  });
}

function humanOf({ gate }: StepOf<'human'>, { goto }: WorkPlace): JsonObject {
  const { prompt, show, options, from, count, subjects, signed, forge = {} } = gate;
  const plain = JSON.stringify(options.map(({ label, outcome, requiresInput, to }) => [label, outcome, requiresInput, to ?? null]));
  return present({
    type: 'human',
    prompt,
    show: show.length === 0 ? undefined : show,
    options: plain === DEFAULT_ANSWERS ? undefined : options.map((option) => answerOf(option, goto)),
    from: from === undefined ? undefined : [...from],
    count,
    subjects: subjects?.files === undefined ? undefined : [...subjects.files],
    signed,
    wait_for: forge.waitFor,
    label: forge.label,
    auto_assign: forge.assign && [...forge.assign],
    reminders: forge.reminders && { interval: writeDuration(forge.reminders.intervalMs), max: forge.reminders.max },
  });
}

function answerOf({ label, outcome, to, requiresInput }: ApprovalOptionModel, goto: WorkPlace['goto']): JsonObject {
  // An answer that rejects ends the run as rejected where no way for it is written.
  const leads = to === undefined || ('end' in to && to.end === 'reject') ? undefined : goto?.(to);
  return present({ label, outcome: outcome === 'ok' ? undefined : outcome, goto: leads, requires_input: requiresInput || undefined });
}

function parallelOf({ join, members, concurrency }: StepOf<'parallel'>, place: WorkPlace): JsonObject {
  const branches = members.map((member) => ({ ...place.branchOf(member), ...writeWork(member, { branchOf: place.branchOf }) }));
  const rule = join.rule === 'all' ? 'all' : join.rule === 'any' ? 'any' : `${join.n}-of-${members.length}`;
  return present({ type: 'parallel', join: rule, branches, concurrency });
}

/** What is done on the forge, as a hook. */
export function writeHook(step: StepModel): JsonObject {
  const { action, ...rest } = actionOf(step);
  const fields = withoutEmpty(rest);
  return { [action]: action === 'close_issue' ? (fields.issue ?? null) : fields };
}

/** A notification, from the step that sends it. */
export function writeNotify(step: StepModel): Json {
  const { action: _action, ...notify } = actionOf(step);
  return notify.message === undefined && notify.target !== undefined ? notify.target : notify;
}

function actionOf(step: StepModel): WorkConfigs['action'] {
  if (step.kind !== 'action') throw refusal(step.id, 'files have only actions there');
  return step.config;
}

function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
