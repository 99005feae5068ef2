// Steps 13 to 15 of `incoherence`: a person decides every finding. The agent prepares the questions, records the answers
// word for word, and turns them into statements that hold from then on.

import { branchRouting, formatForbidden, type SkillWorkStep } from '../../index.ts';
import { document } from '../document.ts';

const FINDINGS = '\\bF-\\d+\\b';

const DECISIONS = {
  type: 'object',
  required: ['decisions'],
  properties: {
    decisions: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['finding', 'decision', 'words', 'by'],
        properties: {
          finding: { type: 'string' },
          decision: { enum: ['first', 'second', 'neither', 'both', 'leave', 'open'] },
          words: { type: 'string', minLength: 1 },
          by: { type: 'string', minLength: 1 },
        },
      },
    },
  },
};

/** Has a person decide the findings. */
export const RESOLVE_STEPS: readonly SkillWorkStep[] = [
  {
    id: 'questions',
    title: 'Prepare the Decisions',
    actions: ({ params: { folder } }) => [
      `Turn ${folder}/12-findings.md into questions that a person can answer without opening a file. Write ${folder}/13-questions.md:`,
      "- Questions: per finding: the question in one sentence about the behaviour, not about the files ('How long may a request take: 30 s or 10 s?'), what each side says in a few words with its place, the options, and what each option would change and break.",
      '- The options are: the first is right; the second is right; neither (say what is right); both, under a condition that has to be written down; leave it.',
      '- Recommendation: one option with its evidence, after the options, never inside the question. Without evidence, write: none.',
      '- Batches: at most three questions each, MUST first. Combine findings that one answer settles into one question with all their ids.',
      'Test: cover the recommendation. If a reader can tell from the question which answer you want, rewrite it.',
    ],
    contract: document('{folder}/13-questions.md', {
      sections: [
        { title: 'Questions', minWords: 40 },
        { title: 'Batches', minItems: 1 },
      ],
      references: [{ pattern: FINDINGS, to: '{folder}/12-findings.md', all: true }],
    }),
  },
  {
    id: 'decisions',
    title: 'The Person Decides',
    actions: ({ params: { folder } }) => [
      `Show the person the batches of ${folder}/13-questions.md, one at a time, and wait for the answer to each. Record it in ${folder}/14-decisions.json: an object with the list decisions, an entry per finding: finding (F-n), decision, words (what the person said), by (who said it).`,
      [
        '| decision | the person said |',
        '|---|---|',
        '| first, second | that side of the finding is right |',
        '| neither | what is right instead; it is in their words |',
        '| both | the condition that separates them; it is in their words |',
        '| leave | they know about it and want no change |',
        '| open | they did not decide, or nobody was there to ask |',
      ].join('\n'),
      "Copy the words of the person; do not summarise them. If an answer fits no row, or two, ask at once: 'Do you mean … or …?'. If there is nobody to ask, every finding is open, with that as its words.",
      formatForbidden([
        'Deciding for the person: silence, a recommendation, or an answer to a similar finding is not a decision.',
        'Changing a file of the project in this step.',
      ]),
    ],
    contract: document('{folder}/14-decisions.json', {
      json: DECISIONS,
      references: [{ pattern: FINDINGS, to: '{folder}/12-findings.md', all: true }],
      frozen: true,
    }),
  },
  {
    id: 'resolutions',
    title: 'Resolutions',
    actions: ({ params: { folder } }) => [
      `Turn the decisions into statements of what is true from now on. Write ${folder}/15-resolutions.md:`,
      '- Statements: per finding: one sentence that will be true after the change, with value, unit and condition; the side that has to change (path:line), and whether that is text, configuration or code. For a decision leave or open there is no statement: write leave or open, and the reason in the words of the person.',
      "- Conflicts: compare every statement with every other one and with the specification. If two cannot both be true, or one breaks the specification, ask the person now and write down their answer here, word for word. If you write 'None', list the pairs that you compared.",
      '- Beyond the decision: what a change would need that nobody decided (a migration, a new version, a message to users). List it; do not do it.',
      'The step passes if at least one statement needs a change. If nothing has to change, it fails; then only the report is left.',
    ],
    routing: branchRouting({ ifPass: 16, ifFail: 21 }),
    contract: document('{folder}/15-resolutions.md', {
      sections: [{ title: 'Statements', minItems: 1 }, 'Conflicts', 'Beyond the decision'],
      references: [{ pattern: FINDINGS, to: '{folder}/12-findings.md', all: true }],
    }),
  },
];
