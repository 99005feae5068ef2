// Rewrites the comments and documents in a plan and its diffs so that they are true and timeless.

import { defineSkill, formatForbidden, formatReference } from '../../index.ts';
import { PLAN_DOCS } from '../planner-reviews.ts';
import { DIFFS_APPLY, inLaterRounds, verdictsOf, WORKER_DOCUMENTS, workerParams } from '../planner-workers.ts';

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
      contract: { documents: [WORKER_DOCUMENTS.texts] },
      actions: ({ params: { folder, round } }) => [
        ...inLaterRounds(
          'scrub',
          round,
          `First read the failed items and the MUST findings in ${verdictsOf(PLAN_DOCS, String(folder))}: list every text that they name again.`,
        ),
        `Go through the added lines of every file in ${folder}/diffs, in order, and through ${folder}/plan.md. Write ${folder}/06-texts.md:`,
        [
          '- Texts: a row per comment, doc comment, message, help text and paragraph: T-1 …; file; its wording; keep, rewrite, delete or move; which question it fails.',
          '- Reasons: a row per D: will a maintainer need the reason? If so, at which file and line will they look for it, and does a text there give it?',
        ].join('\n'),
        formatReference('temporal'),
        'In addition to its five questions, ask: is it true of the code in this diff (read the lines, not the intent)? Does a reader need the plan to understand it (R-1, M-2)? Does it say why, or only what the next line says anyway?',
        'Also list unchanged comments in the context lines that the change makes false.',
      ],
    },
    {
      id: 'rewrite',
      title: 'Rewrite',
      contract: { documents: [WORKER_DOCUMENTS.rewrites], command: DIFFS_APPLY },
      actions: ({ params: { folder } }) => [
        `Edit the texts in ${folder}/diffs and ${folder}/plan.md as 06-texts.md says, and write ${folder}/06-rewrites.md: Texts: T, before, after (or kept: why); Reasons Kept: D, where its reason is given.`,
        [
          '| instead of | write |',
          '|---|---|',
          '| // See D-2 | // Half open, like the ranges of the query: pages must not overlap. |',
          '| /** Gets the user. */ getUser | nothing, or what the name cannot say: when there is none |',
        ].join('\n'),
        'Remove the history; if a reason remains, write it as a fact about the code; if nothing remains, delete the line. Add a missing reason as one sentence at the line that it explains. In documents, state each fact in one place; for a user-visible change without a document, add a change with its own diff under its intent.',
        'When lines are added or removed, correct the counts in the @@ line.',
        formatForbidden([
          'Change no line of code, no string that a test compares, no name.',
          'Do not invent a reason: if no decision gives it, ask for it in your report.',
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
        `Search the added lines once more: grep -nEi '^\\+.*\\b(now|new|old|was|were|previously|no longer|anymore|instead|changed|added|removed|fixed|refactored|for now|[RDIMC]-[0-9]+)\\b' ${folder}/diffs/*.diff. Judge each hit in its sentence: "returns a new list" may stay.`,
        'Compare the code lines of each diff with the earlier version: only comments, documents and messages may differ.',
        'Return in at most 100 words: how many texts you rewrote (including deleted and moved ones), how many you kept, and as open, by D, each reason that nobody wrote down.',
      ],
    },
  ],
});
