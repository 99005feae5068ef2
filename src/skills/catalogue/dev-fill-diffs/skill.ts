// Writes the diffs of a plan and tries them in a copy of the project.

import { defineSkill, formatForbidden, formatReference, formatStateBanner, type SkillContext } from '../../index.ts';
import { formBlock, quoteForm } from '../form-block.ts';
import { PLAN_CODE } from '../planner-reviews.ts';
import { DIFFS_APPLY, verdictsOf, WORKER_DOCUMENTS, workerParams } from '../planner-workers.ts';

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
      contract: {
        documents: [WORKER_DOCUMENTS.anchors],
      },
      actions: ({ params: { folder, round } }) => [
        ...(Number(round) > 1
          ? [
              formatStateBanner('fill-diffs', { iteration: Number(round), mode: 'fix' }),
              `Read the fails and the MUST findings in ${verdictsOf(PLAN_CODE, String(folder))}: the diffs that they name are written again, the others stay. Under Changes, say of each C that is written again in this round which item asks for it.`,
            ]
          : []),
        `Read ${folder}/plan.json whole, then every file that its intents name, whole, at its present state. Write ${folder}/04-anchors.md:`,
        [
          '- Changes: C-1 …, in the order in which they are applied: one file of one intent each. Per C: its I; the file; the function or heading that it goes into; every caller of a signature that it changes (search for them). Tests first within an intent. An I without a change says why.',
          '- Contradictions: where plan and code disagree: a name that is not there, a caller that no intent covers, an intent that cannot be met at this place. None: say what you searched for.',
        ].join('\n'),
        'For each existing file, quote the line that anchors the change:',
        quoteForm('export function parseArgs(argv: string[]): Args {', 'src/args.ts:18'),
        'A caller that no intent covers gets a change of the intent that affects it. A contradiction that changes an intent or a decision is not yours to settle: it goes into your report as open.',
      ],
    },
    {
      id: 'write',
      title: 'Write the Diffs',
      contract: {
        documents: [{ path: '{folder}/plan.json', plan: true }],
        changes: ['{folder}/diffs/*.diff'],
        command: DIFFS_APPLY,
      },
      actions: (context) => [
        writing(context),
        formBlock('"changes": [{ "id": "C-1", "intent": "I-1", "file": "src/range.test.ts", "diff": "diffs/01-C-1.diff" }]'),
        formatReference('diff-format'),
        [
          '- An error path that the intent names has a line in the diff, and a test that takes it.',
          '- A test is written so that it fails on the present code for the reason that it states; expectations are literal values, not computed by the code under test.',
          '- Look for a function of the project that does it before you write one.',
          '- A value from outside is checked before it reaches a path, query, command or page.',
          '- Each file ends with a line break: they are applied as one input.',
        ].join('\n'),
        `Easiest way to a diff that applies: edit in a copy (git worktree add --detach "$(mktemp -d)/copy"), commit per change there, and write each with git diff HEAD~1 HEAD. Diffs that touch the same file build on each other in the order of their names.`,
        formatForbidden(['Do not change the project itself: it gets diffs only.']),
      ],
    },
    {
      id: 'try',
      title: 'Try the Diffs',
      contract: {
        documents: [WORKER_DOCUMENTS.trial],
        command: DIFFS_APPLY,
      },
      actions: ({ params: { folder, round } }) => [
        'In a copy of the project at its present commit, milestone by milestone: apply its diffs, run its acceptance commands, compare with what the plan expects. Dependencies: link or install them as the project does.',
        `Write ${folder}/05-trial.md. Milestones: per acceptance command a row: M, command, exit code, the deciding line of the output, as expected or not. Whole Test Run: command, exit code, which tests fail that passed without the diffs.${Number(round) > 1 ? ` All of it is run again and written anew for round ${round}.` : ''}`,
        'For one new test per milestone: undo the line that it protects, run it, note that it fails, restore the line.',
        'Not as expected: correct the diff and run that milestone and all later ones again. A command that cannot run here is noted with its error, never as passed. Remove the copy at the end.',
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
        `Return, in at most 120 words: how many diffs are in ${folder}/diffs; how many acceptance commands ran as expected, of how many (05-trial.md); and as open: each contradiction and each command that did not, by id.`,
        'No summary of the code: the reviewer reads the diffs. An open list that is empty says that nothing in 04-anchors.md and 05-trial.md is unsettled.',
      ],
    },
  ],
});

function writing({ params: { folder, round } }: SkillContext): string {
  if (Number(round) > 1)
    return `Write again the diffs in ${folder}/diffs that the review names, and those after them that no longer apply. Fix the cause at every place that has it, not only at the line in the evidence. Enter new ones and count "revision" up in ${folder}/plan.json:`;
  return `For every change of ${folder}/04-anchors.md write ${folder}/diffs/NN-C-n.diff, numbered in the order in which they are applied, and enter it in ${folder}/plan.json:`;
}
