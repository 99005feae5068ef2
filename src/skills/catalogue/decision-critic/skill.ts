// Owns the skill decision-critic: takes a decision apart into statements, checks those that can be checked without looking
// at the conclusion, argues the other side, and ends with a verdict that says what would change it.

import { arg, defineSkill, formatFactoredVerificationRationale, formatForbidden, formatOpenQuestionGuidance } from '../../index.ts';
import { document } from '../document.ts';

const STATEMENT = '\\bS-\\d+\\b';
const QUESTION = '\\bQ-\\d+\\b';

/** The skill decision-critic. */
export default defineSkill({
  name: 'decision-critic',
  description:
    'Tests a decision before it is acted on: takes its reasons apart, verifies what can be verified, argues against it, and gives a verdict. Use it when somebody has a plan, a choice of technology or an architecture decision and wants it challenged. Invoke it immediately; do not give an opinion first.',
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
        `Save what the person wrote about it, unchanged, in ${folder}/sources/statement.md, with the paths of the documents they refer to. Then take it apart. Do not judge it yet.`,
        `Write ${folder}/01-structure.md with these sections:`,
        '- ## Decision: one sentence: who does what, instead of what, by when. If the alternative is not stated, write: instead of leaving things as they are.',
        '- ## Statements: S-1, S-2, … One per line, one assertion each, with its kind:',
        '- claim: something stated as a fact (it is twice as fast);',
        '- assumption: something nobody said that must be true for the reasons to hold. Find at least two: for each claim, ask what would make it true but useless;',
        '- constraint: a limit that nobody here can choose (deadline, law, budget);',
        '- value: a preference (simple is better than fast).',
        "Split joined claims: 'fewer servers save money and prevent outages' is two statements. Quote the passage that a claim comes from; an assumption has none.",
        '- ## Chain: how the statements lead to the decision: S-1 and S-3, therefore S-6, therefore the decision. Mark each statement that the decision cannot stand without.',
        '- ## Reversal: what it costs to undo the decision after a week, and after a year.',
      ],
      contract: document('{folder}/01-structure.md', {
        sections: [
          { title: 'Decision', minWords: 8 },
          { title: 'Statements', minItems: 5 },
          { title: 'Chain', minWords: 15 },
          { title: 'Reversal', minWords: 8 },
        ],
        ids: { pattern: STATEMENT, min: 5, max: 25 },
        quotes: 1,
      }),
    },
    {
      id: 'classify-verifiability',
      title: 'Classify Verifiability',
      actions: ({ params: { folder } }) => [
        `For each S of ${folder}/01-structure.md ask: what could I open, run, count or ask that would prove it false?`,
        '| answer | class |',
        '|---|---|',
        '| a file, a command, a measurement, a document, a calculation | verifiable |',
        '| only the future or somebody else can tell | forecast |',
        '| it is a preference; reasonable people differ | judgment |',
        '| it is a limit, set by somebody with the authority to set it | constraint |',
        '',
        `Write ${folder}/02-classes.md with these sections:`,
        '- ## Classes: one row per S: class | the source that would prove it false | weight: decisive (without it the decision fails), supporting, or minor.',
        'A claim with a number, a comparison (faster, most, never) or a statement about this code is verifiable: do not class it as judgment because looking is work. A constraint without somebody who gave it is an assumption: class it as verifiable, and the source is that person.',
        '- ## Order: the decisive and verifiable ones first, then forecasts that are decisive, each with the earliest sign by which one would notice that it fails.',
      ],
      contract: document('{folder}/02-classes.md', {
        sections: [
          { title: 'Classes', minItems: 5 },
          { title: 'Order', minItems: 1 },
        ],
        references: [{ pattern: STATEMENT, to: '{folder}/01-structure.md', all: true }],
      }),
    },
    {
      id: 'generate-questions',
      title: 'Generate Questions',
      actions: ({ params: { folder } }) => [
        `Write the questions that will be answered instead of the claims: Q-1, Q-2, …, in the order of ${folder}/02-classes.md. One to three for each verifiable statement that is decisive or supporting; for a decisive forecast, one about its base rate or an earlier case.`,
        'Somebody who has never heard of the decision must be able to answer each one:',
        '- open and neutral: no praise, no blame, and no number from the claim;',
        '- about one fact, with the unit or form of the answer;',
        '- at least one per decisive statement looks for the opposite: when did this not hold?',
        "  Claim: 'The new store handles our load.' Bad: 'Can the store handle 5,000 writes per second?' Good: 'How many writes per second does benchmark X reach on hardware Y, and what fails first?' and 'What is our highest minute of the last 90 days?'",
        `Write ${folder}/03-questions.md with these sections:`,
        '- ## Questions: each with the statements it bears on, where to look, and what answer would count against them. Write that before you know the answer: it is the test.',
        formatOpenQuestionGuidance(),
      ],
      contract: document('{folder}/03-questions.md', {
        sections: [{ title: 'Questions', minItems: 3 }],
        ids: { pattern: QUESTION, min: 3, max: 30 },
        references: [{ pattern: STATEMENT, to: '{folder}/01-structure.md' }],
        minWords: 80,
        frozen: true,
      }),
    },
    {
      id: 'answer-questions',
      title: 'Answer the Questions',
      actions: ({ params: { folder } }) => [
        formatFactoredVerificationRationale(
          'Answer each question by itself, from its source, without going back to the decision: whoever has the conclusion in mind finds support for it. Compare only when all are answered.',
        ),
        `Read ${folder}/03-questions.md; leave ${folder}/01-structure.md and the statement closed. For each Q: open the source, run the command, do the calculation. Use two sources for a decisive question, if there are two.`,
        `Save a passage from outside this project (a page, a measurement, a reply from a person) with its address and date in ${folder}/sources/, then quote it from there. Your memory is not a source: write 'from memory' and count the answer as uncertain.`,
        '',
        `Write ${folder}/04-answers.md with these sections:`,
        '- ## Answers: per Q: the answer, its quote or the command with its output, and how good the source is: direct, second-hand, from memory.',
        '- ## Comparison: now open 01-structure.md. For each verifiable S that is decisive or supporting: verified, refuted, partly (say which part) or uncertain, and by which Q.',
        formatForbidden([
          'Do not soften a refutation because the decision might be right for another reason: a later step judges that.',
          'Do not mark a statement as verified by an answer from memory.',
        ]),
      ],
      contract: document('{folder}/04-answers.md', {
        sections: [
          { title: 'Answers', minWords: 60 },
          { title: 'Comparison', minItems: 2 },
        ],
        references: [
          { pattern: QUESTION, to: '{folder}/03-questions.md', all: true },
          { pattern: STATEMENT, to: '{folder}/01-structure.md' },
        ],
        quotes: 2,
      }),
    },
    {
      id: 'argue-against',
      title: 'Argue the Other Side',
      actions: ({ params: { folder } }) => [
        `Make the strongest honest case against the decision, from ${folder}/01-structure.md and ${folder}/04-answers.md. Write as somebody who will be blamed if it goes ahead and fails.`,
        `Write ${folder}/05-case-against.md with these sections:`,
        '- ## Case: the best argument first, three at most. Each names the statement (S) that it refutes or the step of the chain that does not follow, its evidence (Q), and who is harmed and how.',
        '- ## Failure: a year has passed and the decision has failed. Describe how in six to ten sentences, with dates, the first sign, who saw it, and why nobody acted. Use the uncertain statements and the forecasts; do not invent a catastrophe that no statement supports.',
        '- ## Left out: who bears a cost but is not mentioned; what becomes harder later; which alternative was not compared.',
        '- ## Defence: for each argument, the best reply of a supporter, and what it does to the argument: answered, weakened, or stands.',
        'Arguments that apply to every decision of this kind (it takes time, people resist change) do not count.',
      ],
      contract: document('{folder}/05-case-against.md', {
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
      }),
    },
    {
      id: 'reframe',
      title: 'Reframe the Decision',
      actions: ({ params: { folder } }) => [
        `Set the decision of ${folder}/01-structure.md aside and look at what it is for.`,
        `Write ${folder}/06-alternatives.md with these sections:`,
        '- ## Aim: what should be better afterwards, for whom, and how to measure it. One sentence that does not name the chosen solution.',
        '- ## Alternatives: at least three ways to the aim, as a table: | way | what it costs | which S it does not need | what you know after two weeks |. Include: doing nothing; a smaller or reversible version of the decision; one that somebody with the opposite values would choose.',
        '- ## Question behind: is this the decision to make now? Check: is it forced by an earlier choice that could itself be undone? Could it wait until a forecast is known, and what does waiting cost? Does it combine two decisions that could be made separately?',
        '- ## Best alternative: the one that does the most for the aim, given the refuted and uncertain statements. If it is the decision itself, say which alternative came closest and why it loses.',
      ],
      contract: document('{folder}/06-alternatives.md', {
        sections: [
          { title: 'Aim', minWords: 12 },
          { title: 'Alternatives', minItems: 3 },
          { title: 'Question behind', minWords: 25 },
          { title: 'Best alternative', minWords: 20 },
        ],
        references: [{ pattern: STATEMENT, to: '{folder}/01-structure.md' }],
      }),
    },
    {
      id: 'verdict',
      title: 'Give the Verdict',
      actions: ({ params: { folder } }) => [
        `Weigh the documents in ${folder}. The first row that fits decides:`,
        '| what was found | verdict |',
        '|---|---|',
        '| a decisive statement is refuted or an argument stands, and no change to the decision answers it | do not do it |',
        '| a decisive statement is uncertain, and finding out costs less than being wrong | find out first |',
        '| a decisive statement is uncertain, and nobody can find out beforehand | do it with changes: the smallest version that can be undone; if there is none, do not do it |',
        '| a statement or argument requires a change to the decision, and the changed decision holds | do it with changes |',
        '| the decisive statements are verified, or are values and constraints of the person, and no argument stands | do it |',
        'If the decision is cheap to reverse (see 01-structure.md), "find out first" can become "do it"; if it cannot be reversed, "do not do it". State it if you use this.',
        '',
        `Write ${folder}/07-verdict.md with these sections:`,
        '- ## Verdict: the verdict as the table words it, and the two or three reasons that decide it, with S and Q.',
        '- ## Changes or checks: what to change or to find out, who does it, by when, and the result that would change the verdict.',
        '- ## Judgments: the values on which the person may disagree, and the verdict if they do.',
        '- ## Watch: for each forecast, the sign to watch for, the date to check, and what to do then.',
        '- ## Not checked: statements that remain uncertain or rest on memory.',
        'Show the person this document.',
        formatForbidden([
          'Give only a verdict that the table gives.',
          'Do not praise or soften: the person asked for a critique. Agreement needs the same evidence as disagreement.',
        ]),
      ],
      contract: document('{folder}/07-verdict.md', {
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
      }),
    },
  ],
});
