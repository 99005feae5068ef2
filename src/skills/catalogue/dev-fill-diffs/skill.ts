// Writes the diffs of a plan and tries them in a copy of the project.

import { defineSkill, formatForbidden, formatReference, type SkillContext } from '../../index.ts';
import { document } from '../document.ts';
import { formBlock, quoteForm } from '../form-block.ts';
import { PLAN_CODE } from '../planner-reviews.ts';
import { DIFFS_APPLY, inLaterRounds, verdictsOf, WORKER_DOCUMENTS, workerParams } from '../planner-workers.ts';

/** The skill that sends sub-agents here. */
export const partOf = 'planner';

/** The developer: anchors, diffs, a trial. */
export default defineSkill({
  name: 'dev-fill-diffs',
  description:
    'Writes a diff for every change of a plan and tries them in a copy of the project. The skill planner sends a developer to it.',
  params: workerParams('planner'),
  given: ['{folder}/plan.json'],
  steps: [
    {
      id: 'read',
      title: 'Read the Plan and the Code',
      contract: { documents: [WORKER_DOCUMENTS.anchors] },
      actions: ({ params: { folder, round } }) => [
        ...inLaterRounds(
          'fill-diffs',
          round,
          `Read the failed items and the MUST findings in ${verdictsOf(PLAN_CODE, String(folder))}. Rewrite the diffs that they name; leave the others as they are. Under Changes, name for each C that you rewrite in this round the item that asks for it.`,
        ),
        `Read all of ${folder}/plan.json, then the whole current text of every file that its intents name. Write ${folder}/04-anchors.md:`,
        [
          '- Changes: C-1 …, in the order in which they are applied. Each changes one file for one intent. Per C: its I; the file; the function or heading that it goes into; every caller of a signature that it changes (search for them). Within an intent, tests come first. For an I without a change, say why.',
          '- Contradictions: where plan and code disagree: a name that does not exist, a caller that no intent covers, an intent that cannot be met at this place. If there are none, say what you searched for.',
        ].join('\n'),
        'For each existing file, quote the line that anchors the change:',
        quoteForm('export function parseArgs(argv: string[]): Args {', 'src/args.ts:18'),
        'For a caller that no intent covers, add a change to the intent that affects it. Do not resolve a contradiction that would change an intent or a decision: report it as open.',
      ],
    },
    {
      id: 'write',
      title: 'Write the Diffs',
      contract: {
        ...document('{folder}/plan.json', { plan: true }),
        changes: ['{folder}/diffs/*.diff'],
        command: DIFFS_APPLY,
      },
      actions: (context) => [
        writing(context),
        formBlock('"changes": [{ "id": "C-1", "intent": "I-1", "file": "src/range.test.ts", "diff": "diffs/01-C-1.diff" }]'),
        formatReference('diff-format'),
        [
          '- An error path that the intent names has a line in the diff, and a test that takes it.',
          '- A test must fail on the current code for the reason that it states; expected values are literals, not computed by the code under test.',
          '- Before you write a function, look for one in the project that already does it.',
          '- Check a value from outside before it reaches a path, query, command or page.',
          '- Each file ends with a line break: they are applied as one input.',
        ].join('\n'),
        `The easiest way to a diff that applies: edit in a copy (git worktree add --detach "$(mktemp -d)/copy"), make one commit per change there, and write each diff with git diff HEAD~1 HEAD. Diffs of the same file build on each other in the order of their names.`,
        formatForbidden(['Do not change the project itself: write diffs only.']),
      ],
    },
    {
      id: 'try',
      title: 'Try the Diffs',
      contract: { documents: [WORKER_DOCUMENTS.trial], command: DIFFS_APPLY },
      actions: ({ params: { folder, round } }) => [
        'Make a copy of the project at its current commit. Link or install its dependencies as the project does. Then, milestone by milestone, apply the diffs, run the acceptance commands and compare the results with what the plan expects.',
        `Write ${folder}/05-trial.md. Milestones: a row per acceptance command: M, command, exit code, the deciding line of the output, as expected or not. Whole Test Run: command, exit code, and the tests that fail now but passed without the diffs.${Number(round) > 1 ? ` Run everything again and rewrite the document for round ${round}.` : ''}`,
        'For one new test per milestone: undo the line that it protects, run it, note that it fails, restore the line.',
        'If a result is not as expected, correct the diff and run that milestone and all later ones again. Record a command that cannot run here with its error, never as passed. Remove the copy at the end.',
      ],
    },
    {
      id: 'report',
      title: 'Report',
      contract: {
        report: {
          type: 'object',
          required: ['diffs', 'checked', 'open'],
          properties: {
            diffs: { type: 'integer', minimum: 1 },
            checked: { type: 'integer', minimum: 0 },
            open: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      actions: ({ params: { folder } }) => [
        `Return, in at most 120 words: how many diffs are in ${folder}/diffs; how many of how many acceptance commands ran as expected (05-trial.md); and as open, by id, each contradiction and each command that did not run as expected.`,
        'Do not summarise the code: the reviewer reads the diffs. Leave the list of open points empty only if nothing in 04-anchors.md and 05-trial.md is unresolved.',
      ],
    },
  ],
});

function writing({ params: { folder, round } }: SkillContext): string {
  if (Number(round) > 1)
    return `Rewrite the diffs in ${folder}/diffs that the review names, and later ones that no longer apply. Fix the cause everywhere it occurs, not only at the line in the evidence. Enter new diffs in ${folder}/plan.json and increase its "revision":`;
  return `For every change of ${folder}/04-anchors.md write ${folder}/diffs/NN-C-n.diff, numbered in the order in which they are applied, and enter it in ${folder}/plan.json:`;
}
