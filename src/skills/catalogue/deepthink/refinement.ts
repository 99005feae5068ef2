// Steps 12 and 13 of `deepthink`: the first draft of the answer, and the rounds in which its claims are checked. What they
// say depends on the mode, on the round and on how sure the agent is.

import type { Confidence, Guidance, SkillContext } from '../../index.ts';

/** What the first draft is made of: the reports, or in quick mode the agent's own answers. */
export function synthesis({ params: { folder, mode } }: SkillContext): readonly string[] {
  const sources =
    mode === 'quick'
      ? [
          `Answer the sub-questions of ${folder}/05-plan.md yourself, in their order, by the method planned for each. Look up and run whatever you can; mark what you recall as assumed. Then draft the answer in ${folder}/12-synthesis.md:`,
        ]
      : [
          `Draft the answer in ${folder}/12-synthesis.md from ${folder}/11-comparison.md. Where the agents differ, decide by the crux, not by splitting the difference; a position that only one agent holds may be the right one.`,
        ];
  return [
    ...sources,
    '- Answer: what you would tell the person now, in three sentences at most.',
    '- Reasons: a row per sub-question: Q-n, its answer, the evidence with its source, and established, argued or assumed. Every sub-question has a row; for one that you could not answer, say so and say how the answer manages without it.',
    '- Against: the two strongest objections, as those who hold them would put them, and what each would have to show to win.',
    '- Confidence: a probability, and the one claim that would lower it most if it were false.',
    'Judge the draft by the standard of proof in 03-kind.md. If it only restates the first guess of 05-plan.md, name what would have made you abandon that guess, and whether you looked for it.',
  ];
}

const SETTLED: readonly Confidence[] = ['high', 'certain'];
const LAST_ROUND = 5;

/** What a round of checking does: first all claims that carry the answer, then what is still unknown, at last no more checks. */
export function refinement({ params: { folder }, confidence, iteration }: SkillContext): Guidance {
  const complete = confidence === 'certain' ? ' -> Complete' : '';
  return {
    title: `Iterative Refinement (Iteration ${iteration})${complete}`,
    actions: SETTLED.includes(confidence) ? settle(String(folder)) : check(String(folder), confidence, iteration),
  };
}

function settle(folder: string): string[] {
  return [
    `No further checks. Read Current answer in ${folder}/13-refinement.md once against 01-question.md: does it answer the question as asked, in the form that was wanted?`,
    'Move every claim that no check supports to Still open, and lower the confidence in the text accordingly. Change nothing else.',
  ];
}

function check(folder: string, confidence: Confidence, iteration: number): string[] {
  return [
    ...aim(folder, confidence, iteration),
    "Write each check as an open question, V-1, V-2 … (keep counting from round to round), that can be answered without knowing the draft: 'what does it return for an empty list?', not 'does it handle empty lists?'.",
    'Then put the draft away and answer each question from its source: open the file, run the command, do the calculation. Write the answer and the source before you compare.',
    'Compare: holds, wrong, or unknown. Rewrite Current answer as a whole where a claim was wrong; move what stays unknown to Still open.',
    iteration >= LAST_ROUND
      ? 'This is the last round: what is unknown after it stays in Still open and counts against the confidence.'
      : 'How sure you are: low if a check of this round changed the answer; medium if a claim that it depends on is unknown; high if all of these claims hold by a source other than your own reasoning; certain if a serious attempt to refute it has also failed. A round that changed the answer cannot end with high.',
  ];
}

function aim(folder: string, confidence: Confidence, iteration: number): string[] {
  if (iteration === 1)
    return [
      `Copy the answer of ${folder}/12-synthesis.md to ${folder}/13-refinement.md under Current answer. List under Checks every claim that would change it if it were false: numbers, causes, 'always' and 'never', what people want, unstated assumptions. Check all of them.`,
    ];
  const again = `Round ${iteration} of at most ${LAST_ROUND} on ${folder}/13-refinement.md. Do not repeat a question of an earlier round.`;
  if (confidence === 'medium')
    return [
      again,
      'Now attack what holds: the objection that the best-informed opponent would raise; the edge case (none, very many, the opposite condition); and the inversion: if the answer turns out wrong in a year, what is the most likely reason?',
    ];
  return [
    again,
    'Take the claims that are unknown, and those that the last change introduced. Use a different source or method than before: where reading did not settle it, measure; where reasoning did not, find a case.',
  ];
}
