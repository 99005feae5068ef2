// Owns the reference texts that come with Pawl: six conventions for work and reviews, then two formats of documents that skills exchange.

/** Smells of code, each with the question that finds it and the limit from which it counts. */
export const STRUCTURAL = `# Structural: smells, questions, limits

A smell is a place where the next change will be expensive. Ask the question while you look at the code; a finding needs the place, the answer, and the change that would be expensive. Below the limit, leave the code alone. Limits of the project's own linter or guide take precedence.

| smell | ask | counts from | severity |
|---|---|---|---|
| long function | How many things does it do, in one sentence without "and"? | 70 lines, or 3 levels of nesting, or 2 "and" | SHOULD |
| large file | Which two readers would look for different things in it? | 500 lines, or 2 unrelated groups of exports | SHOULD |
| many parameters | Which of them always travel together? | 4 positional, or 2 booleans | SHOULD |
| repeated rule | If the rule changes, how many places must change together? | 2 places that can be forgotten; 3 copies of 5 lines | SHOULD; MUST if they already differ |
| repeated condition | How often is the same kind or status switched on? | 3 switches over the same values | SHOULD |
| god object | How many reasons to change does it have? Who imports it? | 3 reasons, or imported by more than a third of the folder | SHOULD |
| reaching through | How many dots to get there? Whose data is this decision about? | a.b.c.d, or more fields of another object than of its own | SHOULD |
| wrong direction | Does a lower layer know a higher one? Do two files need each other to load? | 1 | MUST if layers are written down, else SHOULD |
| state in two places | Which of the two is right when they differ? Who notices? | 1 | MUST |
| illegal states | Which combinations of these fields make no sense? Does the type allow them? | 1 that code must guard against | SHOULD |
| hidden input | What besides its arguments decides the result: clock, randomness, environment, global, current folder? | 1 in code that is tested or replayed | SHOULD |
| order by luck | What happens if these two calls are swapped? What enforces the order? | nothing enforces it | SHOULD |
| swallowed failure | Who learns that this failed? | nobody | MUST |
| vague name | Could a different function in this file have the same name? (data, info, handle, process, manager, util) | yes | COULD; SHOULD if public |
| lying name | Does it do more than the name says, or something else (a get that writes, an is that throws)? | 1 | SHOULD |
| dead code | Who calls it? What would break if it were gone? | nobody, nothing | SHOULD |
| speculative code | Which existing caller needs this option, layer or interface? | none; one implementation and no test double | COULD |
| test that cannot fail | Which line can you break without the test failing? | the line it is about | MUST |
| test of internals | Would a correct rewrite break it? | yes | SHOULD |

How to look: sizes and duplication over all files first (count, do not estimate), then imports between folders, then the ten files that changed most often, then the tests of the riskiest code. Read the callers before you judge a function.

A fix is worth proposing if it removes a smell without adding one, and you can say which next change becomes cheaper. "Extract everything" is not a fix.
`;

/** Text describes the current state, never what changed. */
export const TEMPORAL = `# Temporal: describe the current state

Comments, names, messages and documents are read by somebody who sees only this version. Say what is there and why it has to be that way. What was there before, and what you changed, belongs in the commit message and the changelog.

Ask of every comment and sentence that you write or review:

1. Does it tell what somebody did? "added", "changed", "moved", "replaced", "refactored", "fixed", "now"
2. Does it compare the code with something that the reader cannot see? "instead of", "no longer", "previously", "the old", "new", "improved", "simpler", "faster"
3. Is it about the task: who asked, which step, where to put the code? "as discussed", "per review", "step 3", "insert after"
4. Does it promise or excuse? "for now", "temporary", "will be", "later", "should be improved", "quick fix"
5. Is it about the author instead of the code? "I decided", "tries to", "attempts", "meant to", "we want"

A yes is a finding. Remove the history; if a reason remains, write the reason as a fact about the code; if nothing remains, delete it.

| instead of | write |
|---|---|
| // Added a mutex to fix the race | // Several workers write this map; the mutex makes each update atomic. |
| // Now reads the cache instead of querying every time | // The cache answers repeated reads. It is emptied when a price changes. |
| // No longer throws on empty input | // An empty list is valid and returns 0. |
| // For now only JSON is supported | // Accepts JSON only: the importer has no other parser. |
| // TODO handle errors | the handling, or an issue with its number |
| // This tries to reconnect | // Reconnects up to 5 times, a second apart. |
| parserV2, newHandler, improvedSort | parser, handler, sort, or what the difference is: streamingParser |
| This page was updated for version 3. | the statement that is true in version 3 |

Not affected: changelogs, commit messages, migration guides, dated decision records, deprecation notices that name what to use, facts about other software ("Safari before 17 ignores this header"), and why the obvious way fails ("A plain sort is wrong here: equal keys must keep their order"), because that is true of the current code.

The test: give the file to somebody without its history. They must be able to check every sentence against what they see.
`;

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

/** Marks in code for what looks like a mistake but is intended. */
export const INTENT_MARKERS = `# Intent markers

Some code looks wrong but is right: unrolled, unchecked, duplicated, unused. A marker at that place says so and gives the reason, so that reviewers do not spend a round on it and nobody "fixes" it.

Form, in a comment on the line or directly above it:

    INTENT(kind): what looks wrong; because the reason; check: how to see that it still holds

| kind | for | the reason must name |
|---|---|---|
| perf | code that is longer or stranger because that is faster | the measurement: what, how much, where it can be repeated |
| unsafe | a check left out, a cast, unescaped or trusted input | what guarantees that it is safe, and where that is enforced |
| duplicate | the same lines twice on purpose | why the two may change independently |
| order | statements whose order matters although it does not look like it | what goes wrong the other way round |
| compat | odd behaviour that others rely on | who relies on it: a version, a client, a stored format |
| unused | something that no code calls | who calls it from outside: a framework, a reflection, a human |
| ignore | a failure or a result that is dropped | why nobody needs to know |

    // INTENT(perf): a loop instead of map/filter; because it runs per frame, 4 ms against 11 ms in bench/frame.ts; check: npm run bench
    // INTENT(unsafe): no escape; because slug() allows only [a-z0-9-]; check: slug.test.ts "rejects markup"

Writing: add one where you chose the strange way on purpose and a careful reader would object. Do not use one for ordinary code, instead of a clearer name, or to silence a finding that is right.

Reviewing: a marker covers the one smell of its kind, at that place, and nothing else.
1. No "because", or a reason that only repeats what the code does: MUST, "the marker gives no reason".
2. Do its check, or read what it names. If it does not hold: MUST, with what you saw.
3. If it holds: no finding of that kind here. Other findings still count.
4. The strange code is gone but the marker is still there: SHOULD, remove it.
5. The same marker in more than three places: SHOULD, the reason belongs in one function or one document.
`;

/** What belongs where: README, AGENTS, comments, tests, commit. */
export const DOCUMENTATION = `# Documentation: what goes where

Write down what the reader needs and cannot quickly see from the code. Write it once, in the place where they will look for it.

| the reader asks | it belongs in | limit |
|---|---|---|
| What is this, is it for me, how do I start? | README.md of the project | one screen; run every command in it |
| What is in this folder, which file for which task? | AGENTS.md (or the index file that the project has) of that folder | a table, one line per file or folder; no prose |
| Why is it built this way, what must stay true, what was tried? | README.md of that folder, or docs/ | only what the code cannot say: decisions with reasons, invariants, limits, traps |
| How do I do X? | a guide | one task, from nothing to the result, as commands and files that work |
| What are all options? | a reference, generated from the code | not written by hand |
| What does this function promise? | its doc comment | what it returns, when it fails, units, who owns what; not how |
| Why this line? | a comment on the line | the reason, or what breaks otherwise; never what the line does |
| What exactly happens for this input? | a test with that rule as its name | |
| What changed, and why at that time? | commit message, changelog | |

An index row says when to open the file, not what kind of file it is: "retry.ts | how often and when a failed step runs again", not "retry.ts | retry logic".

Before you write, ask:
1. Could a name, a type or a test say it? Improve that instead.
2. Is it already written somewhere? Link to it. Two copies will differ.
3. Will an ordinary change make it false? Then generate it, or let a test compare it with the code.
4. Who reads it, and when? If you cannot say, leave it out.

After a change, look at: doc comments of what changed, the index row of each file that was added, removed or changed its purpose, READMEs that describe changed behaviour, and examples, messages and help texts that quote it. Search for the old names and values.

Knowledge that only the plan has (rejected options, assumptions, limits, "do not simplify this") must move into a comment or README next to the code before the plan is deleted.

Findings: a false statement is MUST. A decision without its reason is MUST. A missing index row, an undocumented public name, or a command that was not run is SHOULD. Wording is COULD.
`;

/** How changes are written in a plan. */
export const DIFF_FORMAT = `# Diff format: changes in a plan

A planned change is a unified diff that somebody else can still apply after small changes to the file. So its place is found by its context, not by its line numbers.

    --- a/src/queue/worker.ts
    +++ b/src/queue/worker.ts
    @@ -41,7 +41,10 @@ export async function drain(queue: Queue) {
       const job = await queue.take();
    -  await run(job);
    -  queue.done(job);
    +  // Marks the job first: after a crash it must not run again.
    +  queue.done(job);
    +  await run(job);
       metrics.count('jobs');
     }

Rules
1. One block per file, files in the order in which they have to change. Paths from the root of the project, with a/ and b/. A new file: --- /dev/null. A removed one: +++ /dev/null, and no body.
2. The part after the second @@ is the anchor: the nearest enclosing function, class, heading or key, exactly as in the file.
3. Two or three lines of context before and after, copied from the file and not typed: they must match character by character, including indentation. At least one of them must occur only once in the file; add lines until one does.
4. The line numbers are a hint. Where they and the context disagree, the context wins; where the context is not found exactly once, stop and report instead of guessing.
5. Only lines that the intent needs. No reformatting, no unrelated renames, no "while I am here".
6. Complete lines: no "...", no "rest unchanged", no placeholders. Comments in added lines follow the temporal convention: they describe the code, not the change.
7. Every hunk belongs to one intent. If you cannot name the intent, remove the hunk or add the missing intent.

Before you deliver a diff: open each file, find each hunk by its context, and check that the removed lines are there verbatim. "git apply --check" (or "patch --dry-run -p1") does all of this at once; without a repository, compare them side by side.

If applying fails: read the file again, look for the anchor, and rewrite the hunk for what is there now, keeping its intent. If the surrounding code now means something else, it is no longer the same change: report it.
`;

/** The shape of a plan. */
export const PLAN_FORMAT = `# Plan format: plan.json

A plan is one JSON file, so that its cross-references can be checked. It has five lists; requirements is optional. Every entry has its own id, which never changes and is never reused.

    {
      "title": "Jobs survive a crash",
      "goal": "A job runs once, even if the worker is killed while it runs.",
      "requirements": [{ "id": "R-1", "text": "A card is charged once per job." }],
      "decisions": [
        { "id": "D-1", "decision": "Mark a job as done before it runs.", "because": "Running twice charges a card twice; a lost job is retried by its sender (queue.md:12).",
          "rejected": [{ "option": "A lock per job", "because": "Its expiry would have to be longer than the longest job, which has no limit." }] }
      ],
      "milestones": [
        { "id": "M-1", "title": "The worker marks first", "acceptance": ["A test kills the worker inside run() and sees one charge.", "npm test passes."] },
        { "id": "M-2", "title": "Operators see lost jobs", "after": ["M-1"], "acceptance": ["The command lost prints a job that was marked and not finished."] }
      ],
      "intents": [
        { "id": "I-1", "milestone": "M-1", "requirements": ["R-1"], "decisions": ["D-1"], "what": "drain() marks a job before it calls run().", "files": ["src/queue/worker.ts"] },
        { "id": "I-2", "milestone": "M-2", "decisions": ["D-1"], "what": "lost lists jobs that were marked and never ended.", "files": ["src/queue/lost.ts"] }
      ],
      "changes": [
        { "id": "C-1", "intent": "I-1", "file": "src/queue/worker.ts", "diff": "--- a/src/queue/worker.ts\\n+++ b/…" },
        { "id": "C-2", "intent": "I-2", "file": "src/queue/lost.ts", "diff": "--- /dev/null\\n+++ b/…" }
      ]
    }

| list | id | describes | must have |
|---|---|---|---|
| requirements | R-1 | what was asked for | text |
| decisions | D-1 | what was chosen | because: facts, limits, quotes; rejected: each option that a reader would expect, and what is wrong with it |
| milestones | M-1 | a state of the project that can be shipped and checked | acceptance: what to run or look at, and the expected result; after: milestones that come first |
| intents | I-1 | what will be different, in one sentence without code | milestone, decisions that it follows from, files |
| changes | C-1 | the diff of one file for one intent | intent, file, diff (diff-format) |

The engine checks: ids are unique and known; a change has an intent; an intent has a milestone and a decision; a milestone has acceptance criteria, an intent, and no cycle in "after"; every decision is used by an intent, and every requirement is met by one; paths stay inside the project. As soon as there is one change, every intent must have one or say why not: "noChange": "only run, see M-2".

Order of work: decisions, then milestones, then intents, then changes. If a change needs something that no intent mentions, an intent is missing, and often a decision too.

Good acceptance: "GET /jobs/7 answers 404 after the job was pruned." Bad: "Pruning works." If nobody could see it fail, it is not a criterion.
`;

/** What an agent that was sent to explore brings back. */
export const EXPLORE_OUTPUT_FORMAT = `# Explore output

You explore for somebody who will decide without opening these files. Return facts with their places, the most important first, in at most the number of words that you were given (600 if none was).

    ## Answer
    Two or three sentences that answer the question. If the answer is no or unknown, say that.

    ## Facts
    - F-1 src/queue/worker.ts:41 — drain() marks a job as done after running it; a crash between the two makes it run twice.
      > await run(job); queue.done(job);
    - F-2 …

    ## Patterns to follow
    - how this codebase does what the task needs: name, place, one example (file:line)

    ## Constraints
    - what must stay as it is: tests, interfaces, formats, limits (file:line)

    ## Not found
    - what you looked for without success, and where

    ## Open
    - what looking cannot settle, as a question, with the options you see

Rules
1. Every fact has file:line, and a quotation where the wording matters. You opened the file; a search hit alone is not a fact.
2. Keep facts and conclusions apart: "so", "probably" and "should" belong in Answer or Open.
3. Count with a command, and name the command.
4. Put facts that contradict the task, or each other, first.
5. Say which parts you did not read. Keep an empty section, with "none".
6. No advice on the solution unless asked, no code, no lists of files without saying what matters in them.
`;
