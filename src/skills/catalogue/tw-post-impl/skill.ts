// Brings documents and comments in line with code that was implemented.

import { defineSkill, formatDetectionQuestions, formatForbidden, formatStateBanner } from '../../index.ts';
import { formBlock } from '../form-block.ts';
import { DOCUMENTATION } from '../planner-reviews.ts';
import { executorParams, verdictsOf, WORKER_DOCUMENTS, workerParams } from '../planner-workers.ts';

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
      contract: {
        documents: [WORKER_DOCUMENTS.survey],
      },
      actions: ({ params: { folder, plan, round } }) => [
        ...(Number(round) > 1
          ? [
              formatStateBanner('document', { iteration: Number(round), mode: 'fix' }),
              `Read the fails and the MUST findings in ${verdictsOf(DOCUMENTATION, String(folder))} first. Each is a row below; look for its cause in other documents too.`,
            ]
          : []),
        `Read git diff BASELINE (the commit is in ${folder}/02-baseline.md), ${folder}/03-journal.md for deviations, and the decisions in ${plan}. Write ${folder}/04-survey.md:`,
        [
          '- What Changed: U-1 …: each thing that a user, an operator or the next developer would do or expect differently, from the code and not from the plan.',
          '- Documents: per U each place that speaks of it: documents, help texts, examples, comments, indexes, changelog. Search for the old and the new names, options, defaults and messages. Quote what is false or silent.',
          '- Reasons: per D where its reason is written for those who maintain the code; "nowhere" is work.',
        ].join('\n'),
        formatDetectionQuestions([
          'What would somebody try who read only the documents, and would it work?',
          'Which table, list or map of files misses what was added?',
          'Which comment stood above a line that changed?',
          'Which limit, default or unit is said in words somewhere?',
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
          '- One fact, one place; elsewhere a link. The place is where the reader is when they need it: a reason at the line, a task in a guide, an option in the reference, an upgrade in the changelog.',
          '- Sentences describe what is there. History ("now", "was", "new", "no longer") goes to the changelog only; ids of the plan go nowhere.',
          '- A comment says why, or what breaks otherwise. One that repeats its line is deleted.',
          '- Every command and example that you write is run first, in an empty folder where it says so, and its output pasted.',
          '- The tone, form and length of the neighbouring text.',
        ].join('\n'),
        formatForbidden([
          'Change no behaviour: if the code is wrong and the document right, report it as open.',
          'No document that nobody would look for.',
        ]),
      ],
    },
    {
      id: 'prove',
      title: 'Prove Each Statement',
      contract: {
        documents: [WORKER_DOCUMENTS.statements],
      },
      actions: ({ params: { folder } }) => [
        `Read what you wrote as a stranger, against the code. Write ${folder}/05-statements.md: per U a heading, the quote of the sentence, and the quote of the code, constant or command output that makes it true:`,
        formBlock('### U-2\n> The limit is 50 entries.\n> — docs/export.md:14\n\n> const ENTRIES_MAX = 50;\n> — src/export.ts:9'),
        'A statement without such a line is corrected or deleted. A U that needs no words gets the reason why not and the quote that already says it. Then search the project for every old name and value once more.',
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
        'Return in at most 100 words: the documents and source files whose text changed, and as open what you could not settle: code that contradicts a right document, a reason that nobody wrote down, a command that could not be run here.',
      ],
    },
  ],
});
