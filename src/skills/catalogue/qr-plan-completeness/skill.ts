// Reviews whether a plan is complete: nothing is missing, and a stranger could carry it out.

import { COMPLETENESS } from '../planner-reviews.ts';
import { must, reviewSkill, should } from '../review-skill.ts';

/** The skill that sends sub-agents here. */
export const partOf = 'planner';

/** The reviewer of a plan. */
export default reviewSkill({
  ...COMPLETENESS,
  description: 'Reviews whether a plan is complete before any diff is written. The skill planner sends a quality-reviewer to it.',
  before: ({ folder }) =>
    `Read the request and the requirements in ${folder}/01-context.md and the decisions in ${folder}/03-decisions.md. In ${folder}/plan.json read only ids, titles and file names: the items must ask what the request needs, not what the plan offers.`,
  criteria: [
    must('each R', 'Which intent delivers it, and which acceptance check fails without it?'),
    must('each M', 'Which command accepts it, with which result, and does that command fail today?'),
    must('each M', 'Which test, by file and case, is new, and would it fail without the change?'),
    must('each I', 'What happens with bad input, a missing thing, a failing dependency, a second call?'),
    must('each file named', 'Do the file and the named symbols exist, or does the plan say that they are new?'),
    must('stored data, formats, APIs', 'What happens to data and callers of the old form?'),
    must('input from outside', 'What is validated, who is allowed, what reaches a path, query or command?'),
    must('order of M', 'Is the project buildable and tested after each one?'),
    should('each M', 'How is it undone once it is out, and what cannot be?'),
    should('unstated needs', 'What else changes: help, config, limits, concurrency, logs, docs?'),
    should('each D', 'Which fact supports it, what was rejected, which intent uses it?'),
    should('each assumption', 'What breaks if it is false, and who or what checks it?'),
    should('each I', 'Which requirement or decision asks for it? If none does, it is scope creep.'),
  ],
  good: '"What does I-4 do if the file is missing?", look "I-4 in plan.json", passes_if "it names the error or the default".',
  bad: '"Is error handling complete?"',
  looking: ({ params }) => [
    `Look in ${params.folder}/plan.json and in the project; plan.md is not evidence for what plan.json lacks. To see whether files and symbols exist, search the project. To see whether a command fails today, run it. If the plan is silent, the item fails, even where you know what was meant.`,
  ],
  quoted: 'from the project: the code or document on which the plan relies; the plan itself is not a source',
  refutations: [
    'An acceptance command that also passes today, or that passes when the milestone is done halfway.',
    'A requirement met for the main caller and not for the second one: search for all callers.',
    'An error path that says "handle errors" without saying what the caller sees.',
    'A migration of new data only, which ignores the old rows, files, caches or configurations.',
    'A milestone that needs something that a later one creates.',
    'An unsupported "no": "no migration needed", "no security impact". Which fact supports it?',
  ],
});
