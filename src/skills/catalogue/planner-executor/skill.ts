// Carries out a plan, milestone by milestone: a baseline that passes, code with the checks of the plan, a review of the code,
// documents with a review of theirs, and a report whose every claim has its evidence.

import {
  AgentRole,
  arg,
  defineSkill,
  formatForbidden,
  formatIncorrectBehavior,
  formatStateBanner,
  type SkillContext,
} from '../../index.ts';
import { quoteForm } from '../form-block.ts';
import { DOCUMENTATION, IMPLEMENTATION } from '../planner-reviews.ts';
import { executorParams, verdictsOf, WORKER_DOCUMENTS, workerStep } from '../planner-workers.ts';
import { reviewGate, reviewStep } from '../review-skill.ts';

const MILESTONES = { pattern: '\\bM-\\d+\\b', to: '{plan}', all: true } as const;

/** The executor: a baseline, the code and its review, the documents and theirs, a report. */
export default defineSkill({
  name: 'planner-executor',
  description:
    'Carries out a plan that the skill planner wrote: milestone by milestone, with tests before and after, two reviews and a report with evidence. Use it when somebody approves a plan or asks to implement one. Invoke it immediately.',
  params: {
    ...executorParams,
    folder: arg({ type: 'string', default: 'notes/planner-executor', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'intake',
      title: 'Read the Plan',
      contract: {
        documents: [
          {
            path: '{folder}/01-intake.md',
            sections: [{ title: 'Order', minItems: 1 }, 'Drift', 'Point of No Return'],
            references: [MILESTONES],
          },
        ],
      },
      actions: ({ params: { plan, folder } }) => [
        `Read ${plan} and every decision in it; they bind you. Write ${folder}/01-intake.md:`,
        [
          '- Order: a row per milestone in the order of "after": its changes, its acceptance commands, what it needs from outside (service, credential, data, tool) and whether that is there.',
          '- Drift: what changed in the project since the plan: run cat DIFFS/*.diff | git apply --check, with the folder diffs beside the plan; open every file that a refused diff names and say what is different.',
          '- Point of No Return: the first step that cannot be undone by reverting a commit (data, release, message to others), and who has to agree before it.',
        ].join('\n'),
        [
          '| drift | then |',
          '|---|---|',
          '| lines moved, names unchanged | adapt the diff while implementing; note it as a deviation |',
          '| a symbol, signature or test of the plan is gone or different | re-make that change from its intent; note it |',
          '| an intent, decision or acceptance check no longer fits | stop: tell the person which, and that the plan needs planner again |',
        ].join('\n'),
        formatForbidden(['Change no code yet.', 'Do not improve the plan: what you would do differently goes to the report.']),
      ],
    },
    {
      id: 'baseline',
      title: 'Baseline',
      contract: {
        documents: [
          {
            path: '{folder}/02-baseline.md',
            sections: ['Commit', 'Tests', { title: 'Acceptance Before', minItems: 1 }],
            references: [MILESTONES],
          },
        ],
        command: '{test}',
      },
      actions: ({ params: { plan, test, folder } }) => [
        'Show what is true before the first change, so that whatever fails later is known to be yours.',
        [
          '1. git status must be clean but for your documents. Foreign changes: ask the person; neither commit nor discard them.',
          `2. Run ${test}. It must pass. If it does not, stop: name the failing tests to the person, who decides whether they are repaired first or another command is used.`,
          `3. Run every acceptance command of ${plan}. Each should fail; one that passes already shows nothing: look why, and say what would show the milestone instead.`,
        ].join('\n'),
        `Write ${folder}/02-baseline.md: Commit: git rev-parse HEAD and the branch. Tests: command, exit code, number of tests, duration, the summary line as printed. Acceptance Before: a row per M: command, exit code, the deciding line.`,
        formatIncorrectBehavior('The tests should pass, as nothing was changed yet.', {
          consequence: 'a failure that was there before costs a review round, or hides one that is new',
        }),
      ],
    },
    {
      id: 'implement',
      title: 'Implementation',
      contract: {
        documents: [
          {
            path: '{folder}/03-journal.md',
            sections: [{ title: 'Milestones', minWords: 60 }, 'Deviations'],
            references: [MILESTONES],
            quotes: 1,
          },
        ],
        changes: ['{code}'],
        command: '{test}',
      },
      actions: (context) => (context.qr.failed ? fixFindings(context) : implement(context)),
    },
    reviewStep(IMPLEMENTATION, { id: 'qr-implementation', title: 'QR: Review Implementation' }),
    {
      id: 'gate-implementation',
      title: 'Gate: Route Based on QR',
      gate: reviewGate(IMPLEMENTATION, {
        workStep: 3,
        passStep: 6,
        passMessage: 'Implementation verified',
        selfFix: true,
        fixTarget: AgentRole.DEVELOPER,
      }),
    },
    workerStep({
      id: 'document',
      title: 'Document',
      agent: AgentRole.TECHNICAL_WRITER,
      skill: 'tw-post-impl',
      review: DOCUMENTATION,
      task: () => 'A technical writer brings documents, help texts and comments in line with the code, and proves each statement.',
      contract: {
        documents: [WORKER_DOCUMENTS.survey, WORKER_DOCUMENTS.statements],
        command: '{test}',
      },
    }),
    reviewStep(DOCUMENTATION, { id: 'qr-documentation', title: 'QR: Documentation' }),
    {
      id: 'gate-documentation',
      title: 'Gate: Documentation',
      gate: reviewGate(DOCUMENTATION, {
        workStep: 6,
        passStep: 9,
        passMessage: 'Documentation verified',
        selfFix: false,
        fixTarget: AgentRole.TECHNICAL_WRITER,
      }),
    },
    {
      id: 'report',
      title: 'Report with Evidence',
      contract: {
        documents: [
          {
            path: '{folder}/06-report.md',
            sections: [
              { title: 'Requirements', minItems: 1 },
              { title: 'Milestones', minItems: 1 },
              'Deviations',
              'Follow-ups',
              'Way Back',
            ],
            references: [MILESTONES, { pattern: '\\bR-\\d+\\b', to: '{plan}', all: true }],
          },
        ],
        command: '{test}',
      },
      actions: ({ params: { plan, test, folder } }) => [
        `Run every acceptance command of ${plan} and ${test} once more, on the state that you hand over, and write ${folder}/06-report.md from what they print, not from the journal:`,
        [
          '- Requirements: a row per R: met, partly or not; the command that shows it and the deciding line of its output.',
          '- Milestones: a row per M: commit, check, exit code before (02-baseline.md) and after.',
          '- Deviations: what differs from the plan, why, and what it means for its decisions.',
          `- Follow-ups: fails and findings in ${folder}/qr/*-verdicts.json that did not block, open points of the writer, and what you would plan differently.`,
          '- Way Back: the commands that undo it, and what they do not undo.',
        ].join('\n'),
        'Numbers and outputs are pasted. What was not run is "not run: why". "Partly" and "not" are reported as they are: a gap that the reader finds later costs more than one that they read here.',
        'Show it to the person. Do not push, merge or release unless they asked for it.',
      ],
    },
  ],
});

function implement({ params: { plan, test, folder } }: SkillContext): string[] {
  return [
    `Carry out ${plan}, one milestone after the other, in the order of 01-intake.md. For each:`,
    [
      '1. Apply its diffs in order, tests first, and run the new tests: they must fail, and for the reason that they state. Then the rest.',
      '2. Where a diff does not fit or is wrong, the intent decides, then the decisions, then the style around it. What you do differently is a deviation: C, what, why, under Deviations in the journal; without one, say so there.',
      `3. Run the acceptance commands, then ${test}. Both as the plan expects, before the next milestone begins.`,
      '4. Commit it alone, with a message that says what the project does after it and why. Must you not commit: note its files.',
      `5. Add it to ${folder}/03-journal.md: under Milestones its M, commit, commands with exit codes and deciding lines, and a quote of the line that carries the milestone:`,
    ].join('\n'),
    quoteForm('if (to.isBefore(from)) throw new RangeError(reason);', 'src/range.ts:22'),
    [
      '| it happens that | then |',
      '|---|---|',
      '| a check fails | find the cause before you change anything; the second attempt at the same check starts with a written guess and what would refute it |',
      '| an old test fails | it is right until shown otherwise: change the code, or name the decision that changes the behaviour |',
      '| the third attempt fails | put the milestone back to its last green state and ask the person |',
      '| the intent cannot be met | stop at this milestone; the ones before it stay |',
    ].join('\n'),
    formatForbidden([
      'No skipped, deleted or loosened test, no caught and ignored error, no special case for a test, to make a check pass.',
      'Nothing that no change of the plan or deviation covers, however small.',
    ]),
  ];
}

function fixFindings({ params: { folder, test }, qr }: SkillContext): { readonly title: string; readonly actions: readonly string[] } {
  return {
    title: 'Fix the Implementation',
    actions: [
      formatStateBanner('implementation', { iteration: qr.iteration, mode: 'fix' }),
      `Read the fails and the MUST findings in ${verdictsOf(IMPLEMENTATION, String(folder))}. For each, in the order of severity:`,
      [
        '1. Reproduce it: run what the evidence names. What cannot be reproduced is noted with what you ran and saw, and the code stays.',
        '2. Write or extend the test that shows it; see it fail.',
        '3. Fix the cause, at every place that has it: search for the pattern.',
        `4. Run the acceptance commands of its milestone, then ${test}; commit.`,
        `5. Note it in ${folder}/03-journal.md under its milestone, by the id of the item; a change of behaviour also under Deviations.`,
      ].join('\n'),
      formatForbidden(['Do not change what no finding asks for.', 'Do not edit the items or verdicts, nor argue in comments of the code.']),
    ],
  };
}
