// Combines the kind `review` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { type StageForm, type StageWords, stageForm } from '../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../base/fields.ts';
import { readWrittenBudget, type WrittenBudget } from '../../definition/budget.ts';
import { REVIEW_ROUNDS_MAX, SEVERITIES } from '../../definition/review/review.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { review as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The field builder for an agent of a review: its role, or a map with more. */
function workerWords({ z, map, noted, literal, template, budget, duration }: StageWords) {
  const detailed = map(
    'an agent of a review',
    {
      agent: literal('The role of the agent.', 'quality-reviewer'),
      prompt: template('Additional instructions.', 'Look at the public API first.').optional(),
      budget: budget.optional(),
      timeout: duration('How long one attempt may take.').optional(),
    },
    'A role, with more instructions and limits.',
  );
  const accepts = 'a role, or a map with agent, prompt, budget and timeout';
  return (description: string, example: string) =>
    noted(z.union([literal(description, example), detailed]), { description, examples: [example], accepts });
}

const item = ({ map, literal, prose, choice }: StageWords) =>
  map(
    'an item of a review',
    {
      id: literal('A short name.', 'tests'),
      severity: choice('How severe a failure of this item is.', SEVERITIES),
      question: prose('What to verify, as a question with the answer pass or fail.', 'Does every changed function have a test?'),
    },
    'One thing to verify.',
  );

type YamlWorker =
  | string
  | {
      readonly agent: string;
      readonly prompt?: string | undefined;
      readonly budget?: WrittenBudget | undefined;
      readonly timeout?: string | undefined;
    };

function workerOf(worker: YamlWorker) {
  if (typeof worker !== 'object') return worker;
  const { agent, prompt, budget, timeout } = worker;
  return { agent, ...omitUndefined({ prompt, budget: budget && readWrittenBudget(budget), timeout: timeout as `${number}m` | undefined }) };
}

/** What is reviewed, by whom, and who fixes what they find. */
const yaml: StageForm = stageForm({
  meaning: 'A quality review with a limit on rounds: items, fresh reviewers, fixes.',
  transitions: ['on_reject', 'on_fail'],
  fields(words) {
    const { z, noted, template, oneOrMore, count, literal } = words;
    const worker = workerWords(words);
    return {
      subject: template('What is reviewed, in a sentence.', 'The change for #{{ context.issue_number }}'),
      reviewer: worker('The role that verifies the items; each item gets a new agent.', 'quality-reviewer'),
      fixer: worker('The role that fixes what stops the work.', 'feat-dev'),
      splitter: worker('The role that splits the subject into items. Default: that of the reviewer.', 'planner').optional(),
      items: noted(z.array(item(words)).min(1), {
        description: 'What to verify. Default: an agent splits the subject into items, once.',
        examples: [[{ id: 'tests', severity: 'MUST', question: 'Does every changed function have a test?' }]],
        accepts: 'a list of items',
      }).optional(),
      rounds: noted(z.int().min(1).max(REVIEW_ROUNDS_MAX), {
        description: `After this many rounds a person decides. Default: ${REVIEW_ROUNDS_MAX}.`,
        examples: [5],
        accepts: `a whole number from 1 to ${REVIEW_ROUNDS_MAX}`,
      }).optional(),
      concurrency: count('How many items are verified at the same time. Default: all.', 4).optional(),
      from: oneOrMore('The group or groups whose members decide after the last round.', 'maintainers').optional(),
      title: literal('The name of the review in its texts. Default: the id of the stage.', 'Plan Review').optional(),
    };
  },
  toSpec({ subject, reviewer, fixer, splitter, items, rounds, concurrency, from, title }) {
    const required = { subject, reviewer: workerOf(reviewer), fixer: workerOf(fixer) };
    return {
      review: {
        ...required,
        ...omitUndefined({ splitter: splitter && workerOf(splitter), items, rounds, concurrency, from, name: title }),
      },
    };
  },
});

/** The registry entry of the kind `review`. */
export const reviewKind: KindCompiler & KindExecutor = { ...compiler, execute, yaml };
