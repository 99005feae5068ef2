// Reviews the comments and documents of a plan after the technical writer.

import { PLAN_DOCS } from '../planner-reviews.ts';
import { could, must, reviewSkill, should } from '../review-skill.ts';

/** The skill that sends sub-agents here. */
export const partOf = 'planner';

/** The reviewer of the comments and documents of a plan. */
export default reviewSkill({
  ...PLAN_DOCS,
  description:
    'Reviews the comments and documents in a plan and its diffs: true, timeless, and where a reader looks. The skill planner sends a quality-reviewer to it.',
  before: ({ folder }) =>
    `Read the decisions and intents in ${folder}/plan.json and how the project documents itself (its README, one commented source file, its list of documents). Open no diff yet.`,
  criteria: [
    must('each diff', 'Which comment says something that the code beside it does not do?'),
    must('each diff', 'Which added text tells the history of the code ("now", "no longer", "was", "new", "instead of")?'),
    must('each diff', 'Which added text needs the plan or the conversation to be understood (ids such as M-1, "as requested")?'),
    must('each user-visible change', 'Which document, help text or changelog describes it, and which change edits that?'),
    must('each D with a reason code cannot show', 'At which line will a maintainer find the reason?'),
    must('each removed or renamed name', 'Which document still uses the old one?'),
    should('each diff', 'Which comment repeats the code?'),
    should('each new export, option, setting', 'Where are its meaning, unit, default and error documented?'),
    should('each example in a document', 'Does it run as it stands, and is its output what is shown?'),
    should('plan.md', 'Where does it differ from plan.json?'),
    could('each diff', 'Which sentence could a newcomer misread?'),
  ],
  good: '"Which added lines of 03-C-4.diff tell history?", look "its lines that begin with +", passes_if "no comment or document line does".',
  bad: '"Are the comments good?"',
  looking: ({ params }) => [
    `In ${params.folder}/diffs/*.diff, read only the added lines as text to review, and the code around them to see whether the text is true. Search them for: now, new, old, was, were, no longer, anymore, previously, instead, changed, added, removed, fixed, refactored, [A-Z]-[0-9]. A hit is a question, not yet a fail: "returns a new list" is fine.`,
  ],
  quoted: 'from the diffs or the project',
  refutations: [
    'History without its usual words: "handles the case where two runs collide after the cache was introduced".',
    'A comment that is right for the old code and was left unchanged beside changed code.',
    'A doc comment whose parameter, default or error differs from the signature.',
    'A reason that is a claim ("for performance") without the fact behind it.',
    'A document elsewhere that describes the same thing: search for its nouns.',
  ],
});
