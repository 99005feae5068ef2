// Steps 6 to 11 of `deepthink`: independent sub-agents are designed, briefed and sent off, and what they return is checked
// and compared. Mode `quick` leaves them out.

import { AgentRole, formatForbidden, formatIncorrectBehavior, formatSubagentDispatch, type SkillWorkStep } from '../../index.ts';
import { document } from '../document.ts';

const AGENTS = '\\bA-\\d+\\b';
const BRIEFS = '{folder}/08-briefs.md';
const RETURNED_WORDS = 200;

/** Designs, sends off and compares the perspectives. */
export const PERSPECTIVE_STEPS: readonly SkillWorkStep[] = [
  {
    id: 'subagent-design',
    title: 'Sub-agent Design',
    actions: ({ params: { folder } }) => [
      `Design three to six sub-agents, A-1, A-2 …, for the sub-questions of ${folder}/05-plan.md. Three are enough unless there are more than five sub-questions. Write ${folder}/06-agents.md.`,
      [
        '| perspective | works from |',
        '|---|---|',
        '| measurement | only what was measured or can be run now |',
        '| mechanism | causes and principles, derived step by step |',
        '| base rates | how such cases usually end, without the details of this one |',
        '| opposite | the strongest case that the obvious answer is wrong |',
        '| who pays | the people who live with the outcome: users, operators, whoever maintains it |',
        '| outsider | the field of the far precedent and its standard solution |',
        '| adversary | how the outcome would be misused, gamed or broken |',
      ].join('\n'),
      '- Agents: per agent, its perspective in one sentence, its sub-questions, the material it reads, and a conclusion that only this agent could reach. If you cannot name one, drop the agent.',
      '- Assignment: each sub-question goes to two agents with different methods. One agent has the perspective "opposite" or "adversary".',
      '- Independence: per pair, what they do not share (material, method or stake). Two agents that read the same material in the same way count as one.',
    ],
    contract: document('{folder}/06-agents.md', {
      sections: [
        { title: 'Agents', minItems: 3 },
        { title: 'Assignment', minItems: 3 },
        { title: 'Independence', minItems: 2 },
      ],
      ids: { pattern: AGENTS, min: 3, max: 6 },
      references: [{ pattern: '\\bQ-\\d+\\b', to: '{folder}/05-plan.md', all: true }],
    }),
  },
  {
    id: 'design-check',
    title: 'Design Check',
    actions: ({ params: { folder } }) => [
      `Put the design in ${folder}/06-agents.md through four tests; do not go by impression. Write ${folder}/07-design-check.md:`,
      '- Coverage: a table with a row per sub-question and a column per agent. A cell says how this agent would find the answer, or is empty. A row with fewer than two filled cells, or with the same method twice, is a defect.',
      '- Swap test: for each pair, exchange the perspectives. If both reports would stay the same, the perspective has no effect: merge the two or give one of them other material.',
      "- Leaks: words in the design that reveal your first guess, the answer you hope for or what another agent thinks. Copy the words. 'Confirm that', 'show why' and 'the problem with' are leaks.",
      '- Missing voice: who would object to every one of these agents? Name the person or the field, and say whether an agent represents it.',
      '- Changes: what to change, by agent. If a test found nothing, write down what you looked at.',
    ],
    contract: document('{folder}/07-design-check.md', {
      sections: [{ title: 'Coverage', minItems: 3 }, { title: 'Swap test', minItems: 3 }, 'Leaks', 'Missing voice', 'Changes'],
      references: [
        { pattern: AGENTS, to: '{folder}/06-agents.md', all: true },
        { pattern: '\\bQ-\\d+\\b', to: '{folder}/05-plan.md', all: true },
      ],
    }),
  },
  {
    id: 'briefs',
    title: 'Briefs',
    actions: ({ params: { folder } }) => [
      `Apply the changes of ${folder}/07-design-check.md and write the final briefs to ${folder}/08-briefs.md: a section per agent, headed by its id alone ('## A-1').`,
      'A brief has 80 to 160 words: the perspective (what to work from and what to ignore); the sub-questions with their ids and full wording; the material, as paths and addresses; what the agent may run; where to stop.',
      'Of your documents, the sub-agent reads only its brief and 01-question.md. Read each brief as if you knew nothing more: explain or remove every word that cannot be understood without 02 to 07.',
      formatForbidden([
        'The first guess, the answer you hope for, or a hint at either.',
        'Any mention of other agents or their questions.',
        'An instruction about the result (agree, criticise, be bold): give material and method instead.',
      ]),
    ],
    contract: document(BRIEFS, {
      ids: { pattern: AGENTS, min: 3, max: 6 },
      references: [{ pattern: '\\bQ-\\d+\\b', to: '{folder}/05-plan.md', all: true }],
      minWords: 240,
      frozen: true,
    }),
  },
  {
    id: 'dispatch',
    title: 'Dispatch',
    actions: ({ params: { folder } }) => [
      `Start one sub-agent per section of ${folder}/08-briefs.md, all in one message, so that they work at the same time. Replace A-N with the id of the section; tell them nothing else.`,
      formatSubagentDispatch({
        agent: AgentRole.EXPLORE,
        scriptPath: 'pawl skill step deepthink-subagent',
        params: { brief: 'A-N', folder: String(folder) },
        step: 1,
        totalSteps: 8,
      }),
      `Each writes ${folder}/agents/A-N.md and returns at most ${RETURNED_WORDS} words. If an agent returns nothing or has written no report, start it once more; after that it counts as 'no report'. If there are fewer than two reports, stop and tell the person.`,
      `When all have returned, write ${folder}/09-returns.md: a table with a row per agent: id, report, position in the words of the agent, confidence.`,
      formatForbidden([
        'Writing or finishing a report yourself: your answer under the name of an agent spoils the comparison.',
        'Telling one agent what another one returned.',
      ]),
    ],
    dispatch: {
      agent: AgentRole.EXPLORE,
      skill: 'deepthink-subagent',
      params: { brief: '{item}', folder: '{folder}' },
      each: { document: BRIEFS, ids: AGENTS },
      returns: RETURNED_WORDS,
    },
    contract: {
      // The reports are documents of the sub-agents, so they are counted, not looked for among changed files.
      command: 'test "$(ls {folder}/agents/*.md | wc -l)" -ge 2',
      ...document('{folder}/09-returns.md', { references: [{ pattern: AGENTS, to: BRIEFS, all: true }] }),
    },
  },
  {
    id: 'report-check',
    title: 'Report Check',
    actions: ({ params: { folder } }) => [
      `Read the reports in ${folder}/agents, each together with its brief. Judge the work, not whether you like the position. Write ${folder}/10-report-check.md with a row per agent under Verdicts: used, used in part, or left out, and why.`,
      'Answer per report, in this order:',
      '1. Is every sub-question of the brief answered? Which are not?',
      '2. Open the source of its two most important pieces of evidence. Does it say what the report claims? Sources opened gets a row per source: A-n and E-n, what the report claims, what the source says literally.',
      '3. Does the position follow from the evidence, or did it come first? Counter-evidence that the report lists but never answers is a sign of the latter.',
      '4. Did it keep to its perspective, or give the average answer that any agent would give?',
      'Leave a report out only because something in it is missing or false. Evidence that you could not open counts as assumed: list it under Not verifiable.',
      formatIncorrectBehavior('Every report is used; reason: well argued.', {
        consequence: 'an invented source ends up in the answer, and nobody checks it again',
      }),
    ],
    contract: document('{folder}/10-report-check.md', {
      sections: [{ title: 'Verdicts', minItems: 3 }, { title: 'Sources opened', minItems: 3 }, 'Not verifiable'],
      references: [{ pattern: AGENTS, to: BRIEFS, all: true }],
      minWords: 120,
    }),
  },
  {
    id: 'agreement-and-dissent',
    title: 'Agreement and Dissent',
    actions: ({ params: { folder } }) => [
      `Compare the reports that passed ${folder}/10-report-check.md, sub-question by sub-question. Do not count votes: three agents with the same source count as one. Write ${folder}/11-comparison.md:`,
      '- By sub-question: a row per Q-n: the answers (with A-n), and whether the agents agree.',
      '- Agreement: per point, did they reach it by different evidence (strong), by the same source (one witness) or by a shared premise (name it; it is unchecked)?',
      "- Dissent: per point, the crux: the single fact or value that, once settled, would make one side change its mind. 'They weigh it differently' is not a crux. If reading, running or calculating something can settle it, do that now and write down the result.",
      '- Only one saw it: points of a single agent, and for each, why the others missed it: is it outside their material, or wrong?',
      '- Nobody looked at: what the question needs but no report covers.',
    ],
    contract: document('{folder}/11-comparison.md', {
      sections: [
        { title: 'By sub-question', minItems: 3 },
        { title: 'Agreement', minItems: 1 },
        { title: 'Dissent', minItems: 1 },
        'Only one saw it',
        'Nobody looked at',
      ],
      references: [
        { pattern: '\\bQ-\\d+\\b', to: '{folder}/05-plan.md', all: true },
        { pattern: AGENTS, to: BRIEFS },
      ],
      minWords: 150,
    }),
  },
];
