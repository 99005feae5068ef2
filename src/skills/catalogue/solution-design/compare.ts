// Steps 5 to 9 of `solution-design`: facts first, then points by an agent with no part in the designs, then the attempt to
// overturn the order, and at last one design and what a person has to decide.

import { formatFactoredVerificationRationale, formatForbidden, type SkillWorkStep, terminalRouting } from '../../index.ts';
import { document } from '../document.ts';
import { CONSTRAINTS, CRITERIA, DESIGNS } from './names.ts';

/** Compares the designs and recommends one. */
export const COMPARE_STEPS: readonly SkillWorkStep[] = [
  {
    id: 'facts',
    title: 'Check the Facts',
    actions: ({ params: { folder } }) => [
      `Read the designs in ${folder}/designs. Find out what is true in them; do not judge yet which one is better. Write ${folder}/05-facts.md:`,
      '- Constraints: a row per constraint (H-n), a column per design (P-n): met, broken or unclear, with the place in the design that shows it.',
      '- Claims: the three claims that each design depends on most: about this code (the function, field or call exists and does that), about a library, about a number. Look each up; quote the line that confirms or refutes it.',
      '- Repairs: for a broken constraint or a false claim, the smallest repair that keeps the idea, or: none, the design is out. Say what the repair costs. Repair a weak design as readily as one you like.',
      '- Missing: parts of the need that a design does not address.',
    ],
    contract: document('{folder}/05-facts.md', {
      sections: [
        { title: 'Constraints', minItems: 2 },
        { title: 'Claims', minWords: 40 },
        { title: 'Repairs', minWords: 3 },
        { title: 'Missing', minWords: 3 },
      ],
      references: [
        { ...CONSTRAINTS, all: true },
        { ...DESIGNS, all: true },
      ],
      quotes: 2,
    }),
  },
  {
    id: 'scores',
    title: 'Score',
    fresh: true,
    actions: ({ params: { folder } }) => [
      `An agent that wrote none of the criteria, briefs and designs must do this step. If you wrote any of them, start a new agent and give it only this text. It reads 02-criteria.md first, then 01-problem.md, 05-facts.md and the designs in ${folder}; not 03 and 04.`,
      `Write ${folder}/06-scores.md:`,
      '- Points: for one criterion, all designs side by side, and only then the next criterion. A row per criterion and design: points 0 to 4, and the sentence of the design (with its repair in 05) that earns them. The designers did not know the criteria: where a design is silent, judge what it implies, and mark the points as inferred.',
      '- Totals: points times weight, added up by a command; include the command. Designs that are out have no total.',
      '- Close calls: points where you hesitated, both values, and whether the other value would change the order.',
      formatFactoredVerificationRationale(
        'Per criterion: read its 0, 2 and 4 again, find the passage in each design, then give the points. Do not look at totals before all points are given, and do not go back to adjust them.',
      ),
      formatForbidden(['New criteria, changed weights, points for elegance or effort of writing.']),
    ],
    contract: document('{folder}/06-scores.md', {
      sections: [{ title: 'Points', minItems: 8 }, { title: 'Totals', minItems: 2 }, 'Close calls'],
      references: [
        { ...CRITERIA, all: true },
        { ...DESIGNS, all: true },
      ],
      minWords: 120,
    }),
  },
  {
    id: 'stress',
    title: 'Stress Test',
    actions: ({ params: { folder } }) => [
      `Try to overturn the order of ${folder}/06-scores.md. Take the first two designs, and every other one that the tie rule of 02-criteria.md puts beside them. Write ${folder}/07-stress.md:`,
      '- Failure stories: per design, two: a year from now it has been abandoned. What happened first, what did it cost, which sentence of the design made it possible? Be concrete: a date, a person, a number.',
      '- Sensitivity: a row per criterion: does the order change if its weight is halved or doubled, or the criterion is dropped? Calculate it.',
      '- Assumptions: per design, the assumption whose failure would hurt most, and the cheapest test of it. Do every test that takes less than half an hour now (a prototype in a temporary folder, a measurement, a lookup in a document) and write down the result.',
      '- Standing: what the order is now, and how firm it is: it holds in every case, it depends on K-n, or it is a tie.',
    ],
    contract: document('{folder}/07-stress.md', {
      sections: [
        { title: 'Failure stories', minItems: 4, minWords: 80 },
        { title: 'Sensitivity', minItems: 4 },
        { title: 'Assumptions', minItems: 2 },
        { title: 'Standing', minWords: 10 },
      ],
      references: [{ ...CRITERIA, all: true }, DESIGNS],
    }),
  },
  {
    id: 'design',
    title: 'Choose or Combine',
    actions: ({ params: { folder } }) => [
      `Write the design that you recommend to ${folder}/08-design.md, complete enough to plan from.`,
      'Start from the first one. Adopt a part of another only if it prevents a failure story or improves a low score and does not bring its own weakness along. A combination is a new design: check every constraint again and give points again (write them next to those of the first one); if it does not score higher, drop it.',
      '- Design: parts and who owns what; interfaces with their signatures; data and its lifetime; what happens on failure; what changes in which files.',
      '- Constraints: per H-n, the part of the design that meets it.',
      '- Taken over and left: a row per design (P-n): what you adopted, what you left out, and why.',
      '- Way there: steps that each leave a working system. The first one is small, can be undone and tests the riskiest assumption of 07.',
      '- Not solved: what the need asks for but this design does not do.',
    ],
    contract: document('{folder}/08-design.md', {
      sections: [
        { title: 'Design', minWords: 120 },
        { title: 'Constraints', minItems: 2 },
        { title: 'Taken over and left', minItems: 2 },
        { title: 'Way there', minItems: 2 },
        'Not solved',
      ],
      references: [{ ...CONSTRAINTS, all: true }, { ...DESIGNS, all: true }, CRITERIA],
    }),
  },
  {
    id: 'recommendation',
    title: 'Recommendation',
    actions: ({ params: { folder } }) => [
      `Write ${folder}/09-recommendation.md for the person who decides: at most one page, with nothing that 01 to 08 do not support.`,
      '- Recommendation: the design in three sentences, and how firm the order is (07).',
      '- Price: what it costs, what it makes harder, what it does not solve. This section comes before the reasons.',
      '- Why: the criteria that decided, with the points of the first two designs.',
      "- Otherwise: for each other design, the circumstances in which it would be right ('if the data never exceeds one machine, P-2').",
      '- Decide: what only the person can decide, one question each, with the consequences of each answer.',
      '- First step: what to do first, how to undo it, and what result would make us stop.',
      'Show it to the person and wait. Build nothing.',
    ],
    routing: terminalRouting(),
    contract: document('{folder}/09-recommendation.md', {
      sections: [
        'Recommendation',
        { title: 'Price', minItems: 1 },
        'Why',
        { title: 'Otherwise', minItems: 1 },
        { title: 'Decide', minItems: 1 },
        'First step',
      ],
      references: [CRITERIA, DESIGNS],
      minWords: 120,
    }),
  },
];
