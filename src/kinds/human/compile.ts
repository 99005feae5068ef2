// Compiles a `human` step: a question, and the answers that a person can give.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import { builtCode, extractFunctions } from '../../authoring/graph/built.ts';
import { FORGE_QUESTION_FIELDS } from '../../authoring/graph/forge-question.ts';
import { readQuestion } from '../../authoring/graph/question.ts';
import { QUESTION } from '../../authoring/graph/shape.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { eitherShape, FLAG, listShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import type { Targets } from '../../authoring/spec/step.ts';
import type { WorkOf } from '../../definition/model.ts';
import { human as declaration } from './declare.ts';
import type { HumanOption, HumanStep } from './spec.ts';

const FIELDS = ['prompt', 'show', 'options', 'from', 'count', 'subjects', 'signed', ...FORGE_QUESTION_FIELDS];

/** The question of a flow: an answer may be its label alone, and has no target. */
const FLOW_QUESTION = objectShape<object>(
  {
    prompt: TEXT,
    options: listShape(
      eitherShape(
        TEXT,
        objectShape<object>(
          { label: TEXT, outcome: TEXT, requiresInput: FLAG },
          { needs: ['label'], label: ({ label }) => `the option "${label}"` },
        ),
      ),
    ),
  },
  { example: '{ prompt: "Ship it?" }' },
);

/** Compiles `human` steps. */
export const human: KindCompiler = {
  ...declaration,
  field: 'human',
  flow: { human: { most: 1, first: FLOW_QUESTION, own: FIELDS, write: question } },
  shapes: { human: QUESTION },
  literals: ({ question: { prompt } }: WorkOf<'human'>) => ({ prompt }),
  read({ human: given }, { step, isMember }) {
    const { data, built } = extractFunctions({ prompt: '', ...given }, { prompt: 'text' }, { step });
    const question = readQuestion(data, step, isMember);
    return { work: { kind: 'human', question: built.length === 0 ? question : { ...question, built: true } }, code: builtCode(built) };
  },
};

function question([spec]: MethodArguments<HumanStep<never, never, Targets>, 'human'>): FlowSpec {
  const { prompt, show, options: answers, from, count, subjects, signed, waitFor, label, autoAssign, reminders, ...options } = spec;
  const asked = { prompt, show, options: answers?.map(answerOf), from, count, subjects, signed, waitFor, label, autoAssign, reminders };
  return { fields: { human: asked }, options };
}

// A flow that ignores the answer must not complete what a person rejected.
function answerOf(option: HumanOption): HumanOption {
  const { outcome, ...answer } = typeof option === 'string' ? { label: option } : option;
  return { ...answer, outcome: outcome ?? (answer.label === 'reject' ? 'reject' : 'ok') };
}
