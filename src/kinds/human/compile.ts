// Owns how a `human` step is written: a question, and the answers that a person can give.

import { invalid, type StepOptions, type StepParts } from '../../authoring/flow/model.ts';
import { builtCode, takeFunctions } from '../../authoring/graph/built.ts';
import { FORGE_QUESTION_FIELDS, readForgeQuestion, type WrittenForgeQuestion } from '../../authoring/graph/forge-question.ts';
import { readQuestion } from '../../authoring/graph/question.ts';
import { QUESTION } from '../../authoring/graph/shape.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { checkOptions } from '../../authoring/spec/option.ts';
import { present } from '../../base/fields.ts';
import type { ApprovalOptionModel, WorkOf } from '../../definition/model.ts';
import { human as declaration } from './declare.ts';

/** An answer that a person can give; without an outcome, "reject" rejects and every other answer is `ok`. */
export type HumanOption = string | { readonly label: string; readonly outcome?: string; readonly requiresInput?: boolean };

/** A question to a person; without options it can be approved or rejected. */
export interface HumanSpec<Options extends readonly HumanOption[]> extends StepOptions, WrittenForgeQuestion {
  readonly prompt: string;
  /** Paths into the run's data, shown with the question. */
  readonly show?: readonly string[];
  readonly options?: Options;
  /** The group or groups whose members decide. */
  readonly from?: string | readonly string[];
  /** How many of them must agree. */
  readonly count?: number;
  /** What it is about outside the run; when that changes, it is asked again. */
  readonly subjects?: { readonly files?: readonly string[]; readonly pr?: true };
  /** A decision counts only with the signature of an enrolled key. */
  readonly signed?: boolean;
}

/** The answers that a flow can receive: one that rejects is thrown as a failure instead. */
export type AnswerOf<Option> = Option extends string
  ? Exclude<Option, 'reject'>
  : Option extends { readonly label: infer Label extends string; readonly outcome: infer Word }
    ? Word extends 'ok'
      ? Label
      : never
    : Option extends { readonly label: infer Label extends string }
      ? Exclude<Label, 'reject'>
      : never;

/** The kind `human`. */
export const human: KindCompiler = {
  ...declaration,
  field: 'human',
  shapes: { human: QUESTION },
  literals: ({ gate: { prompt } }: WorkOf<'human'>) => ({ prompt }),
  read({ human: given }, { step, isMember }) {
    const { data, built } = takeFunctions({ prompt: '', ...given }, { prompt: 'text' }, { step });
    const gate = readQuestion(data, step, isMember);
    return { work: { kind: 'human', gate: built.length === 0 ? gate : { ...gate, built: true } }, code: builtCode(built) };
  },
};

const FIELDS = ['prompt', 'show', 'options', 'from', 'count', 'subjects', 'signed', ...FORGE_QUESTION_FIELDS];
const APPROVE_OR_REJECT: readonly HumanOption[] = ['approve', 'reject'];

/** A question and its answers. */
export function buildHuman(name: string, spec: HumanSpec<readonly HumanOption[]>): StepParts {
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
  if (typeof prompt !== 'string') throw invalid(`step "${name}":`, '`prompt` must be a string');
  if (!Array.isArray(answers)) throw invalid(`step "${name}":`, '`options` must be a list of answers');
  if (answers.length === 0) throw invalid(`step "${name}"`, 'asks a person but allows no answer; give it at least one option');
  const choices = answers.map(optionModel);
  const twice = choices.find(({ label }, index) => choices.findIndex((other) => other.label === label) !== index);
  if (twice !== undefined) throw invalid(`step "${name}"`, `has two options "${twice.label}"; label each answer differently`);
  if (signed !== undefined && typeof signed !== 'boolean') throw invalid(`step "${name}"`, '`signed` must be true or false');
  const forge = readForgeQuestion(present({ waitFor, label, autoAssign, reminders }), (message, hint) => {
    throw invalid(`step "${name}"`, `${message}; ${hint}`);
  });
  const people = typeof from === 'string' ? [from] : from;
  const gate = {
    prompt,
    show: [...show],
    options: choices,
    ...present({ from: people, count, subjects, signed: signed || undefined, forge }),
  };
  return { name, work: { kind: 'human', gate }, options, fields: FIELDS };
}

// A flow that ignores the answer must not complete what a person rejected.
function optionModel(option: HumanOption): ApprovalOptionModel {
  const { label, outcome, requiresInput = false } = typeof option === 'string' ? { label: option } : option;
  if (typeof option === 'object') checkOptions(`the option "${label}"`, option, ['label', 'outcome', 'requiresInput']);
  return { label, outcome: outcome ?? (label === 'reject' ? 'reject' : 'ok'), requiresInput };
}
