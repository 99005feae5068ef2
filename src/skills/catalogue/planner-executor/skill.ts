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
import { document } from '../document.ts';
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
      contract: document('{folder}/01-intake.md', {
        sections: [{ title: 'Order', minItems: 1 }, 'Drift', 'Point of No Return'],
        references: [MILESTONES],
      }),
      actions: ({ params: { plan, folder } }) => [
        `Read ${plan} and every decision in it; they bind you. Write ${folder}/01-intake.md:`,
        [
          '- Order: a row per milestone in the order of "after": its changes, its acceptance commands, what it needs from outside (service, credential, data, tool) and whether that is available.',
          '- Drift: what changed in the project since the plan: run cat DIFFS/*.diff | git apply --check, where DIFFS is the folder diffs next to the plan. Open every file whose diff does not apply, and say what is different.',
          '- Point of No Return: the first step that cannot be undone by reverting a commit (data, release, message to others), and who must agree to it first.',
        ].join('\n'),
        [
          '| drift | then |',
          '|---|---|',
          '| lines moved, names unchanged | adapt the diff while implementing; note it as a deviation |',
          '| a symbol, signature or test of the plan is gone or different | redo that change from its intent; note it as a deviation |',
          '| an intent, decision or acceptance check no longer fits | stop: tell the person which one, and that planner must revise the plan |',
        ].join('\n'),
        formatForbidden(['Change no code yet.', 'Do not improve the plan: put what you would do differently into the report.']),
      ],
    },
    {
      id: 'baseline',
      title: 'Baseline',
      contract: {
        ...document('{folder}/02-baseline.md', {
          sections: ['Commit', 'Tests', { title: 'Acceptance Before', minItems: 1 }],
          references: [MILESTONES],
        }),
        command: '{test}',
      },
      actions: ({ params: { plan, test, folder } }) => [
        'Record the state before the first change, so that you know which later failures are yours.',
        [
          '1. git status must be clean, except for your documents. If there are changes that are not yours, ask the person; neither commit nor discard them.',
          `2. Run ${test}. It must pass. If it does not, stop and tell the person which tests fail; they decide whether to fix them first or to use another command.`,
          `3. Run every acceptance command of ${plan}. Each should fail. If one passes already, it proves nothing: find out why, and say what would prove the milestone instead.`,
        ].join('\n'),
        `Write ${folder}/02-baseline.md: Commit: git rev-parse HEAD and the branch. Tests: command, exit code, number of tests, duration, the summary line as printed. Acceptance Before: a row per M: command, exit code, the deciding line.`,
        formatIncorrectBehavior('The tests should pass, because nothing has changed yet.', {
          consequence: 'a failure from before the change costs a review round, or hides a new one',
        }),
      ],
    },
    {
      id: 'implement',
      title: 'Implementation',
      contract: {
        ...document('{folder}/03-journal.md', {
          sections: [{ title: 'Milestones', minWords: 60 }, 'Deviations'],
          references: [MILESTONES],
          quotes: 1,
        }),
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
        ...document('{folder}/06-report.md', {
          sections: [{ title: 'Requirements', minItems: 1 }, { title: 'Milestones', minItems: 1 }, 'Deviations', 'Follow-ups', 'Way Back'],
          references: [MILESTONES, { pattern: '\\bR-\\d+\\b', to: '{plan}', all: true }],
        }),
        command: '{test}',
      },
      actions: ({ params: { plan, test, folder } }) => [
        `Run every acceptance command of ${plan} and ${test} once more, on the final state, and write ${folder}/06-report.md from what they print, not from the journal:`,
        [
          '- Requirements: a row per R: met, partly or not; the command that shows it and the deciding line of its output.',
          '- Milestones: a row per M: commit, acceptance command, exit code before (02-baseline.md) and after.',
          '- Deviations: what differs from the plan, why, and what that means for the decisions of the plan.',
          `- Follow-ups: failed items and findings in ${folder}/qr/*-verdicts.json that did not block, open points of the writer, and what you would plan differently.`,
          '- Way Back: the commands that undo the change, and what they do not undo.',
        ].join('\n'),
        'Paste numbers and outputs. For what you did not run, write "not run: why". Report "partly" and "not" openly: a gap that the reader finds later costs more than one that they read about here.',
        'Show it to the person. Do not push, merge or release unless they asked for it.',
      ],
    },
  ],
});

function implement({ params: { plan, test, folder } }: SkillContext): string[] {
  return [
    `Carry out ${plan}, one milestone after the other, in the order of 01-intake.md. For each:`,
    [
      '1. Apply its diffs in order, tests first, and run the new tests: they must fail, and for the reason that they state. Then apply the rest.',
      '2. Where a diff does not apply or is wrong, follow the intent, then the decisions, then the style of the surrounding code. Record what you do differently under Deviations in the journal: C, what, why. If there are no deviations, write that there.',
      `3. Run the acceptance commands, then ${test}. Both must end as the plan expects before you begin the next milestone.`,
      '4. Commit the milestone on its own, with a message that says what the project now does and why. If you must not commit, note its files.',
      `5. Add it to ${folder}/03-journal.md: under Milestones its M, commit, commands with exit codes and deciding lines, and a quote of the line that implements the milestone:`,
    ].join('\n'),
    quoteForm('if (to.isBefore(from)) throw new RangeError(reason);', 'src/range.ts:22'),
    [
      '| if | then |',
      '|---|---|',
      '| a check fails | find the cause before you change anything; before the second attempt at the same check, write down your hypothesis and what would refute it |',
      '| an old test fails | assume that the test is right: change the code, or name the decision that changes the behaviour |',
      '| the third attempt fails | restore the last state of the milestone in which the tests passed, and ask the person |',
      '| the intent cannot be met | stop at this milestone; the ones before it stay |',
    ].join('\n'),
    formatForbidden([
      'Skipping, deleting or loosening a test, ignoring a caught error, or adding a special case for a test, to make a check pass.',
      'Anything, however small, that no change of the plan and no deviation covers.',
    ]),
  ];
}

function fixFindings({ params: { folder, test }, qr }: SkillContext): { readonly title: string; readonly actions: readonly string[] } {
  return {
    title: 'Fix the Implementation',
    actions: [
      formatStateBanner('implementation', { iteration: qr.iteration, mode: 'fix' }),
      `Read the failed items and the MUST findings in ${verdictsOf(IMPLEMENTATION, String(folder))}. For each, in order of severity:`,
      [
        '1. Reproduce it: run what the evidence names. If you cannot reproduce it, note what you ran and saw, and leave the code unchanged.',
        '2. Write or extend the test that shows it; see it fail.',
        '3. Fix the cause everywhere it occurs: search for the pattern.',
        `4. Run the acceptance commands of its milestone, then ${test}; commit.`,
        `5. Note it in ${folder}/03-journal.md under its milestone, by the id of the item; note a change of behaviour under Deviations too.`,
      ].join('\n'),
      formatForbidden(['Do not change what no finding asks for.', 'Do not edit the items or verdicts, and do not argue in code comments.']),
    ],
  };
}
