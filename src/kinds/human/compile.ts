// Owns how a `human` step is written: a question, and the answers that a person can give.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import { invalid, type StepParts } from '../../authoring/flow/model.ts';
import { builtCode, takeFunctions } from '../../authoring/graph/built.ts';
import { FORGE_QUESTION_FIELDS, readForgeQuestion } from '../../authoring/graph/forge-question.ts';
import { readQuestion } from '../../authoring/graph/question.ts';
import { OPTION, QUESTION, QUESTION_FIELDS } from '../../authoring/graph/shape.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { checkOptions } from '../../authoring/spec/option.ts';
import { eitherShape, listShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import type { Targets } from '../../authoring/spec/step.ts';
import { present } from '../../base/fields.ts';
import type { ApprovalOptionModel, WorkOf } from '../../definition/model.ts';
import { human as declaration } from './declare.ts';
import type { HumanOption, HumanStep } from './spec.ts';

/** The question of a flow: an answer may be its label alone, and no function builds the prompt. */
const FLOW_QUESTION = objectShape<object>(
  { ...QUESTION_FIELDS, prompt: TEXT, options: listShape(eitherShape(TEXT, OPTION)) },
  { example: '{ prompt: "Ship it?" }', needs: ['prompt'] },
);

/** The kind `human`. */
export const human: KindCompiler = {
  ...declaration,
  field: 'human',
  flow: { human: { most: 1, first: FLOW_QUESTION, build } },
  shapes: { human: QUESTION },
  literals: ({ question: { prompt } }: WorkOf<'human'>) => ({ prompt }),
  read({ human: given }, { step, isMember }) {
    const { data, built } = takeFunctions({ prompt: '', ...given }, { prompt: 'text' }, { step });
    const question = readQuestion(data, step, isMember);
    return { work: { kind: 'human', question: built.length === 0 ? question : { ...question, built: true } }, code: builtCode(built) };
  },
};

const FIELDS = ['prompt', 'show', 'options', 'from', 'count', 'subjects', 'signed', ...FORGE_QUESTION_FIELDS];
const APPROVE_OR_REJECT: readonly HumanOption[] = ['approve', 'reject'];

/** A question and its answers. */
function build(name: string, [spec]: MethodArguments<HumanStep<never, never, Targets>, 'human'>): StepParts {
  const {
    prompt,
    show = [],
    options: answers = APPROVE_OR_REJECT,
    from,
    count,
    subjects,
    signed,
    waitFor,
    label,
    autoAssign,
    reminders,
    ...options
  } = spec;
  if (answers.length === 0) throw invalid(`step "${name}"`, 'asks a person but allows no answer; give it at least one option');
  const choices = answers.map(optionModel);
  const twice = choices.find(({ label }, index) => choices.findIndex((other) => other.label === label) !== index);
  if (twice !== undefined) throw invalid(`step "${name}"`, `has two options "${twice.label}"; label each answer differently`);
  const forge = readForgeQuestion(present({ waitFor, label, autoAssign, reminders }), (message, hint) => {
    throw invalid(`step "${name}"`, `${message}; ${hint}`);
  });
  const people = typeof from === 'string' ? [from] : from;
  const question = {
    prompt,
    show: [...show],
    options: choices,
    ...present({ from: people, count, subjects, signed: signed || undefined, forge }),
  };
  return { name, work: { kind: 'human', question }, options, fields: FIELDS };
}

// A flow that ignores the answer must not complete what a person rejected.
function optionModel(option: HumanOption): ApprovalOptionModel {
  const { label, outcome, requiresInput = false } = typeof option === 'string' ? { label: option } : option;
  if (typeof option === 'object') checkOptions(`the option "${label}"`, option, ['label', 'outcome', 'requiresInput']);
  return { label, outcome: outcome ?? (label === 'reject' ? 'reject' : 'ok'), requiresInput };
}
