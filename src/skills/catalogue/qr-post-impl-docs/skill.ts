// Reviews documents and comments against the code that was implemented.

import { DOCUMENTATION } from '../planner-reviews.ts';
import { executorParams } from '../planner-workers.ts';
import { could, must, reviewSkill, should } from '../review-skill.ts';

/** The skill that sends sub-agents here. */
export const partOf = 'planner-executor';

/** The reviewer of the documents of an implementation. */
export default reviewSkill({
  ...DOCUMENTATION,
  description:
    'Reviews documents and comments against the code after an implementation. The skill planner-executor sends a quality-reviewer to it.',
  params: executorParams,
  before: ({ folder, plan }) =>
    `Read the requirements and decisions in ${plan}, the code that changed since the baseline commit in ${folder}/02-baseline.md, and the list of the project’s documents. Read the documents themselves in the next step.`,
  criteria: [
    must('each user-visible change', 'Which document says it, and what would a user who read only that try?'),
    must('each changed document', 'Which statement differs from the code, line by line?'),
    must('each command or example shown', 'What does it do when you run it?'),
    must('each removed or renamed name', 'Where is the old one still used?'),
    must('each changed source file', 'Which comment is false?'),
    must('changed texts', 'Which sentence tells history or names the plan (ids, "now", "was", "new")?'),
    must('changelog, if there is one', 'Which line tells a user what to do differently?'),
    should('each D with a reason code cannot show', 'At which line does a maintainer find it?'),
    should('indexes, maps, tables of contents', 'Which new or removed file do they miss?'),
    should('each new option, setting, error', 'Where are its meaning, default, unit and remedy documented?'),
    could('changed documents', 'What is said twice?'),
  ],
  good: '"What does the install command in README.md line 12 do?", look "run it in an empty folder", passes_if "it ends with 0 and prints the version".',
  bad: '"Is the README up to date?"',
  looking: () => [
    'For a statement, find the line of code that makes it true and give both places. Run each command in a temporary folder. Search the whole project for an old name, including documents, comments and examples. If a document should exist but does not, the item that asks for it fails.',
  ],
  quoted: 'from the documents and the code',
  refutations: [
    'A statement that is true of the plan but not of the code: start with the deviations in the journal.',
    'A default or limit in the text that differs from the constant.',
    'An example that works only in the folder of its author.',
    'A document that nobody changed although its subject changed: search for its nouns.',
    'A comment above a changed line that still describes the old line.',
  ],
});
