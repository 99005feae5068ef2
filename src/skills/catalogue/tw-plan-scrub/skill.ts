// Rewrites the comments and documents in a plan and its diffs so that they are true and timeless.

import { defineSkill, formatForbidden, formatReference, formatStateBanner } from '../../index.ts';
import { PLAN_DOCS } from '../planner-reviews.ts';
import { DIFFS_APPLY, verdictsOf, WORKER_DOCUMENTS, workerParams } from '../planner-workers.ts';

/** The skill that sends sub-agents here. */
export const partOf = 'planner';

/** The technical writer of a plan: a list of all texts, then their rewriting. */
export default defineSkill({
  name: 'tw-plan-scrub',
  description:
    'Rewrites comments and documents in the diffs of a plan: true, timeless, with the reasons of decisions. The skill planner sends a technical-writer to it.',
  params: workerParams('planner'),
  given: ['{folder}/plan.json'],
  steps: [
    {
      id: 'collect',
      title: 'Collect the Texts',
      contract: {
        documents: [WORKER_DOCUMENTS.texts],
      },
      actions: ({ params: { folder, round } }) => [
        ...(Number(round) > 1
          ? [
              formatStateBanner('scrub', { iteration: Number(round), mode: 'fix' }),
              `Read the fails and the MUST findings in ${verdictsOf(PLAN_DOCS, String(folder))} first: every text that they name is in the list again.`,
            ]
          : []),
        `Go through the added lines of every file in ${folder}/diffs, in order, and through ${folder}/plan.md. Write ${folder}/06-texts.md:`,
        [
          '- Texts: a row per comment, doc comment, message, help text and paragraph: T-1 …; file; its words; keep, rewrite, delete or move; which question it fails.',
          '- Reasons: a row per D: will a maintainer need the reason? If so, at which file and line will they be when they do, and does a text there give it?',
        ].join('\n'),
        formatReference('temporal'),
        'Beside its five questions ask: is it true of the code in this diff (read the lines, not the intent)? Does it need the plan to be understood (R-1, M-2)? Does it say why, or what the next line says anyway?',
        'Also list unchanged comments in the context lines that the change makes false.',
      ],
    },
    {
      id: 'rewrite',
      title: 'Rewrite',
      contract: {
        documents: [WORKER_DOCUMENTS.rewrites],
        command: DIFFS_APPLY,
      },
      actions: ({ params: { folder } }) => [
        `Edit the texts in ${folder}/diffs and ${folder}/plan.md as 06-texts.md says, and write ${folder}/06-rewrites.md: Texts: T, before, after (or kept: why); Reasons Kept: D, where its reason is found.`,
        [
          '| instead of | write |',
          '|---|---|',
          '| // See D-2 | // Half open, like the ranges of the query: pages must not overlap. |',
          '| /** Gets the user. */ getUser | nothing, or what the name cannot say: when there is none |',
        ].join('\n'),
        'Take the history out; if a reason remains, write it as a fact about the code; if nothing remains, delete the line. A missing reason is added as one sentence at the line that it explains. Documents: one place per fact; a user-visible change without a document gets a change and a diff of its own under its intent.',
        'When lines are added or removed, correct the counts in the @@ line.',
        formatForbidden([
          'Change no line of code, no string that a test compares, no name.',
          'Invent no reason: one that is in no decision is asked for, in your report.',
        ]),
      ],
    },
    {
      id: 'report',
      title: 'Check and Report',
      contract: {
        command: DIFFS_APPLY,
        report: {
          type: 'object',
          required: ['rewritten', 'kept', 'open'],
          properties: {
            rewritten: { type: 'integer', minimum: 0 },
            kept: { type: 'integer', minimum: 0 },
            open: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      actions: ({ params: { folder } }) => [
        `Search the added lines once more: grep -nEi '^\\+.*\\b(now|new|old|was|were|previously|no longer|anymore|instead|changed|added|removed|fixed|refactored|for now|[RDIMC]-[0-9]+)\\b' ${folder}/diffs/*.diff. Judge each hit by its sentence: "returns a new list" may stay.`,
        'Compare the code lines of each diff with what they were: only comments, documents and messages may differ.',
        'Return in at most 100 words: how many texts were rewritten (deleted and moved ones count), how many kept, and as open each reason that nobody wrote down, by D.',
      ],
    },
  ],
});
