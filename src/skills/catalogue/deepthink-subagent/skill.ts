// The skill `deepthink-subagent`: one perspective on an open question. `deepthink` starts several of them at once, each
// with a brief of its own; none sees what the others are asked.

import { arg, defineSkill, formatForbidden, formatIncorrectBehavior, terminalRouting } from '../../index.ts';
import { document } from '../document.ts';

/** The skill that sends its agents off. */
export const partOf = 'deepthink';

const NOTES = '{folder}/agents/notes/{brief}.md';
const BRIEFS = '{folder}/08-briefs.md';
const QUESTIONS = '\\bQ-\\d+\\b';
const EVIDENCE = '\\bE-\\d+\\b';

/** Answers the sub-questions of one brief in 8 steps. */
export default defineSkill({
  name: 'deepthink-subagent',
  description:
    'Answers the sub-questions of one brief from one perspective and returns a short position with its evidence. It is started by deepthink, which gives it the brief. Invoke it immediately, before you read anything.',
  params: {
    brief: arg({ type: 'string', required: true, description: 'the id of its brief, such as A-1' }),
    folder: arg({ type: 'string', default: 'notes/deepthink', description: 'the folder of the deepthink run that started it' }),
  },
  given: ['{folder}/08-briefs.md'],
  steps: [
    {
      id: 'brief',
      title: 'The Brief',
      actions: ({ params: { folder, brief } }) => [
        `Read the section ${brief} of ${folder}/08-briefs.md and ${folder}/01-question.md. Start your notes, ${folder}/agents/notes/${brief}.md, with the section Task:`,
        '- the sentence of your brief that says what to work from, word for word;',
        '- each of your sub-questions, with its id, in your own words, and what a complete answer to it would contain;',
        '- what the perspective tells you to leave aside.',
        "If a word of the brief is ambiguous, take the reading that makes the question harder, and write down which one you took. Nobody can answer your questions: list what is missing, with 'assumed:' before it.",
        formatForbidden([
          `Reading other files of ${folder}, or other sections of 08-briefs.md: your answer is valuable because you do not know them.`,
        ]),
      ],
      contract: document(NOTES, {
        sections: [{ title: 'Task', minItems: 2, minWords: 40 }],
        ids: { pattern: QUESTIONS, min: 1 },
        references: [{ pattern: QUESTIONS, to: BRIEFS }],
      }),
    },
    {
      id: 'expectations',
      title: 'Expectations',
      actions: ({ params: { folder, brief } }) => [
        `Before you look at any material, add the section Expectations to ${folder}/agents/notes/${brief}.md. Per sub-question:`,
        '- what you would find if one answer were true, and what if the opposite were. Be concrete: a number, a line of code, a date, a sentence in a document;',
        '- where you will look for each of the two;',
        '- what this perspective tends to overlook, and how you would notice.',
        'If both answers would leave the same traces, your method cannot decide the question: choose another method now.',
      ],
      contract: document(NOTES, { sections: ['Task', { title: 'Expectations', minItems: 2, minWords: 60 }] }),
    },
    {
      id: 'evidence',
      title: 'Evidence',
      actions: ({ params: { folder, brief } }) => [
        `Go through the material of your brief and look for both kinds of traces. Add the section Evidence to ${folder}/agents/notes/${brief}.md: a table E-1, E-2 …`,
        "| id | what it shows | source | seen or recalled | speaks for or against which answer |\n|---|---|---|---|---|\n| E-1 | 3 of 40 requests take over 2 s | logs/api.txt:120-160, counted with grep -c | seen | against 'always slow' |",
        'Seen means that you opened it in this session. You may use what you recall, but mark it; it never supports a conclusion alone.',
        'Look as long for traces against an answer as for traces in its favour. Stop when three pieces in a row change nothing.',
        formatIncorrectBehavior('Ten pieces of evidence, all for the same answer.', {
          consequence: 'you collected reasons instead of testing; the report is worth no more than a guess',
        }),
      ],
      contract: document(NOTES, {
        sections: ['Task', 'Expectations', { title: 'Evidence', minItems: 4 }],
        ids: { pattern: EVIDENCE, min: 4 },
      }),
    },
    {
      id: 'answers',
      title: 'Answers',
      actions: ({ params: { folder, brief } }) => [
        `Add the section Answers to ${folder}/agents/notes/${brief}.md. Per sub-question, under its id:`,
        '- the answer in one or two sentences, first;',
        '- the chain from evidence to answer, each link with its E-n; call a link without one an assumption;',
        '- how it compares with Expectations: what came out differently, and how you explain that;',
        "- a probability. 'Cannot be decided from this perspective' is an answer, with the reason and what could decide it.",
        'Answer fully, and only from your perspective. Do not balance it against other views.',
      ],
      contract: document(NOTES, {
        sections: ['Evidence', { title: 'Answers', minWords: 80 }],
        references: [{ pattern: QUESTIONS, to: BRIEFS }],
      }),
    },
    {
      id: 'rival',
      title: 'Strongest Rival',
      actions: ({ params: { folder, brief } }) => [
        `Add the section Rival to ${folder}/agents/notes/${brief}.md: the strongest answer that contradicts yours.`,
        '- State it so that somebody who holds it would agree with the wording, with the pieces of your own evidence (E-n) that fit it as well as they fit yours.',
        '- Name an observation that would be likely if the rival were true and unlikely if your answer were. If you can make it now, make it and add it to Evidence.',
        '- Write down the result: does the rival fail, weaken your answer, or win? If it wins, change Answers and note that here.',
      ],
      contract: document(NOTES, {
        sections: ['Answers', { title: 'Rival', minWords: 60 }],
        ids: { pattern: EVIDENCE, min: 4 },
      }),
    },
    {
      id: 'recheck',
      title: 'Recheck',
      actions: ({ params: { folder, brief } }) => [
        `Take the three pieces of evidence in ${folder}/agents/notes/${brief}.md that your answers depend on most. Open each source again and read it as if for the first time, with the lines around it. Add the section Recheck: a row per piece.`,
        '| id | what the source says, literally | how I had read it | holds, narrower, or wrong |\n|---|---|---|---|',
        "'Narrower' is the usual result: it held for one version, one case, one moment. Narrow the statement in Answers too, and lower its probability.",
        "If you cannot open a source again, mark it 'wrong'.",
      ],
      contract: document(NOTES, { sections: ['Answers', 'Rival', { title: 'Recheck', minItems: 3 }] }),
    },
    {
      id: 'report',
      title: 'Report',
      actions: ({ params: { folder, brief } }) => [
        `Write ${folder}/agents/${brief}.md, 200 to 500 words, for a reader who has your brief but not your notes:`,
        '- Position: what this perspective says about the question, in two sentences.',
        '- Answers: per sub-question, the answer, its probability and the E-n that support it.',
        '- Evidence: every E-n that you cite, as it stands after the recheck, with its source and whether it was seen or recalled.',
        '- Against: evidence that does not fit, and what remains of the rival.',
        '- Not covered: what the brief asked but you could not answer, and what this perspective cannot see.',
        'Do not copy a whole section of the notes. Add nothing that is not in the notes.',
      ],
      contract: document('{folder}/agents/{brief}.md', {
        sections: [
          'Position',
          { title: 'Answers', minItems: 1 },
          { title: 'Evidence', minItems: 3 },
          { title: 'Against', minItems: 1 },
          'Not covered',
        ],
        references: [
          { pattern: EVIDENCE, to: NOTES },
          { pattern: QUESTIONS, to: BRIEFS },
        ],
        minWords: 150,
      }),
    },
    {
      id: 'return',
      title: 'Return',
      actions: ({ params: { folder, brief } }) => [
        'Return this and nothing else, in at most 200 words:',
        `- report: ${folder}/agents/${brief}.md`,
        '- position: two sentences',
        '- confidence: a probability from 0 to 1, as a number',
        '- doubt: the strongest thing against it, in one sentence',
        'Do not summarise how you worked, and give no advice to the reader.',
      ],
      routing: terminalRouting(),
      contract: {
        report: {
          type: 'object',
          required: ['report', 'position', 'confidence', 'doubt'],
          properties: {
            report: { type: 'string', minLength: 1 },
            position: { type: 'string', minLength: 40 },
            confidence: { type: 'number', minimum: 0, maximum: 1 },
            doubt: { type: 'string', minLength: 20 },
          },
        },
      },
    },
  ],
});
