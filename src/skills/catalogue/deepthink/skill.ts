// The skill `deepthink`: an open question is taken apart, worked on from several sides and answered with stated confidence.
// Mode `quick` leaves out the sub-agents, steps 6 to 11.

import { arg, defineSkill, formatForbidden, linearRouting, terminalRouting } from '../../index.ts';
import { document } from '../document.ts';
import { PERSPECTIVE_STEPS } from './perspectives.ts';
import { refinement, synthesis } from './refinement.ts';

/** Reasons about an open question in 14 steps. */
export default defineSkill({
  name: 'deepthink',
  description:
    'Works out a reasoned answer to an open question: takes it apart, has independent sub-agents answer it from different perspectives, and checks every claim the answer depends on. Use it for questions without an obvious answer: why something is so, what would happen, which way to go, whether an idea holds. Not for tasks with a known procedure. Invoke it immediately, before you explore.',
  params: {
    question: arg({ type: 'string', default: 'the one that the person asked', description: 'the question' }),
    mode: arg({ choices: ['full', 'quick'], default: 'full', description: 'quick answers without sub-agents' }),
    folder: arg({ type: 'string', default: 'notes/deepthink', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'context-clarification',
      title: 'Context Clarification',
      actions: ({ params: { question, folder } }) => [
        `The question: ${question}`,
        `Read every file, link and message that it names. Then write ${folder}/01-question.md:`,
        "- Question: the question, verbatim. Below it, restate it in one sentence that spells out every pronoun and comparative: 'better' than what, for whom, measured how.",
        '- Given: facts you have read, each with its source (path:line, message, address). Put what you only believe under Missing.',
        '- Missing: each unknown that could change the answer, what could settle it, and what you assume until then.',
        '- Answer wanted: the form of the answer (a choice, a number, an explanation, a plan), its reader, its length, and the decision that depends on it.',
        "- Framing: words of the question that presume an answer, and the question without them. 'Why is the cache slow?' presumes a measurement: is there one?",
        'Ask the person only if two readings lead to different work and nothing at hand decides between them: one message, three questions at most. Otherwise take the likelier reading and put the other under Missing.',
        formatForbidden(['Any answer in this step, even a tentative one: it would bias everything after it.']),
      ],
      contract: document('{folder}/01-question.md', {
        sections: ['Question', { title: 'Given', minItems: 1 }, { title: 'Missing', minItems: 1 }, 'Answer wanted', 'Framing'],
        minWords: 80,
      }),
    },
    {
      id: 'abstraction',
      title: 'Abstraction',
      actions: ({ params: { folder } }) => [
        `From ${folder}/01-question.md, write ${folder}/02-abstraction.md:`,
        "- General problem: the class of problems that this one belongs to, in a sentence without any name from the question. Somebody from another field should recognise a problem of their own. Too narrow: 'choose a message queue'. Too wide: 'make a good decision'. Right: 'choose a part that is costly to replace, before the load is known'.",
        "- Principles: R-1, R-2 …: what holds for the whole class (laws, trade-offs, results, the usual causes of failure). Write each as 'if …, then …, because …', so that it can be false, and mark it established, usual or guess.",
        '- Consequences here: for each principle, what should then be true in this case, and where to check it. Remove a principle that has no consequence here.',
        '- Particulars lost: what is special about this case, missing from the general view, and could overturn it.',
      ],
      contract: document('{folder}/02-abstraction.md', {
        sections: [
          'General problem',
          { title: 'Principles', minItems: 3 },
          { title: 'Consequences here', minItems: 3 },
          { title: 'Particulars lost', minItems: 1 },
        ],
        ids: { pattern: '\\bR-\\d+\\b', min: 3 },
      }),
    },
    {
      id: 'kind-of-question',
      title: 'Kind of Question',
      actions: ({ params: { folder } }) => [
        `Decide what would make an answer right, before there is one. Write ${folder}/03-kind.md.`,
        [
          '| kind | an answer is right when | the usual mistake |',
          '|---|---|---|',
          '| fact | a source or an experiment shows it | recalled instead of looked up |',
          '| cause | it also explains where the effect is absent | the first story that fits |',
          '| forecast | it has a base rate, a probability and a date | no base rate |',
          '| choice | it is best by the criteria of whoever decides | criteria made to fit the favourite |',
          '| design | it meets every constraint and survives misuse | one idea, polished |',
          '| meaning or value | it shows on which premise people differ | a value sold as a fact |',
        ].join('\n'),
        '- Kind: which rows apply. A question of two kinds is two questions: separate them, and say which one the decision depends on.',
        '- Standard of proof: per kind, the evidence that would be enough here, and what would look like evidence but is not.',
        '- What would refute it: for each answer that suggests itself, an observation that would make you drop it. An answer that nothing could refute is not an answer.',
        '- Cost of error: what happens if the answer is wrong in either direction, and which direction is worse.',
      ],
      contract: document('{folder}/03-kind.md', {
        sections: ['Kind', { title: 'Standard of proof', minItems: 1 }, { title: 'What would refute it', minItems: 2 }, 'Cost of error'],
        minWords: 80,
      }),
    },
    {
      id: 'precedents',
      title: 'Precedents',
      actions: ({ params: { folder } }) => [
        `Find cases in which somebody faced the general problem of ${folder}/02-abstraction.md. Search the project (history, issues, decisions) and whatever sources you can reach. Write ${folder}/04-precedents.md.`,
        '- Cases: at least four, P-1, P-2 …: two from the same field, one from a distant field with the same structure, and one that looked right but went wrong.',
        "For each: what was decided, how it ended, and the source. Without a source, write 'from memory': such a case may suggest, never prove.",
        '- What carries over: per case, the relation that is the same here (what stands for what), and what it predicts for the question.',
        '- Where it breaks: per case, the difference that could reverse the prediction. There is always one; look at size, time, incentives, reversibility, who pays.',
      ],
      contract: document('{folder}/04-precedents.md', {
        sections: [
          { title: 'Cases', minItems: 4 },
          { title: 'What carries over', minItems: 4 },
          { title: 'Where it breaks', minItems: 4 },
        ],
        ids: { pattern: '\\bP-\\d+\\b', min: 4 },
      }),
    },
    {
      id: 'planning',
      title: 'Planning',
      actions: ({ params: { folder, mode } }) => [
        `From documents 01 to 04, write ${folder}/05-plan.md:`,
        "- Sub-questions: three to seven, Q-1, Q-2 …. Each must be answerable on its own, with at least two possible answers. Test the set: 'if I knew all these answers, what else would I need?' The answer must be: nothing. For each: its kind (03), the method (look up, measure, calculate, apply R-n, compare with P-n) and the evidence that would settle it.",
        '- Order: which sub-question needs the answer of which. Put first the one whose answer could make the others pointless.',
        '- First guess: the answer you would give today, with a probability. You will compare the final answer with it; nobody else sees it.',
        '- Done when: what the final answer must contain and how sure you must be, given the cost of error (03).',
        mode === 'quick'
          ? 'You will answer the sub-questions yourself: plan only what you can look up, run or derive now.'
          : 'Sub-agents that have not seen your reasoning will answer the sub-questions: each must be clear without documents 02 to 04.',
      ],
      routing: ({ params }) => (params.mode === 'quick' ? linearRouting({ to: 12 }) : linearRouting()),
      contract: document('{folder}/05-plan.md', {
        sections: [{ title: 'Sub-questions', minItems: 3 }, 'Order', 'First guess', 'Done when'],
        ids: { pattern: '\\bQ-\\d+\\b', min: 3, max: 7 },
        references: [
          { pattern: '\\bR-\\d+\\b', to: '{folder}/02-abstraction.md' },
          { pattern: '\\bP-\\d+\\b', to: '{folder}/04-precedents.md' },
        ],
      }),
    },
    ...PERSPECTIVE_STEPS,
    {
      id: 'initial-synthesis',
      title: 'Initial Synthesis',
      actions: synthesis,
      contract: document('{folder}/12-synthesis.md', {
        sections: ['Answer', { title: 'Reasons', minItems: 3 }, { title: 'Against', minItems: 2 }, 'Confidence'],
        references: [{ pattern: '\\bQ-\\d+\\b', to: '{folder}/05-plan.md', all: true }],
        minWords: 150,
      }),
    },
    {
      id: 'iterative-refinement',
      title: 'Iterative Refinement',
      iterates: true,
      actions: refinement,
      contract: document('{folder}/13-refinement.md', {
        sections: [{ title: 'Checks', minItems: 3 }, { title: 'Current answer', minWords: 60 }, 'Still open'],
        ids: { pattern: '\\bV-\\d+\\b', min: 3 },
      }),
    },
    {
      id: 'answer',
      title: 'Answer',
      actions: ({ params: { folder } }) => [
        `From Current answer and Still open in ${folder}/13-refinement.md, write ${folder}/14-answer.md for the reader, in the form and the length that 01-question.md wants:`,
        '- Answer: the first sentence answers the question that was asked. If it depends on a condition, name the condition and the answer on both sides of it.',
        '- Why: the few reasons that support it, each with its source. Leave out how you got there.',
        '- Against: the strongest objection, as somebody who holds it would put it, and why the answer stands nevertheless.',
        '- Confidence: a probability or a range, and its basis (checked, argued, assumed).',
        '- What would change it: observations, with the place or date where they could be made. Say here whether the first guess of 05-plan.md survived, and if not, what changed it.',
        'Add no claim that is not in Current answer, and do not use the number of documents or agents as an argument. Show the person this document; the others are its evidence.',
      ],
      routing: terminalRouting(),
      contract: document('{folder}/14-answer.md', {
        sections: ['Answer', { title: 'Why', minItems: 2 }, 'Against', 'Confidence', { title: 'What would change it', minItems: 1 }],
        minWords: 100,
      }),
    },
  ],
});
