// Steps 1 to 4 of `solution-design`: the problem, the criteria, the briefs, and the designers who are sent off with them.

import { AgentRole, formatForbidden, formatIncorrectBehavior, formatSubagentDispatch, type SkillWorkStep } from '../../index.ts';
import { document } from '../document.ts';
import { CONSTRAINTS, CRITERIA, DESIGNS, RETURNED_WORDS } from './names.ts';

/** Prepares the designs and has them made. */
export const PREPARE_STEPS: readonly SkillWorkStep[] = [
  {
    id: 'problem',
    title: 'Problem',
    actions: ({ params: { folder, problem } }) => [
      `The problem: ${problem}`,
      `Save the request word for word in ${folder}/00-request.md. Read the code that any solution will touch. Then write ${folder}/01-problem.md:`,
      "- Need: who cannot do what today, how often, and how to see that it is solved. Trace a request that is itself a solution ('add a cache') back to its need (pages take 4 s); the requested solution becomes one idea among others.",
      '- Today: how it is done now. Quote the lines that a solution must work with: interfaces, data, limits. In an empty repository, quote 00-request.md.',
      '- Constraints: H-1, H-2 …: what must hold for any design, its source (a person, a contract, a line of code, a date), and how a design would break it. Something that only makes a design better is a criterion, not a constraint.',
      '- Not wanted: what a solution might do but should not.',
      '- Open: what is unknown, and what you assume until it is known. Ask the person only about what would change a constraint: one message, three questions at most.',
      formatForbidden(['Naming, sketching or ruling out a solution.']),
    ],
    contract: document(CONSTRAINTS.to, {
      sections: ['Need', 'Today', { title: 'Constraints', minItems: 2 }, { title: 'Not wanted', minItems: 1 }, 'Open'],
      ids: { pattern: CONSTRAINTS.pattern, min: 2 },
      quotes: 2,
      minWords: 120,
    }),
  },
  {
    id: 'criteria',
    title: 'Criteria',
    actions: ({ params: { folder } }) => [
      `Fix now, while no design exists, how designs will be compared. Write ${folder}/02-criteria.md; it cannot be changed later.`,
      '- Criteria: four to seven, K-1, K-2 …, a row each: what is judged, weight (100 in total), and what a design must be like to get 0, 2 or 4 points.',
      'Good: K-2 effort to undo, weight 20: 0 = data must be migrated back; 2 = a release; 4 = a switch. Bad: K-2 maintainability, 1 to 10.',
      '- Ties: up to which difference in points two designs are tied, and what decides then.',
      'Test every criterion: two people who read the same design would give the same points; it can be judged on paper; a design that nobody wants would not score high on it; it does not describe an idea that you already favour. One criterion must be about being wrong (cost to undo), one about those who run or maintain it.',
      formatIncorrectBehavior('Five criteria of 20 each.', {
        consequence: 'nothing is defined; the comparison only reflects what the scorer feels',
      }),
    ],
    contract: document(CRITERIA.to, {
      sections: [{ title: 'Criteria', minItems: 4, minWords: 80 }, 'Ties'],
      ids: { pattern: CRITERIA.pattern, min: 4, max: 7 },
      frozen: true,
    }),
  },
  {
    id: 'perspectives',
    title: 'Perspectives',
    actions: ({ params: { folder } }) => [
      `Choose three to five perspectives that would lead to designs that differ in kind, and write a brief for each in ${folder}/03-briefs.md: a section per designer, headed by its id alone ('## P-1').`,
      [
        '| perspective | starts from |',
        '|---|---|',
        '| least change | what is there, and the smallest change that meets every constraint |',
        '| remove the cause | how the need would not arise: delete, simplify, move the responsibility |',
        '| reuse | what already solves it: in this repository, a standard, a library, a service |',
        '| data | what is stored, who owns it, what must never be lost; the rest follows |',
        '| failure | what breaks, who notices, how it is repaired at night |',
        '| use | the call or the screen as its user would want it, then work backwards |',
        '| ten times | ten times the load, the size or the people |',
        '| as asked | the solution that the request names, done well |',
      ].join('\n'),
      'Always include "least change", and "remove the cause" or "reuse"; include "as asked" if the request names a solution. For each pair of designers, ask: what will one do that the other would not? If you cannot say, replace one.',
      'A brief has 50 to 120 words: the perspective, the code and material to begin with, and what this designer is free to question. The problem is in 01-problem.md, which all of them read.',
      formatForbidden(['In a brief: the criteria and their weights, other designers, a solution, a preference.']),
    ],
    contract: document(DESIGNS.to, { ids: { pattern: DESIGNS.pattern, min: 3, max: 5 }, minWords: 150, frozen: true }),
  },
  {
    id: 'designs',
    title: 'Design in Parallel',
    actions: ({ params: { folder } }) => [
      `Start one designer per section of ${folder}/03-briefs.md, all in one message, so that they work at the same time. Replace P-N with the id of the section; tell them nothing else.`,
      formatSubagentDispatch({
        agent: AgentRole.ARCHITECT,
        scriptPath: 'pawl skill step solution-design-designer',
        step: 1,
        totalSteps: 6,
        params: { brief: 'P-N', folder: String(folder) },
      }),
      `Each writes ${folder}/designs/P-N.md and returns at most ${RETURNED_WORDS} words. If a designer returns nothing, start it once more; after that it counts as 'no design'. If there are fewer than two designs, stop and tell the person.`,
      `When all have returned, write ${folder}/04-returns.md from what they returned: a row per designer: id, file, idea, weakest point. Do not open the designs yet, and do not compare.`,
    ],
    dispatch: {
      agent: AgentRole.ARCHITECT,
      skill: 'solution-design-designer',
      params: { brief: '{item}', folder: '{folder}' },
      each: { document: DESIGNS.to, ids: DESIGNS.pattern },
      returns: RETURNED_WORDS,
    },
    contract: {
      // The designs are documents of the designers, so they are counted, not looked for among changed files.
      command: 'test "$(ls {folder}/designs/*.md | wc -l)" -ge 2',
      ...document('{folder}/04-returns.md', { references: [{ ...DESIGNS, all: true }] }),
    },
  },
];
