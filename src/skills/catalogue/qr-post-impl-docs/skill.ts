// Reviews documents and comments against the code that was implemented.

import { DOCUMENTATION } from '../planner-reviews.ts';
import { executorParams } from '../planner-workers.ts';
import { reviewSkill } from '../review-skill.ts';

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
    {
      per: 'each user-visible change',
      severity: 'MUST',
      question: 'Which document says it, and what would a user who read only that try?',
    },
    { per: 'each changed document', severity: 'MUST', question: 'Which statement differs from the code, line by line?' },
    { per: 'each command or example shown', severity: 'MUST', question: 'What does it do when you run it?' },
    { per: 'each removed or renamed name', severity: 'MUST', question: 'Where is the old one still used?' },
    { per: 'each changed source file', severity: 'MUST', question: 'Which comment is false?' },
    { per: 'changed texts', severity: 'MUST', question: 'Which sentence tells history or names the plan (ids, "now", "was", "new")?' },
    { per: 'changelog, if there is one', severity: 'MUST', question: 'Which line tells a user what to do differently?' },
    { per: 'each D with a reason code cannot show', severity: 'SHOULD', question: 'At which line does a maintainer find it?' },
    { per: 'indexes, maps, tables of contents', severity: 'SHOULD', question: 'Which new or removed file do they miss?' },
    { per: 'each new option, setting, error', severity: 'SHOULD', question: 'Where are its meaning, default, unit and remedy documented?' },
    { per: 'changed documents', severity: 'COULD', question: 'What is said twice?' },
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
