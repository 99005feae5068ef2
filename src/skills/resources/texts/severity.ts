// Owns the convention "severity".

/** How severe a finding is, with a test for each degree. */
export const SEVERITY = `# Severity

Every finding has one severity. It says what happens if nobody acts on the finding. It does not say how sure you are, how hard the fix is, or how much the finding annoys you.

| severity | if it is ignored | blocks |
|---|---|---|
| MUST | something is wrong, lost, leaked or missing, for somebody who did nothing wrong | every round |
| SHOULD | it works today; the next change here is slow or likely to break something | rounds 1 to 4 |
| COULD | nobody is harmed; it would be better | rounds 1 and 2 |

Ask these questions in order. The first yes decides.

MUST
1. Can you write down an input, a state or a sequence of calls for which the result is wrong, lost, leaked or never comes? Write it down; it is the evidence.
2. Is a requirement, a decision or an acceptance criterion not met? Quote it.
3. Is knowledge lost that the code cannot provide: a decision without its reason, an unstated assumption, a measured limit without its measurement?
4. Is a promise to others silently broken: a public interface, a file format, stored data, a permission?
5. Do two parts contradict each other, so that following one breaks the other?

SHOULD
1. Would somebody who changes this place probably cause a bug: one rule in two places, a misleading name, an order of calls that nothing enforces, a test that passes whatever the code does?
2. Is a limit of the structural convention exceeded?
3. Is a failure hidden, or reported without saying what happened and to what?
4. Is a written convention of this project broken? Name it.

COULD: anything else that is true, has a consequence that you can name, and can be fixed in the lines that are being changed.

Not a finding
- taste without a consequence; anything that a formatter or linter settles; "consider", "maybe", "in general".
- code that the change neither touches nor makes wrong: put it on the follow-up list.
- a doubt. Look until you know. If looking cannot settle it, ask a question.

Each finding has: severity, file:line, what is there (quoted), the consequence, and the smallest fix. Without a place it is not a finding. Without a consequence it is at most COULD.

Never raise a severity to get attention, and never lower one so that a round passes. A repeated COULD is still a COULD.
`;
