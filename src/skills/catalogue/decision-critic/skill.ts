// Owns the skill decision-critic: takes a decision apart into statements, checks those that can be checked without looking
// at the conclusion, argues the other side, and ends with a verdict that says what would change it.

import { arg, defineSkill, formatFactoredVerificationRationale, formatForbidden, formatOpenQuestionGuidance } from '../../index.ts';

const STATEMENT = '\\bS-\\d+\\b';
const QUESTION = '\\bQ-\\d+\\b';

/** The skill decision-critic. */
export default defineSkill({
  name: 'decision-critic',
  description:
    'Tests a decision before it is acted on: takes its reasons apart, verifies what can be verified, argues against it, and gives a verdict. Use it when somebody has a plan, a choice of technology or an architecture decision and wants it challenged. Invoke it immediately; give no opinion before.',
  params: {
    decision: arg({ type: 'string', default: 'the decision that the person stated', description: 'the decision and its reasons' }),
    folder: arg({ type: 'string', default: 'notes/decision-critic', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'extract-structure',
      title: 'Extract Structure',
      actions: ({ params: { decision, folder } }) => [
        `The decision: ${decision}`,
        '',
        `Save what the person wrote about it, unchanged, in ${folder}/sources/statement.md, with the paths of the documents they refer to. Then take it apart. Judge nothing yet.`,
        `Write ${folder}/01-structure.md with these sections:`,
        '- ## Decision: one sentence: who does what, instead of what, until when. If the alternative is not stated, write: instead of leaving things as they are.',
        '- ## Statements: S-1, S-2, … One per line, one assertion each, with its kind:',
        '- claim: something said to be so (it is twice as fast);',
        '- assumption: what must be so for the reasons to hold, and nobody said. Find at least two: ask of each claim what would make it true and still useless;',
        '- constraint: a limit that is not up for choice (deadline, law, budget);',
        '- value: a preference (simple is better than fast).',
        "Split joined claims: 'fewer servers save money and prevent outages' is two statements. Quote the passage that a claim comes from; an assumption has none.",
        '- ## Chain: how the statements lead to the decision: S-1 and S-3, therefore S-6, therefore the decision. Mark each statement without which the decision falls.',
        '- ## Reversal: what it costs to undo the decision after a week, and after a year.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/01-structure.md',
            sections: [
              { title: 'Decision', minWords: 8 },
              { title: 'Statements', minItems: 5 },
              { title: 'Chain', minWords: 15 },
              { title: 'Reversal', minWords: 8 },
            ],
            ids: { pattern: STATEMENT, min: 5, max: 25 },
            quotes: 1,
          },
        ],
      },
    },
    {
      id: 'classify-verifiability',
      title: 'Classify Verifiability',
      actions: ({ params: { folder } }) => [
        `For each S of ${folder}/01-structure.md ask: what could I open, run, count or ask that would show it to be false?`,
        '| answer | class |',
        '|---|---|',
        '| a file, a command, a measurement, a document, a calculation | verifiable |',
        '| only the future or somebody else can tell | forecast |',
        '| it is a preference; reasonable people differ | judgment |',
        '| it is given, and somebody with the right to give it did | constraint |',
        '',
        `Write ${folder}/02-classes.md with these sections:`,
        '- ## Classes: one row per S: class | the source that would show it false | weight: decisive (the decision falls with it), supporting, or minor.',
        'A claim with a number, a comparison (faster, most, never) or a statement about this code is verifiable: do not class it as judgment because looking is work. A constraint without somebody who gave it is an assumption: class it as verifiable, and the source is that person.',
        '- ## Order: the decisive and verifiable ones first, then forecasts that are decisive, each with the earliest sign by which one would notice that it fails.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/02-classes.md',
            sections: [
              { title: 'Classes', minItems: 5 },
              { title: 'Order', minItems: 1 },
            ],
            references: [{ pattern: STATEMENT, to: '{folder}/01-structure.md', all: true }],
          },
        ],
      },
    },
    {
      id: 'generate-questions',
      title: 'Generate Questions',
      actions: ({ params: { folder } }) => [
        `Write the questions that will be answered instead of the claims: Q-1, Q-2, …, in the order of ${folder}/02-classes.md. One to three for each verifiable statement that is decisive or supporting; for a decisive forecast, one about its base rate or an earlier case.`,
        'Each can be answered by somebody who has never heard of the decision:',
        '- open and neutral: no word of praise or blame, no number from the claim in it;',
        '- about one fact, with the unit or form of the answer;',
        '- at least one per decisive statement looks for the opposite: when did this not hold?',
        "  Claim: 'The new store handles our load.' Bad: 'Can the store handle 5,000 writes per second?' Good: 'How many writes per second does benchmark X reach on hardware Y, and what fails first?' and 'What is our highest minute of the last 90 days?'",
        `Write ${folder}/03-questions.md with these sections:`,
        '- ## Questions: each with the statements it bears on, where to look, and what answer would count against them. Write that before you know the answer: it is the test.',
        formatOpenQuestionGuidance(),
      ],
      contract: {
        documents: [
          {
            path: '{folder}/03-questions.md',
            sections: [{ title: 'Questions', minItems: 3 }],
            ids: { pattern: QUESTION, min: 3, max: 30 },
            references: [{ pattern: STATEMENT, to: '{folder}/01-structure.md' }],
            minWords: 80,
            frozen: true,
          },
        ],
      },
    },
    {
      id: 'answer-questions',
      title: 'Answer the Questions',
      actions: ({ params: { folder } }) => [
        formatFactoredVerificationRationale(
          'Answer each question by itself, from its source, without going back to the decision: who has the conclusion before their eyes finds support for it. Compare only when all are answered.',
        ),
        `Read ${folder}/03-questions.md; leave ${folder}/01-structure.md and the statement closed. For each Q: open the source, run the command, do the calculation. Two sources for a decisive one, if there are two.`,
        `A passage from outside this project (a page, a measurement, an answer of a person): save it with its address and date in ${folder}/sources/, then quote it from there. What you only remember is no source: write 'from memory' and count it as uncertain.`,
        '',
        `Write ${folder}/04-answers.md with these sections:`,
        '- ## Answers: per Q: the answer, its quote or the command with its output, and how good the source is: direct, second-hand, from memory.',
        '- ## Comparison: now open 01-structure.md. Per verifiable S that is decisive or supporting: verified, refuted, partly (say which part) or uncertain, by which Q.',
        formatForbidden([
          'Do not soften a refutation because the decision might be right for another reason: that is judged in a later step.',
          'Do not mark a statement as verified by an answer that is from memory.',
        ]),
      ],
      contract: {
        documents: [
          {
            path: '{folder}/04-answers.md',
            sections: [
              { title: 'Answers', minWords: 60 },
              { title: 'Comparison', minItems: 2 },
            ],
            references: [
              { pattern: QUESTION, to: '{folder}/03-questions.md', all: true },
              { pattern: STATEMENT, to: '{folder}/01-structure.md' },
            ],
            quotes: 2,
          },
        ],
      },
    },
    {
      id: 'argue-against',
      title: 'Argue the Other Side',
      actions: ({ params: { folder } }) => [
        `Make the strongest honest case against the decision, from ${folder}/01-structure.md and ${folder}/04-answers.md. Write as somebody who will be blamed if it goes ahead and fails.`,
        `Write ${folder}/05-case-against.md with these sections:`,
        '- ## Case: the best argument first, three at most. Each names the statement it breaks (S) or the step of the chain that does not follow, its evidence (Q), and what happens to whom.',
        '- ## Failure: it is a year later and it failed. Tell how in six to ten sentences, with dates, the first sign, who saw it, and why nobody acted. Use the uncertain statements and the forecasts; invent no catastrophe that has no statement behind it.',
        '- ## Left out: who bears a cost and is not mentioned; what becomes harder later; which alternative was not compared.',
        '- ## Defence: for each argument the best reply that a supporter has, and whether it holds: answered, weakened, or stands.',
        'Arguments that would hit every decision of this kind (it takes time, people resist change) do not count.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/05-case-against.md',
            sections: [
              { title: 'Case', minWords: 60 },
              { title: 'Failure', minWords: 60 },
              { title: 'Left out', minItems: 1 },
              { title: 'Defence', minItems: 1 },
            ],
            ids: { pattern: STATEMENT, min: 2 },
            references: [
              { pattern: STATEMENT, to: '{folder}/01-structure.md' },
              { pattern: QUESTION, to: '{folder}/03-questions.md' },
            ],
          },
        ],
      },
    },
    {
      id: 'reframe',
      title: 'Reframe the Decision',
      actions: ({ params: { folder } }) => [
        `Set the decision of ${folder}/01-structure.md aside and look at what it is for.`,
        `Write ${folder}/06-alternatives.md with these sections:`,
        '- ## Aim: what should be better afterwards, for whom, and how one would measure it. One sentence that does not name the chosen solution.',
        '- ## Alternatives: at least three ways to the aim, as a table: | way | what it costs | which S it does without | what one knows after two weeks |. Among them: doing nothing; a smaller or reversible version of the decision; one that somebody with the opposite values would choose.',
        '- ## Question behind: is this the decision to make now? Check: is it forced by an earlier choice that could itself be undone? Could it wait until a forecast is known, and what does waiting cost? Does it settle two things that could be settled apart?',
        '- ## Best alternative: the one that does the most for the aim under the refuted and uncertain statements. If it is the decision itself, say which alternative came closest and why it loses.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/06-alternatives.md',
            sections: [
              { title: 'Aim', minWords: 12 },
              { title: 'Alternatives', minItems: 3 },
              { title: 'Question behind', minWords: 25 },
              { title: 'Best alternative', minWords: 20 },
            ],
            references: [{ pattern: STATEMENT, to: '{folder}/01-structure.md' }],
          },
        ],
      },
    },
    {
      id: 'verdict',
      title: 'Give the Verdict',
      actions: ({ params: { folder } }) => [
        `Weigh the documents in ${folder}. The rule, first row that fits:`,
        '| what was found | verdict |',
        '|---|---|',
        '| a decisive statement is refuted or an argument stands, and no change of the decision answers it | do not do it |',
        '| a decisive statement is uncertain and can be settled for less than the cost of being wrong | find out first |',
        '| a decisive statement is uncertain and cannot be settled beforehand | do it with changes: the smallest version that can be undone; if there is none, do not do it |',
        '| a statement or argument requires a change of the decision, and the changed one holds | do it with changes |',
        '| the decisive statements are verified, or are values and constraints of the person, and no argument stands | do it |',
        'Cheap reversal (see 01-structure.md) moves find out first towards do it; no reversal moves it the other way. Say so if you use this.',
        '',
        `Write ${folder}/07-verdict.md with these sections:`,
        '- ## Verdict: the verdict in its words, and the two or three reasons that decide it, with S and Q.',
        '- ## Changes or checks: what to change or to find out, by whom, until when, and the result that would turn the verdict.',
        '- ## Judgments: the values on which the person may differ, and what the verdict is if they do.',
        '- ## Watch: for each forecast the sign, the date to look, and what to do then.',
        '- ## Not checked: statements that stay uncertain or rest on memory.',
        'Show the person this document.',
        formatForbidden([
          'Do not give a verdict that the table does not give.',
          'Do not praise or soften: the person asked for a critique. Agreement needs the same evidence as disagreement.',
        ]),
      ],
      contract: {
        documents: [
          {
            path: '{folder}/07-verdict.md',
            sections: [
              { title: 'Verdict', minWords: 30 },
              { title: 'Changes or checks', minItems: 1 },
              { title: 'Judgments', minItems: 1 },
              { title: 'Watch', minItems: 1 },
              'Not checked',
            ],
            ids: { pattern: STATEMENT, min: 2 },
            references: [
              { pattern: STATEMENT, to: '{folder}/01-structure.md' },
              { pattern: QUESTION, to: '{folder}/03-questions.md' },
            ],
          },
        ],
      },
    },
  ],
});
