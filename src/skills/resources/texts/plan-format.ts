// Owns the format "plan-format". `src/definition/contract/plan.ts` checks what it describes.

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
