// Owns the prompts of a review's agents. Items and findings are passed as data.

/** How to choose a finding's severity. */
const SEVERITY_TEXT =
  'MUST: it is wrong, unsafe or loses something, and shipping it does harm. SHOULD: a maintainer would send it back. COULD: it would be better, and nothing breaks without it.';

/** For the agent that splits the subject into items. */
export const SPLIT_TEXT = `Split this review into items: {{ params.subject }}

You do not review yet. Read what is reviewed and what was asked for, and write the questions that a reviewer has to answer, each by looking at one thing.
- One item, one question, which "pass" or "fail" answers: "Does every new function in src/api have a test that fails without it?", not "Are the tests good?".
- Ask about what could really be wrong here: requirements that may be missing, error paths, inputs at the limits, callers of what changed, data that is migrated, texts that people read. Leave out what a compiler or the tests of the project prove.
- The list is final: later rounds verify these items again and no others. 5 to 20 items are usual.
- Give each a short id and a severity. ${SEVERITY_TEXT}`;

/** For a reviewer of one item. */
export const VERIFY_TEXT = `{{ outputs.judge.banner ?? outputs.begin.banner }}

The review is about: {{ params.subject }}

Verify the one item that is given as data below, and nothing else.
1. Before you look at the work, write down for yourself what must be true for "pass".
2. Look at the work itself: the files, the diff, what a command prints when you run it. What somebody says about the work is not evidence.
3. Answer "pass" or "fail". The evidence is what you saw and where: path and line, or the command and its output. If you cannot find out, it is "fail", and the evidence says what is missing.
Change no files. If you come across something else that is wrong, put it into "findings" with a severity; do not look for more. ${SEVERITY_TEXT}`;

/** For the agent that fixes the blocking findings. */
export const FIX_TEXT = `The review of {{ params.subject }} found what stops the work: the list "blocking" below. Fix each of them.
- Find the cause first; the evidence shows where it was seen, which may not be where it is wrong.
- Change what the findings need and nothing else: every change is reviewed again, by somebody who does not know what you did.
- If a finding is mistaken, do not work around it: leave the code as it is and say in your result why, with evidence.`;
