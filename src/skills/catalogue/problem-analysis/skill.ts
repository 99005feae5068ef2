// Owns the skill problem-analysis: goes from a symptom to its root cause, with rival hypotheses and evidence for and
// against each. It ends with a cause and what a solution must meet, and proposes no solution.

import { arg, defineSkill, formatForbidden, formatOpenQuestionGuidance } from '../../index.ts';
import { document } from '../document.ts';
import { investigationStep } from '../investigation-step.ts';

const HYPOTHESIS = '\\bH-\\d+\\b';
const EVIDENCE = '\\bE-\\d+\\b';

const INVESTIGATION = investigationStep('03-evidence.md', {
  sections: [{ title: 'Evidence', minWords: 60 }, { title: 'Standing', minItems: 3 }, 'Open', 'Confidence'],
  ids: { pattern: EVIDENCE, min: 3 },
  references: [{ pattern: HYPOTHESIS, to: '{folder}/02-hypotheses.md', all: true }],
  quotes: 2,
  texts: (folder) => ({
    first: [
      `Test the hypotheses of ${folder}/02-hypotheses.md. Do one check for each hypothesis before a second check for any, the cheapest and most decisive first. Before each check, write down what you will see if the hypothesis is true, and what if it is false; then look.`,
      'First reproduce the symptom: with a command, an input or a test. If you cannot, say what you tried; logs, data and code are then the evidence.',
    ],
    sure: [
      `You said that you are sure. Check ${folder}/03-evidence.md before you go on: open every cited place again, and correct or strike each entry that its place does not support.`,
      'Name the best remaining rival and the evidence that rules it out. If there is no such evidence, do the check that would give it now.',
    ],
    noRepetition: 'Do not repeat its checks.',
    medium:
      '1. Attack the leading hypothesis. What else would produce the same evidence? Do the one check that distinguishes it from its best rival: change only the suspected cause and watch the symptom, or find a case that has the cause but not the symptom.',
    low: '1. No hypothesis leads yet. Cut the space in half: a good and a bad revision (`git bisect`), input, machine or configuration; or the middle of the path from input to symptom: is the value still right there?',
    tasks: [
      '2. Explain the facts of 01-problem.md that no hypothesis explains. If all hypotheses fail, add new ones here, N-1, N-2, …, with mechanism and prediction.',
      '3. Drop a hypothesis only because of evidence, never because another one looks better.',
    ],
    last: 'Under Open, write what is not settled and which check would settle it.',
    sections: [
      '- ## Evidence: E-1, E-2, … Each: the check (command, file, query), what you expected, what you saw with a quote, and for each hypothesis it affects: supports, refutes or neutral. Evidence that all hypotheses predict is neutral.',
      `  Save command output and log passages in ${folder}/evidence/, and quote from there.`,
      '- ## Standing: one row per H and N: open, supported or refuted | by which E | what is missing.',
      '- ## Open: facts without an explanation, and checks that were not possible.',
      '- ## Confidence: medium: one hypothesis is supported and explains the symptom. high: also, evidence refutes its rivals. certain: also, the symptom comes and goes with the cause.',
    ],
  }),
});

/** The skill problem-analysis. */
export default defineSkill({
  name: 'problem-analysis',
  description:
    'Finds the root cause of a problem with rival hypotheses and evidence. Use it when something fails, is slow or behaves oddly and the cause is not known, or when a fix did not last. Invoke it immediately; do not propose a fix first.',
  params: {
    problem: arg({ type: 'string', default: 'the problem that the person described', description: 'what is wrong, in a sentence or two' }),
    folder: arg({ type: 'string', default: 'notes/problem-analysis', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'frame',
      title: 'Frame the Problem',
      actions: ({ params: { problem, folder } }) => [
        `The problem: ${problem}`,
        '',
        'Describe what is observed; explain nothing yet. Read what the person provided (messages, logs, issues, screenshots) and look at the place where the problem shows.',
        `Write ${folder}/01-problem.md with these sections:`,
        '- ## Report: the words of the person or the log, copied.',
        '- ## Observed and expected: two lists: what happens (exact message, value, duration, how often), and what should happen, with the source of that expectation: document, test, earlier behaviour, or what the person says.',
        '- ## Boundary: a table with a row each for what, where, when, how much: | it happens | it could happen but does not |. The difference between the two columns is the best lead. Look for it: other inputs, versions, machines, users; the last change before it began (`git log --since`). Write unknown rather than guess.',
        '- ## Statement: one sentence: [subject] does [deviation] when [condition], instead of [expected]. It names no cause and no solution.',
        "  Good: 'Uploads over 10 MB end with 502 after 60 s since release 4.2; smaller ones do not.'",
        "  Bad: 'The proxy timeout is too low.' That is a cause, and a solution in disguise.",
        '- ## Other symptoms: if two symptoms can appear without each other, list them and say which one you analyse. "None" is an answer.',
        formatForbidden(['Do not change the system, except to observe it.']),
      ],
      contract: document('{folder}/01-problem.md', {
        sections: [
          'Report',
          { title: 'Observed and expected', minItems: 2 },
          { title: 'Boundary', minItems: 4 },
          { title: 'Statement', minWords: 10 },
          'Other symptoms',
        ],
        minWords: 80,
      }),
    },
    {
      id: 'hypothesize',
      title: 'Form Hypotheses',
      actions: ({ params: { folder } }) => [
        `Read ${folder}/01-problem.md. Write three to six hypotheses, H-1, H-2, …, before you test any: the first idea fits the symptom well because you derived it from the symptom.`,
        'Take them from at least two of these areas: the code path; data and its history; configuration and environment; time, order and concurrency; a dependency or its version; the expectation itself (it works as it was specified); the measurement (the symptom is not real).',
        '',
        'One heading per hypothesis, with:',
        '- Claim: a cause, in one sentence that can be false.',
        '- Mechanism: the steps from the cause to the symptom, each with the file, component or person that does it.',
        '- Explains: which rows of the boundary it explains, including why it does not happen elsewhere; and which rows it does not explain.',
        '- Predicts: something not observed yet that must be there if it is true and would be surprising if it is false.',
        '- Check: the cheapest way to look for the prediction, and its cost.',
        '',
        'A hypothesis without its own prediction only rewords another one: merge it. Two that predict the same are one.',
        `Write ${folder}/02-hypotheses.md with these sections:`,
        '- ## Order: the order of the checks: first those that rule out the most for the least cost.',
      ],
      contract: document('{folder}/02-hypotheses.md', {
        sections: [{ title: 'Order', minWords: 8 }],
        ids: { pattern: HYPOTHESIS, min: 3, max: 6 },
        minWords: 150,
        frozen: true,
      }),
    },
    INVESTIGATION,
    {
      id: 'formulate',
      title: 'Formulate the Cause',
      actions: ({ params: { folder } }) => [
        `From ${folder}/03-evidence.md, write the chain from the symptom back to the cause.`,
        `Write ${folder}/04-cause.md with these sections:`,
        '- ## Chain: numbered from the symptom down: this happens because of that. Each link names its evidence (E-4) or is marked assumed. Keep asking why as long as somebody here could change the answer; stop at a law of nature, an outside party or a wish.',
        '- ## Root cause: one sentence. Test it with these questions and write down the answers:',
        '- If it were removed, what would happen to the symptom? To each row of the boundary?',
        '- Where is the cause present without the symptom? Why is it harmless there?',
        '- Is it the absence of your favourite solution (there is no cache, no retry)? Then it is not a cause: ask what makes the solution necessary.',
        '- Is it a person (somebody forgot)? Ask what let the mistake through.',
        '- ## Contributing: what else had to be the case, and why it was not caught earlier: the missing test, check or alarm.',
        '- ## Ruled out: each refuted H and N with the evidence against it. List one that is still open as open.',
        '',
        'If the confidence in 03-evidence.md is below high, begin Root cause with "Most likely" and name the remaining rival.',
        formatOpenQuestionGuidance(),
      ],
      contract: document('{folder}/04-cause.md', {
        sections: [
          { title: 'Chain', minItems: 2 },
          { title: 'Root cause', minWords: 30 },
          'Contributing',
          { title: 'Ruled out', minItems: 1 },
        ],
        ids: { pattern: EVIDENCE, min: 2 },
        references: [
          { pattern: EVIDENCE, to: '{folder}/03-evidence.md' },
          { pattern: HYPOTHESIS, to: '{folder}/02-hypotheses.md', all: true },
        ],
      }),
    },
    {
      id: 'report',
      title: 'Report',
      actions: ({ params: { folder } }) => [
        `Write what the person needs to know to decide what to do, from ${folder}/01-problem.md and ${folder}/04-cause.md. One page.`,
        `Write ${folder}/05-report.md with these sections:`,
        '- ## Cause: two or three sentences: what causes the symptom, how sure you are, and the evidence for it (E numbers), with the most convincing quote.',
        '- ## How to see it: the shortest steps that show cause and symptom, so that somebody else can repeat them.',
        '- ## What a solution must do: criteria, each testable and drawn from the chain: what must no longer happen, what must keep working, what must be noticed next time. Then: at which links of the chain a solution can act, and what it gives up there.',
        '- ## Not known: open points, and what changes depending on how they turn out.',
        '- ## Unchanged: what you did to the system while investigating, and that you have undone it.',
        'Show the person this report.',
        formatForbidden([
          'Do not design or apply a fix: criteria, not solutions.',
          'Do not state more certainty than 03-evidence.md does.',
        ]),
      ],
      contract: document('{folder}/05-report.md', {
        sections: [
          { title: 'Cause', minWords: 25 },
          { title: 'How to see it', minItems: 1 },
          { title: 'What a solution must do', minItems: 2 },
          'Not known',
          'Unchanged',
        ],
        ids: { pattern: EVIDENCE, min: 1 },
        references: [{ pattern: EVIDENCE, to: '{folder}/03-evidence.md' }],
        quotes: 1,
      }),
    },
  ],
});
