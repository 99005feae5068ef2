// Steps 5 to 9 of `solution-design`: facts first, then points by an agent with no part in the designs, then the attempt to
// overturn the order, and at last one design and what a person has to decide.

import { formatFactoredVerificationRationale, formatForbidden, TerminalRouting, type WorkStep } from '../../index.ts';
import { CONSTRAINTS, CRITERIA, DESIGNS } from './names.ts';

/** Compares the designs and recommends one. */
export const COMPARE_STEPS: readonly WorkStep[] = [
  {
    id: 'facts',
    title: 'Check the Facts',
    actions: ({ params: { folder } }) => [
      `Read the designs in ${folder}/designs. Find out what is true in them; which one is better is not asked here. Write ${folder}/05-facts.md:`,
      '- Constraints: a row per constraint (H-n), a column per design (P-n): met, broken or unclear, with the place in the design that shows it.',
      '- Claims: the three claims of each design that it could not do without: about this code (the function, the field, the call exists and does that), about a library, about a number. Look each up; quote the line that bears it out or refutes it.',
      '- Repairs: for a broken constraint or a false claim, the smallest repair that keeps the idea, or: none, the design is out. Say what the repair costs. A weak design is repaired as readily as one you like.',
      '- Missing: parts of the need that a design does not speak of.',
    ],
    contract: {
      documents: [
        {
          path: '{folder}/05-facts.md',
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
        },
      ],
    },
  },
  {
    id: 'scores',
    title: 'Score',
    fresh: true,
    actions: ({ params: { folder } }) => [
      `This step belongs to an agent that wrote neither criteria, briefs nor designs. If that is not you, start one and give it this text only. It reads 02-criteria.md first, then 01-problem.md, 05-facts.md and the designs in ${folder}; not 03 and 04.`,
      `Write ${folder}/06-scores.md:`,
      '- Points: criterion by criterion, all designs side by side, and only then the next criterion. A row per criterion and design: points 0 to 4, and the sentence of the design (with its repair in 05) that earns them. The designers did not know the criteria: where a design is silent, judge what it implies, and mark the points as inferred.',
      '- Totals: points times weight, summed by a command, which you copy in. Designs that are out have no total.',
      '- Close calls: points where you hesitated, both values, and whether the other one would change the order.',
      formatFactoredVerificationRationale(
        'Per criterion: read its 0, 2 and 4 again, find the passage in each design, then give the points. Do not look at totals before all points stand, and do not go back to adjust them.',
      ),
      formatForbidden(['New criteria, changed weights, points for elegance or effort of writing.']),
    ],
    contract: {
      documents: [
        {
          path: '{folder}/06-scores.md',
          sections: [{ title: 'Points', minItems: 8 }, { title: 'Totals', minItems: 2 }, 'Close calls'],
          references: [
            { ...CRITERIA, all: true },
            { ...DESIGNS, all: true },
          ],
          minWords: 120,
        },
      ],
    },
  },
  {
    id: 'stress',
    title: 'Stress Test',
    actions: ({ params: { folder } }) => [
      `Try to overturn the order of ${folder}/06-scores.md. Take the first two designs, and every other one that the tie rule of 02-criteria.md puts beside them. Write ${folder}/07-stress.md:`,
      '- Failure stories: per design, two: a year from now it was given up. What happened first, what did it cost, which sentence of the design made it possible? Concrete: a date, a person, a number.',
      '- Sensitivity: a row per criterion: does the order change if its weight is halved, doubled, or the criterion is dropped? Calculate it.',
      '- Assumptions: per design, the assumption whose failure would hurt most, and the cheapest test of it. Do every test that takes less than half an hour now (a prototype in a temporary folder, a measurement, a question to a document) and write what came out.',
      '- Standing: what the order is now, and how firm: it holds everywhere, it depends on K-n, or it is a tie.',
    ],
    contract: {
      documents: [
        {
          path: '{folder}/07-stress.md',
          sections: [
            { title: 'Failure stories', minItems: 4, minWords: 80 },
            { title: 'Sensitivity', minItems: 4 },
            { title: 'Assumptions', minItems: 2 },
            { title: 'Standing', minWords: 10 },
          ],
          references: [{ ...CRITERIA, all: true }, DESIGNS],
        },
      ],
    },
  },
  {
    id: 'design',
    title: 'Choose or Combine',
    actions: ({ params: { folder } }) => [
      `Write the design that you recommend to ${folder}/08-design.md, complete enough to plan from.`,
      'Start from the first one. Take over a part of another only if it repairs a failure story or a low criterion and does not bring its own weakness along. A combination is a new design: it has to meet every constraint anew and gets points anew (write them beside those of the first one); if it does not score higher, drop it.',
      '- Design: parts and who owns what; interfaces with their signatures; data and its life; what happens on failure; what changes in which files.',
      '- Constraints: per H-n, the part that keeps it.',
      '- Taken over and left: a row per design (P-n): what was taken, what was left, and why.',
      '- Way there: steps that each leave a working system. The first one is small, can be undone and tests the riskiest assumption of 07.',
      '- Not solved: what the need asks and this design does not do.',
    ],
    contract: {
      documents: [
        {
          path: '{folder}/08-design.md',
          sections: [
            { title: 'Design', minWords: 120 },
            { title: 'Constraints', minItems: 2 },
            { title: 'Taken over and left', minItems: 2 },
            { title: 'Way there', minItems: 2 },
            'Not solved',
          ],
          references: [{ ...CONSTRAINTS, all: true }, { ...DESIGNS, all: true }, CRITERIA],
        },
      ],
    },
  },
  {
    id: 'recommendation',
    title: 'Recommendation',
    actions: ({ params: { folder } }) => [
      `Write ${folder}/09-recommendation.md for the person who decides: at most one page, nothing that 01 to 08 do not bear out.`,
      '- Recommendation: the design in three sentences, and how firm the order is (07).',
      '- Price: what it costs, what it makes harder, what it does not solve. This section comes before the reasons.',
      '- Why: the criteria that decided, with points of the first two designs.',
      "- Otherwise: per other design, the circumstance in which it would be right ('if the data never exceeds one machine, P-2').",
      '- Decide: what only the person can decide, one question each, with what follows from either answer.',
      '- First step: what would be done first, how it is undone, and what result would make us stop.',
      'Show it to the person and wait. Build nothing.',
    ],
    routing: TerminalRouting(),
    contract: {
      documents: [
        {
          path: '{folder}/09-recommendation.md',
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
        },
      ],
    },
  },
];
