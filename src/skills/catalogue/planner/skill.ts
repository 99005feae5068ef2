// Plans a change until a stranger could carry it out: context, approaches, decisions, a plan that is checked, diffs, and
// comments that outlive it. Three reviews hold it: completeness, code, documents.

import {
  AgentRole,
  arg,
  defineSkill,
  formatForbidden,
  formatIncorrectBehavior,
  formatReference,
  formatStateBanner,
  type SkillContext,
} from '../../index.ts';
import { document } from '../document.ts';
import { quoteForm } from '../form-block.ts';
import { COMPLETENESS, PLAN_CODE, PLAN_DOCS } from '../planner-reviews.ts';
import { DIFFS_APPLY, WORKER_DOCUMENTS, workerStep } from '../planner-workers.ts';
import { reviewDocuments, reviewGate, reviewStep } from '../review-skill.ts';

/** The planner: four steps of thinking, then three loops of work, review and gate. */
export default defineSkill({
  name: 'planner',
  description:
    'Plans a code change: requirements, approaches, decisions, milestones with checks that can be run, diffs, and three reviews. Use it when somebody asks for a plan, a design or a large change. Invoke it immediately; do not explore first.',
  params: {
    request: arg({ type: 'string', default: 'the request of the person you work for', description: 'what to plan' }),
    folder: arg({ type: 'string', default: 'notes/planner', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'context',
      title: 'Context Discovery',
      contract: document('{folder}/01-context.md', {
        sections: [
          'Request',
          { title: 'Requirements', minItems: 2 },
          { title: 'Where It Happens', minItems: 2 },
          'Constraints',
          'Tests',
          'Unknown',
        ],
        ids: { pattern: '\\bR-\\d+\\b', min: 2 },
        quotes: 3,
      }),
      actions: ({ params: { request, folder } }) => [
        `The request: ${request}`,
        `Find out what it means in this project, and write ${folder}/01-context.md. Propose nothing yet.`,
        [
          '| section | what is in it |',
          '|---|---|',
          '| Request | its words, unchanged |',
          '| Requirements | R-1, R-2 …: one sentence each that a test could refute; (stated) or (implied: why). Ask of each: who calls it, with what data, and what is true when it fails? |',
          '| Where It Happens | per requirement, the path:line that has to change, and everything that calls or stores what changes there; for something new, the existing code that it will resemble |',
          '| Constraints | rules of the project that bind the change: AGENTS.md, lint, public API, stored data, supported versions |',
          '| Tests | which tests cover these places, how to run one file and all of them, whether they pass: run them |',
          '| Unknown | what you could not find out, and what would settle it |',
        ].join('\n'),
        'Read in this order: the rules of the project, the entry point that the request names, each function called from there, then all callers of what will change (search, do not guess), then the tests. Quote at least three passages that limit the design, each with its source:',
        quoteForm('export function exportRows(rows: Row[]): void {', 'src/export.ts:12'),
        'You are done when every requirement has a place in the code. A requirement such as "it works well" has none: split or drop it.',
      ],
    },
    {
      id: 'approaches',
      title: 'Approaches',
      contract: document('{folder}/02-approaches.md', {
        sections: [{ title: 'Approaches', minWords: 150 }, { title: 'Comparison', minItems: 3 }, 'Precedents'],
        ids: { pattern: '\\bA-\\d+\\b', min: 3 },
        references: [{ pattern: '\\bR-\\d+\\b', to: '{folder}/01-context.md', all: true }],
        quotes: 1,
      }),
      actions: ({ params: { folder } }) => [
        `Write ${folder}/02-approaches.md with at least three approaches, A-1, A-2, A-3, that differ in mechanism: where the state is, who calls whom, what is stored. Two variants of one idea count as one.`,
        'One of them is the smallest change that meets the requirements (no new file, no new dependency). Another one drops or postpones a requirement and says which.',
        'For each: how it works, in five sentences; which files it touches; for every R, whether and how it is met; how it fails in production and who notices; how to undo it; what becomes harder afterwards.',
        'Comparison: a table, a row per approach; columns: requirements missed, files touched, new concepts, worst failure, how to undo it. Use numbers and names, no adjectives.',
        'Precedents: how this project solved the most similar problem before, quoted with its source. If you do it differently, give the reason.',
        formatForbidden([
          'Choose none yet.',
          'Do not invent a weak approach to make another look good: somebody would have to be ready to defend each one.',
        ]),
      ],
    },
    {
      id: 'decisions',
      title: 'Decisions and Assumptions',
      contract: document('{folder}/03-decisions.md', {
        sections: [{ title: 'Decisions', minItems: 2 }, 'Assumptions', { title: 'Risks', minItems: 2 }, 'Out of Scope'],
        ids: { pattern: '\\bD-\\d+\\b', min: 2 },
        references: [{ pattern: '\\bA-\\d+\\b', to: '{folder}/02-approaches.md', all: true }],
      }),
      actions: ({ params: { folder } }) => [
        `Choose from ${folder}/02-approaches.md and write ${folder}/03-decisions.md.`,
        'Decisions: D-1 is the approach; then everything that two good engineers could do differently: names that users see, formats, defaults, error behaviour, limits, compatibility. Each one: decision; the fact that supports it (path:line, a measurement, a requirement); what was rejected and why; what it costs to reverse. Every approach not chosen is named with the fact that ruled it out.',
        'Assumptions: what you take for true without having seen it. Per assumption: what breaks if it is false, and what would show it. If a command or a file can show it, check now and make it a fact.',
        'Risks: what can go wrong on the way, what the first sign would be, and what to do then.',
        'Out of Scope: what somebody could expect from the request but will not get, each with the reason.',
        'If only a person can settle something, consider what a wrong guess costs. If it costs a milestone, data or a public promise, ask: at most three questions, each with two or three options and your recommendation. If it costs less, make an assumption, write it down and continue.',
        formatIncorrectBehavior('D-2: use a cache, because it is faster.', {
          consequence: 'nobody can tell later whether the reason still holds: how fast is it without the cache, and who waits for it?',
        }),
      ],
    },
    {
      id: 'write-plan',
      title: 'Write Plan',
      contract: {
        documents: [
          {
            path: '{folder}/plan.json',
            plan: true,
            references: [
              { pattern: '\\bR-\\d+\\b', to: '{folder}/01-context.md', all: true },
              { pattern: '\\bD-\\d+\\b', to: '{folder}/03-decisions.md', all: true },
            ],
          },
          {
            path: '{folder}/plan.md',
            minWords: 200,
            sections: ['Goal', { title: 'Decisions', minItems: 2 }, { title: 'Milestones', minWords: 60 }, 'Risks', 'Out of Scope'],
            references: [{ pattern: '\\bM-\\d+\\b', to: '{folder}/plan.json', all: true }],
          },
        ],
      },
      actions: (context) => (context.qr.failed ? revisePlan(context) : writePlan(context)),
    },
    reviewStep(COMPLETENESS, { id: 'qr-completeness', title: 'QR: Plan Completeness' }),
    {
      id: 'gate-completeness',
      title: 'Gate: Plan Completeness',
      gate: reviewGate(COMPLETENESS, { workStep: 4, passStep: 7, passMessage: 'The plan is complete.', selfFix: true }),
    },
    workerStep({
      id: 'fill-diffs',
      title: 'Fill Diffs',
      agent: AgentRole.DEVELOPER,
      skill: 'dev-fill-diffs',
      review: PLAN_CODE,
      task: (folder) =>
        `A developer writes a diff for every change of ${folder}/plan.json to ${folder}/diffs and tries them in a copy of the project.`,
      contract: {
        documents: [WORKER_DOCUMENTS.anchors, { path: '{folder}/plan.json', plan: true }, WORKER_DOCUMENTS.trial],
        changes: ['{folder}/diffs/*.diff'],
        command: DIFFS_APPLY,
      },
    }),
    reviewStep(PLAN_CODE, { id: 'qr-code', title: 'QR: Plan Code' }),
    {
      id: 'gate-code',
      title: 'Gate: Plan Code',
      gate: reviewGate(PLAN_CODE, {
        workStep: 7,
        passStep: 10,
        passMessage: 'The diffs do what the plan says.',
        selfFix: false,
        fixTarget: AgentRole.DEVELOPER,
      }),
    },
    workerStep({
      id: 'scrub',
      title: 'Scrub Comments and Documents',
      agent: AgentRole.TECHNICAL_WRITER,
      skill: 'tw-plan-scrub',
      review: PLAN_DOCS,
      task: (folder) =>
        `A technical writer rewrites the comments and documents in ${folder}/diffs and ${folder}/plan.md so that they are true and timeless. No line of code changes.`,
      contract: {
        documents: [WORKER_DOCUMENTS.texts, WORKER_DOCUMENTS.rewrites],
        command: DIFFS_APPLY,
      },
    }),
    reviewStep(PLAN_DOCS, { id: 'qr-docs', title: 'QR: Plan Documentation' }),
    {
      id: 'gate-docs',
      title: 'Gate: Plan Documentation',
      gate: reviewGate(PLAN_DOCS, {
        workStep: 10,
        passStep: 13,
        passMessage: 'Comments and documents are true and timeless.',
        selfFix: false,
        fixTarget: AgentRole.TECHNICAL_WRITER,
      }),
    },
    {
      id: 'hand-over',
      title: 'Hand Over the Plan',
      contract: {
        ...document('{folder}/07-hand-over.md', {
          sections: [{ title: 'What Will Change', minItems: 1 }, 'Please Decide', 'Follow-ups', 'How to Start'],
          references: [{ pattern: '\\bM-\\d+\\b', to: '{folder}/plan.json', all: true }],
        }),
        command: DIFFS_APPLY,
      },
      actions: ({ params: { folder } }) => [
        `Write ${folder}/07-hand-over.md for the person who decides. At most one screen:`,
        [
          '- What Will Change: a line per milestone: what is different for users, and the check that shows it.',
          '- Please Decide: decisions that bind them (public names, stored data, cost, security) and open assumptions, each with what happens if they say nothing. If there are none, write that.',
          `- Follow-ups: what the reviews found that did not block: the failed items and findings in ${folder}/qr/*-verdicts.json.`,
          `- How to Start: pawl run planner-executor --attended -p plan=${folder}/plan.json -p test=… -p code=…, with the test command of 01-context.md and a pattern of the files that the plan changes, such as src/**.`,
        ].join('\n'),
        'Show it to the person and stop. Implement nothing: planner-executor carries out an approved plan.',
      ],
    },
  ],
});

function writePlan({ params: { folder } }: SkillContext): string[] {
  return [
    `Turn ${folder}/01-context.md and ${folder}/03-decisions.md into ${folder}/plan.json, in this form:`,
    formatReference('plan-format'),
    'In addition, this plan has "revision": 1; "requirements": [{ "id": "R-1", "text": "…" }]; in every intent "requirements", "errors" and "tests"; in every milestone "rollback". It has no "changes" yet.',
    [
      '- Milestone: a state in which the project builds, its tests pass, and somebody can see a difference; two to seven. Put risky and unknown things first. Keep moves and renames apart from behaviour changes.',
      '- acceptance: a command and the result that shows success. Run each now: it must fail, for the reason that you expect.',
      '- Intent: one behaviour at one place, as its caller sees it. errors: for each failure, what the caller gets. tests: file and case, such as src/range.test.ts: an empty range is rejected.',
      '- rollback: the commands or switch that undo it after release; for stored data, what happens to rows written meanwhile.',
      '- files: every file that it touches, including tests, documents, help and changelog. Check that each exists, or that its folder does.',
      '- Every R and every D is named by an intent; leave out an intent that no R or D asks for.',
    ].join('\n'),
    `Then write ${folder}/plan.md from it for a reader who was not involved: the goal in three sentences, each milestone with what is different after it and how to check that, the decisions with their reasons, and Risks and Out of Scope from 03-decisions.md.`,
  ];
}

function revisePlan({ params: { folder }, qr }: SkillContext): { readonly title: string; readonly actions: readonly string[] } {
  const verdicts = reviewDocuments(COMPLETENESS).verdicts.replace('{folder}', String(folder));
  return {
    title: 'Revise Plan',
    actions: [
      formatStateBanner('write-plan', { iteration: qr.iteration, mode: 'fix' }),
      `Read the failed items and the MUST findings in ${verdicts}. For each, check for yourself what its evidence names, then change ${folder}/plan.json and ${folder}/plan.md.`,
      [
        '- Answer with a fact, a check or an intent. A sentence that only repeats the question ("errors are handled") fails again.',
        '- A new fact can overturn a decision: then change the decision in 03-decisions.md too, with its reason, and update what refers to it.',
        '- Keep ids; a new thing gets the next number. Dropping an intent or a requirement needs a decision that says so. Increase "revision", and name it in plan.md.',
        '- If a verdict is wrong, do not change what the plan says; add the fact that shows it where the reviewer looked.',
      ].join('\n'),
      formatForbidden(['Change nothing that no finding asks for.', 'Do not edit the items or verdicts.']),
    ],
  };
}
