// Combines the kind `human` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { type StageForm, type StageWords, stageForm } from '../../authoring/yaml/schema/form.ts';
import type { StageWriter } from '../../authoring/yaml/write/stage.ts';
import { writeDuration } from '../../base/duration.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ApprovalOptionModel, StepOf } from '../../definition/model.ts';
import { WAITED_FOR } from '../../definition/model.ts';
import { human as compiler } from './compile.ts';

const option = ({ map, noted, literal, choice, flag }: StageWords) =>
  map(
    'an option',
    {
      label: noted(literal('What people choose.', 'Approve'), { role: 'prose' }),
      outcome: choice('The outcome of the stage: `ok` follows `on_complete`, `reject` follows `on_reject`. Default: ok.', [
        'ok',
        'reject',
      ]).optional(),
      goto: literal('Where this answer leads instead.', 'implement').optional(),
      requires_input: flag('The person must write something. Default: false.').optional(),
    },
    'An answer that a person can give.',
  );

/** The question, who may answer, and the answers. */
const yaml: StageForm = stageForm({
  meaning: 'A question to a person.',
  transitions: ['on_reject'],
  fields(words) {
    const { z, template, texts, noted, oneOrMore, count, flag, choice, literal, duration, map } = words;
    return {
      prompt: template('The question.', 'Ship {{ context.issue_title }}?'),
      show: texts('Paths whose values are shown with the question; a decision holds for these values only.', [
        'outputs.implement.code_changes',
      ]).optional(),
      options: noted(z.array(option(words)).min(1), {
        description: 'The answers. Default: approve and reject.',
        examples: [[{ label: 'Ship it' }, { label: 'Rework', goto: 'implement', requires_input: true }]],
        accepts: 'a list of options',
      }).optional(),
      from: oneOrMore(
        'The group or groups whose members may decide. Default: whoever may decide in the project.',
        'maintainers',
      ).optional(),
      count: count(
        'How many different people must choose the same option that leads forward; one person is enough to reject or to go back. Default: 1.',
        1,
      ).optional(),
      subjects: texts('Patterns of files that the question is about: if one changes before someone decides, the question is asked again.', [
        'docs/**',
      ]).optional(),
      signed: flag('Whether a decision requires the signature of an enrolled key. Default: the setting of the project.').optional(),
      wait_for: choice(
        'What also decides it at the forge, in addition to the usual ways: an approving review (one that requests changes rejects), a comment, a label, or the dismissal of a review. Only people with write permission who are in `from` count.',
        WAITED_FOR,
      ).optional(),
      label: literal('wait_for label: the label.', 'approved').optional(),
      auto_assign: oneOrMore(
        'Groups and people to assign at the forge when the question opens, and to ask for a review of the pull request.',
        'maintainers',
      ).optional(),
      reminders: map(
        'reminders',
        {
          interval: duration('How long after the question, or the last reminder.', '24h'),
          max: count('The maximum number of reminders.', 3),
        },
        'Reminds these people at the forge while the question is open.',
      ).optional(),
    };
  },
  toSpec({ prompt, show, from, count, subjects, signed, options, wait_for: waitFor, label, auto_assign: autoAssign, reminders }) {
    const answers = options?.map(({ label, outcome = 'ok', requires_input: requiresInput = false }) => ({ label, outcome, requiresInput }));
    const files = subjects && { files: subjects };
    const forge = omitUndefined({ waitFor, label, autoAssign, reminders });
    return { human: { prompt, ...omitUndefined({ show, options: answers, from, count, signed, subjects: files }), ...forge } };
  },
});

const DEFAULT_ANSWERS = '[["approve","ok",false,null],["reject","reject",false,null]]';

/** A question as a stage. */
function write({ question }: StepOf<'human'>, { goto }: Pick<StageWriter, 'goto'>): JsonObject {
  const { prompt, show, options, from, count, subjects, signed, forge = {} } = question;
  const plain = JSON.stringify(options.map(({ label, outcome, requiresInput, to }) => [label, outcome, requiresInput, to ?? null]));
  return omitUndefined({
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

function answerOf({ label, outcome, to, requiresInput }: ApprovalOptionModel, goto: StageWriter['goto']): JsonObject {
  // Without a target, an answer that rejects ends the run as rejected.
  const leads = to === undefined || ('end' in to && to.end === 'reject') ? undefined : goto?.(to);
  return omitUndefined({ label, outcome: outcome === 'ok' ? undefined : outcome, goto: leads, requires_input: requiresInput || undefined });
}

/** The registry entry of the kind `human`. */
export const humanKind: KindCompiler = { ...compiler, write, yaml };
