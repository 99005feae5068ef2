// Owns how the work of a step is written: the fields of its type of stage, in the words of a workflow file.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { GateOptionModel, HumanGateModel, StepModel, Target } from '../../definition/model.ts';
import { given } from './compile-step.ts';
import { refusal, writeBudget, writeDuration } from './write-word.ts';

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
  const { kind, config } = step;
  if (step.gate !== undefined && kind !== 'human') throw refusal(step.id, 'it works and then asks a person; make two steps of it');
  switch (kind) {
    case 'agent':
      return agentOf(config);
    case 'gate':
      return { type: 'gate', conditions: listOf(config.checks).map(checkOf) };
    case 'delay':
      return given({ type: 'delay', duration: writeDuration(Number(config.durationMs)), poll: pollOf(config.poll) });
    case 'action':
      return { type: 'action', ...withoutEmpty(config) };
    case 'webhook':
      return given({ type: 'webhook', request: config.request, expect: config.expect });
    case 'human':
      return humanOf(step, place);
    case 'workflow':
      return given({ type: 'workflow', workflow: config.workflow, input: isEmpty(config.input) ? undefined : config.input });
    case 'command':
      return { type: 'command', ...config };
    case 'parallel':
      return parallelOf(step, place);
    default:
      throw refusal(step.id, `files have no stage for a ${kind} step`);
  }
}

function agentOf({ role, continueSession, supportsQuestions, seesContext: _seen, budget, ...config }: JsonObject): JsonObject {
  return given({
    type: 'agent',
    agent: role,
    ...config,
    continue_session: continueSession,
    supports_questions: supportsQuestions,
    budget: isJsonObject(budget) ? writeBudget(budget) : undefined,
  });
}

function pollOf(poll: Json | undefined): Json | undefined {
  return isJsonObject(poll) ? given({ interval: writeDuration(Number(poll.intervalMs)), condition: poll.condition }) : undefined;
}

function checkOf(check: Json): Json {
  if (!isJsonObject(check)) return check;
  const { timeoutMs, templates: _filledIn, checks, minimum, ...fields } = check;
  return given({
    ...withoutEmpty(fields),
    conditions: checks === undefined ? undefined : listOf(checks).map(checkOf),
    minimum: typeof minimum === 'number' ? `${minimum}%` : minimum,
    timeout: timeoutMs === undefined ? undefined : writeDuration(Number(timeoutMs)),
  });
}

function humanOf({ gate }: StepModel, { goto }: WorkPlace): JsonObject {
  const { prompt, show, options, from, count, subjects, signed }: HumanGateModel = gate ?? { prompt: '', show: [], options: [] };
  const plain = JSON.stringify(options.map(({ label, outcome, requiresInput, to }) => [label, outcome, requiresInput, to ?? null]));
  return given({
    type: 'human',
    prompt,
    show: show.length === 0 ? undefined : show,
    options: plain === DEFAULT_ANSWERS ? undefined : options.map((option) => answerOf(option, goto)),
    from: from === undefined ? undefined : [...from],
    count,
    subjects: subjects?.files === undefined ? undefined : [...subjects.files],
    signed,
  });
}

function answerOf({ label, outcome, to, requiresInput }: GateOptionModel, goto: WorkPlace['goto']): JsonObject {
  // An answer that rejects ends the run as rejected where no way for it is written.
  const leads = to === undefined || ('end' in to && to.end === 'reject') ? undefined : goto?.(to);
  return given({ label, outcome: outcome === 'ok' ? undefined : outcome, goto: leads, requires_input: requiresInput || undefined });
}

function parallelOf({ join, members, concurrency }: StepModel, place: WorkPlace): JsonObject {
  const branches = members.map((member) => ({ ...place.branchOf(member), ...writeWork(member, { branchOf: place.branchOf }) }));
  const rule = join === undefined || join.rule === 'all' ? 'all' : join.rule === 'any' ? 'any' : `${join.n}-of-${members.length}`;
  return given({ type: 'parallel', join: rule, branches, concurrency });
}

/** What is done on the forge, as a hook. */
export function writeHook({ config: { action, ...rest } }: StepModel): JsonObject {
  const fields = withoutEmpty(rest);
  return { [String(action)]: action === 'close_issue' ? (fields.issue ?? null) : fields };
}

/** Somebody who is told something, from the step that tells them. */
export function writeNotify({ config: { action: _action, ...told } }: StepModel): Json {
  return told.message === undefined && told.target !== undefined ? told.target : told;
}

function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
