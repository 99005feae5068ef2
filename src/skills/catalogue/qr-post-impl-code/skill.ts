// Reviews code against the plan that it implements.

import { IMPLEMENTATION } from '../planner-reviews.ts';
import { executorParams } from '../planner-workers.ts';
import { could, must, reviewSkill, should } from '../review-skill.ts';

/** The skill that sends sub-agents here. */
export const partOf = 'planner-executor';

/** The reviewer of an implementation. */
export default reviewSkill({
  ...IMPLEMENTATION,
  description: 'Reviews an implementation against its plan by running it. The skill planner-executor sends a quality-reviewer to it.',
  params: executorParams,
  before: ({ folder, plan }) =>
    `Read the requirements, intents, acceptance checks and decisions in ${plan} and the baseline commit in ${folder}/02-baseline.md. Of the implementation, read only the file names: git diff --stat BASELINE.`,
  criteria: [
    must('each acceptance check', 'What does it print and return when you run it?'),
    must('each R', 'Which command or call shows it from the outside?'),
    must('each I', 'At which path:line is it, and what does it do in each error case that the intent names?'),
    must('each new test', 'Which line of the code, if broken, makes it fail?'),
    must('each changed file', 'Which change of the plan or recorded deviation is it part of?'),
    must('tests that existed', 'Which were deleted, skipped, loosened or given different expectations, and why?'),
    must('the whole', 'How do the failures of the whole test run differ from the baseline?'),
    must('input from outside', 'What happens with a hostile value?'),
    should('each deviation', 'Does its reason hold, and do the plan’s decisions still hold?'),
    should('each changed file', 'What was left behind: debug output, TODO, dead code, a second copy of logic?'),
    should('each rollback', 'Would the rollback that the plan gives still work?'),
    could('each changed file', 'Which name misleads?'),
  ],
  good: '"What does the M-2 check npx vitest run src/range return?", look "run it", passes_if "exit 0 and the case an empty range is rejected is listed".',
  bad: '"Does the implementation follow the plan?"',
  looking: ({ params }) => [
    `Run every acceptance check yourself, and ${params.test} once; the journal of the implementer is not evidence. For a new test: break the line that it protects, run it, see it fail, restore the line (git diff must be as before). Evidence of a run is its command, exit code and the deciding line.`,
  ],
  quoted: 'from the code, the tests or the project’s rules',
  refutations: [
    'An acceptance check that passes because it found no tests, or from a cache.',
    'A requirement that works in the test and not through the entry point that people use.',
    'A changed expectation that makes a regression look intended.',
    'An error path that was never run: run it.',
    'The second call, the empty input, two at once, a path with a space.',
    'A file in the diff that no change mentions, or a change with nothing in the diff.',
  ],
});
