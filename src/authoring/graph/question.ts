// Reads a question to a person.

import { omitUndefined } from '../../base/fields.ts';
import type { ApprovalModel, ApprovalOptionModel } from '../../definition/model.ts';
import { readForgeQuestion } from './forge-question.ts';
import { readTarget } from './next.ts';
import type { StepReading } from './reading.ts';
import type { QuestionOptionSpec, QuestionSpec } from './spec.ts';

const APPROVE_OR_REJECT: readonly QuestionOptionSpec[] = [{ label: 'approve' }, { label: 'reject', outcome: 'reject' }];

/** The question as data. In a group member no answer has a target: the join decides by the outcome. */
export function readQuestion(spec: QuestionSpec, step: StepReading, isMember: boolean): ApprovalModel {
  const { prompt, show, options = APPROVE_OR_REJECT } = spec;
  const forge = readForgeQuestion(spec, (message, hint) => step.fault('QUESTION_INVALID', message, hint));
  return {
    prompt: typeof prompt === 'string' ? prompt : '',
    show: [...(show ?? [])],
    options: options.map((option) => readOption(option, step, isMember)),
    ...peopleOf(spec),
    ...omitUndefined({ subjects: spec.subjects }),
    ...(spec.signed === true ? { signed: spec.signed } : {}),
    ...omitUndefined({ forge }),
  };
}

function peopleOf({ from, count }: QuestionSpec): Pick<ApprovalModel, 'from' | 'count'> {
  return { ...(from === undefined ? {} : { from: typeof from === 'string' ? [from] : [...from] }), ...omitUndefined({ count }) };
}

function readOption(option: QuestionOptionSpec, step: StepReading, isMember: boolean): ApprovalOptionModel {
  const { label, nextStep, ends, requiresInput = false } = option;
  if (ends !== undefined && nextStep !== null)
    step.fault(
      'QUESTION_INVALID',
      `\`ends\` of the option "${label}" needs nextStep: null`,
      'write nextStep: "complete" or "reject", and remove `ends`',
    );
  const ending = ends === 'completed' ? 'complete' : 'reject';
  const outcome = option.outcome ?? (nextStep === null && ending === 'reject' ? 'reject' : 'ok');
  const answer = { label: label ?? '', outcome, requiresInput };
  if (nextStep === undefined || (isMember && nextStep === null)) return answer;
  return { ...answer, to: nextStep === null ? { end: ending } : readTarget(nextStep) };
}
