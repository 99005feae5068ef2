// The skill `solution-design-designer`: one design from one perspective. `solution-design` starts several of them at once;
// none sees what the others are asked, nor how the designs will be compared.

import { arg, defineSkill, formatForbidden, terminalRouting } from '../../index.ts';
import { document } from '../document.ts';
import { CONSTRAINTS, RETURNED_WORDS } from '../solution-design/names.ts';

/** The skill that sends its designers off. */
export const partOf = 'solution-design';

const NOTES = '{folder}/designs/notes/{brief}.md';
const DESIGN = '{folder}/designs/{brief}.md';

/** Makes one design in 6 steps. */
export default defineSkill({
  name: 'solution-design-designer',
  description:
    'Makes one design for a stated problem from the perspective of one brief. It is started by solution-design, which gives it the brief. Invoke it immediately, before you read anything.',
  params: {
    brief: arg({ type: 'string', required: true, description: 'the id of its brief, such as P-1' }),
    folder: arg({ type: 'string', default: 'notes/solution-design', description: 'the folder of the solution-design run that started it' }),
  },
  given: ['{folder}/01-problem.md'],
  steps: [
    {
      id: 'brief',
      title: 'The Brief',
      actions: ({ params: { folder, brief } }) => [
        `Read ${folder}/01-problem.md and the section ${brief} of ${folder}/03-briefs.md. Start your notes, ${folder}/designs/notes/${brief}.md, with the section Task:`,
        '- the need in your own words, and how to see that it is met;',
        '- per constraint (H-n), what it rules out for you;',
        '- what your perspective starts from, and what it makes you question that others take for granted.',
        formatForbidden([
          `Reading other sections of 03-briefs.md or other files of ${folder}, except 00-request.md: your design is most valuable where it differs from the others.`,
        ]),
      ],
      contract: document(NOTES, { sections: [{ title: 'Task', minItems: 3, minWords: 50 }], references: [{ ...CONSTRAINTS, all: true }] }),
    },
    {
      id: 'present',
      title: 'What Is There',
      actions: ({ params: { folder, brief } }) => [
        `Read the code that the brief names, then whatever it leads to: callers, tests, stored data, configuration. Add the section Present to ${folder}/designs/notes/${brief}.md:`,
        '- what your design can build on, and what it must not break: each with a quotation of the relevant line. In an empty repository, quote 00-request.md;',
        '- how this repository solves similar things (names, errors, tests), so that your design fits in;',
        '- surprises: where the code differs from 01-problem.md. If that changes the problem, say so in what you return.',
      ],
      contract: document(NOTES, { sections: ['Task', { title: 'Present', minWords: 40 }], quotes: 2 }),
    },
    {
      id: 'ideas',
      title: 'Three Ideas',
      actions: ({ params: { folder, brief } }) => [
        `Add the section Ideas to ${folder}/designs/notes/${brief}.md: I-1, I-2, I-3: three ideas that your perspective allows and that differ in principle, not in detail. Two ways to store the same table are one idea.`,
        'Per idea: its principle in a sentence; what changes and what is removed; the constraint that is hardest for it; what would make it fail.',
        'The first idea is usually the one that everybody has. Include at least one that seems wrong at first, and say what would have to be true for it to be right.',
        'Choose one: the one that follows your perspective furthest and still meets every constraint. Name what the other two do better.',
      ],
      contract: document(NOTES, { sections: ['Present', { title: 'Ideas', minWords: 90 }], ids: { pattern: '\\bI-\\d+\\b', min: 3 } }),
    },
    {
      id: 'design',
      title: 'Design',
      actions: ({ params: { folder, brief } }) => [
        `Write ${folder}/designs/${brief}.md, 300 to 800 words, for somebody who knows the problem but not your notes:`,
        '- Idea: the principle, and why it meets the need.',
        '- Changes: files and parts: new, changed, removed. Use exact names; mark what does not exist yet as new.',
        '- Interfaces and data: signatures, formats, what is stored where and for how long.',
        '- Failure: what can go wrong, who notices, what it leaves behind, how to undo it.',
        '- Way there: the order of changes, each of which leaves a working system; what happens to existing data and callers.',
        '- Constraints: per H-n, the part of the design that meets it.',
        '- Cost: to build, to run, to learn; what becomes harder because of this design.',
        '- Assumptions: what must be true, and how to find out.',
        'Use a diagram, a signature or an example instead of a paragraph wherever it is more precise. Do not compare with other designs, and do not praise this one.',
      ],
      contract: document(DESIGN, {
        sections: [
          'Idea',
          { title: 'Changes', minItems: 2 },
          'Interfaces and data',
          { title: 'Failure', minItems: 2 },
          { title: 'Way there', minItems: 2 },
          { title: 'Constraints', minItems: 2 },
          'Cost',
          { title: 'Assumptions', minItems: 1 },
        ],
        references: [{ ...CONSTRAINTS, all: true }],
        minWords: 250,
      }),
    },
    {
      id: 'walkthrough',
      title: 'Walk Through',
      actions: ({ params: { folder, brief } }) => [
        `Walk three cases through ${folder}/designs/${brief}.md, call by call and state by state: the usual one; one in which a part fails halfway; an edge case (nothing there yet, very many, twice at once, an old caller). Add the section Walkthrough to your notes, with the steps of each case numbered.`,
        'Where you have to invent something that the design does not say, you have found a hole: decide it, and write it into the design. Where the existing code gets in the way, open it and look; do not guess.',
        'Below the cases, list what you changed in the design. If you changed nothing, name the step at which it came closest to failing.',
      ],
      contract: document(NOTES, { sections: ['Ideas', { title: 'Walkthrough', minItems: 6, minWords: 80 }] }),
    },
    {
      id: 'return',
      title: 'Return',
      actions: ({ params: { folder, brief } }) => [
        `Return this and nothing else, in at most ${RETURNED_WORDS} words:`,
        `- design: ${folder}/designs/${brief}.md`,
        '- idea: its principle in one sentence',
        '- weakest: where it is most likely to fail, in one sentence',
        '- surprises: what in 01-problem.md turned out to be wrong, or none',
      ],
      routing: terminalRouting(),
      contract: {
        report: {
          type: 'object',
          required: ['design', 'idea', 'weakest', 'surprises'],
          properties: {
            design: { type: 'string', minLength: 1 },
            idea: { type: 'string', minLength: 20 },
            weakest: { type: 'string', minLength: 20 },
            surprises: { type: 'string', minLength: 1 },
          },
        },
      },
    },
  ],
});
