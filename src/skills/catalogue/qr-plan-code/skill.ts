// Reviews the diffs of a plan before they are applied.

import { PLAN_CODE } from '../planner-reviews.ts';
import { could, must, reviewSkill, should } from '../review-skill.ts';

/** The skill that sends sub-agents here. */
export const partOf = 'planner';

/** The reviewer of the diffs of a plan. */
export default reviewSkill({
  ...PLAN_CODE,
  description: 'Reviews the diffs of a plan against its intents and the code. The skill planner sends a quality-reviewer to it.',
  before: ({ folder }) =>
    `Read the intents, decisions and acceptance checks in ${folder}/plan.json, the rules of the project (AGENTS.md, README, lint configuration), and the conventions that pawl skill resource structural and pawl skill resource intent-markers print. Of the changes read ids and file names only; open no diff yet.`,
  criteria: [
    must('all changes in order', 'What does git apply --check say?'),
    must('each I', 'Which lines of which change do it, and which part of it has no line?'),
    must('each I with error paths', 'Which line handles each one, and what does the caller see?'),
    must('each new name used', 'Where is it defined or imported, with which signature?'),
    must('each changed signature', 'Which callers exist, and which change adapts each?'),
    must('each test in a diff', 'What does it assert, and which line, if removed, makes it fail?'),
    must('each value from outside', 'Where is it checked before it reaches a path, query, command or page?'),
    should('each C', 'Which lines serve no intent?'),
    should('each C', 'Which smell of the structural convention reaches its limit? Does something in the project already do this?'),
    should('each C', 'How do names, error style and layout differ from the code around it?'),
    should('shared state, I/O, loops', 'What happens if it runs twice at once, is interrupted, or gets a thousand times more data?'),
    could('each deliberate deviation', 'Which intent marker gives the reason, and does its check hold?'),
  ],
  good: '"Who calls parseRange, whose signature C-3 changes?", look "search parseRange(", passes_if "each of the callers found has a change".',
  bad: '"Is C-3 correct?"',
  looking: ({ params }) => [
    `Run: cat ${params.folder}/diffs/*.diff | git apply --check. Then read each diff together with the file it changes: the mistake is often in the lines that the diff leaves out. To run the tests on it, apply the diffs in a copy of the project (git worktree add --detach in a temporary folder) and remove the copy.`,
  ],
  quoted: 'from the diffs or the project',
  refutations: [
    'A caller that reaches the symbol in another way: re-export, string, configuration, dynamic import, template.',
    'A test that passes with the old code too, or that asserts what its own mock returns.',
    'An error that is caught, logged and then treated as success.',
    'Two changes to one file, where the second assumes the state before the first.',
    'The empty, the single, the duplicate, the very long and the non-ASCII input.',
    'A resource that stays open when the middle of the function throws.',
  ],
});
