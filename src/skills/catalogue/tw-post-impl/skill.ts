// Brings documents and comments in line with code that was implemented.

import { defineSkill, formatDetectionQuestions, formatForbidden } from '../../index.ts';
import { formBlock } from '../form-block.ts';
import { DOCUMENTATION } from '../planner-reviews.ts';
import { executorParams, inLaterRounds, verdictsOf, WORKER_DOCUMENTS, workerParams } from '../planner-workers.ts';

/** The skill that sends sub-agents here. */
export const partOf = 'planner-executor';

/** The technical writer of an implementation: survey, writing, proof. */
export default defineSkill({
  name: 'tw-post-impl',
  description:
    'Brings the documents and comments of a project in line with an implementation. The skill planner-executor sends a technical-writer to it.',
  params: {
    ...workerParams('planner-executor'),
    ...executorParams,
  },
  steps: [
    {
      id: 'survey',
      title: 'Survey',
      contract: { documents: [WORKER_DOCUMENTS.survey] },
      actions: ({ params: { folder, plan, round } }) => [
        ...inLaterRounds(
          'document',
          round,
          `First read the failed items and the MUST findings in ${verdictsOf(DOCUMENTATION, String(folder))}. Add a row below for each; look for its cause in other documents too.`,
        ),
        `Read git diff BASELINE (the commit is in ${folder}/02-baseline.md), ${folder}/03-journal.md for deviations, and the decisions in ${plan}. Write ${folder}/04-survey.md:`,
        [
          '- What Changed: U-1 …: each thing that a user, an operator or the next developer would do or expect differently, according to the code and not to the plan.',
          '- Documents: per U, each place that mentions it: documents, help texts, examples, comments, indexes, changelog. Search for the old and the new names, options, defaults and messages. Quote what is false or incomplete.',
          '- Reasons: per D, where maintainers of the code can read its reason; if the answer is "nowhere", it has to be written.',
        ].join('\n'),
        formatDetectionQuestions([
          'What would somebody who read only the documents try, and would it work?',
          'Which table, list or map of files lacks what was added?',
          'Which comment stood above a line that changed?',
          'Where does a text state a limit, default or unit?',
        ]),
      ],
    },
    {
      id: 'write',
      title: 'Write',
      contract: { changes: ['**/*.md', '**/*.mdx', '**/*.rst', '**/*.adoc', 'docs/**', '{code}'], command: '{test}' },
      actions: ({ params: { folder } }) => [
        `Work through ${folder}/04-survey.md, U by U: correct what is false before you add what is missing.`,
        [
          '- State each fact in one place and link to it from elsewhere. Put it where readers look for it: a reason at the line, a task in a guide, an option in the reference, an upgrade in the changelog.',
          '- Sentences describe what is there. History ("now", "was", "new", "no longer") goes to the changelog only; ids of the plan go nowhere.',
          '- A comment says why, or what breaks otherwise. Delete one that repeats its line.',
          '- Run every command and example before you write it down, in an empty folder where the text says so, and paste its output.',
          '- Keep the tone, form and length of the surrounding text.',
        ].join('\n'),
        formatForbidden([
          'Change no behaviour: if the code is wrong and the document is right, report that as open.',
          'Write no document that nobody would look for.',
        ]),
      ],
    },
    {
      id: 'prove',
      title: 'Prove Each Statement',
      contract: { documents: [WORKER_DOCUMENTS.statements] },
      actions: ({ params: { folder } }) => [
        `Read what you wrote as a stranger, against the code. Write ${folder}/05-statements.md: per U a heading, the quote of the sentence, and the quote of the code, constant or command output that makes it true:`,
        formBlock('### U-2\n> The limit is 50 entries.\n> — docs/export.md:14\n\n> const ENTRIES_MAX = 50;\n> — src/export.ts:9'),
        'Correct or delete a statement without such a line. For a U that needs no new text, give the reason and a quote that already says it. Then search the project for every old name and value once more.',
      ],
    },
    {
      id: 'report',
      title: 'Report',
      contract: {
        report: {
          type: 'object',
          required: ['documents', 'open'],
          properties: { documents: { type: 'array', items: { type: 'string' } }, open: { type: 'array', items: { type: 'string' } } },
        },
      },
      actions: [
        'Return in at most 100 words: the documents and source files whose text changed, and as open what you could not settle: code that contradicts a correct document, a reason that nobody wrote down, a command that you could not run here.',
      ],
    },
  ],
});
