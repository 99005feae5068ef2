// Owns the format "plan-format". `src/definition/contract/plan.ts` checks what it describes.

/** The shape of a plan. */
export const PLAN_FORMAT = `# Plan format: plan.json

A plan is one JSON file, so that its cross-references can be checked. Five lists, of which requirements may be left out; every entry has an id of its own that never changes or is reused.

    {
      "title": "Jobs survive a crash",
      "goal": "A job runs once, also when the worker is killed while it runs.",
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

| list | id | says | must have |
|---|---|---|---|
| requirements | R-1 | what was asked for | text |
| decisions | D-1 | what was chosen | because: facts, limits, quotes; rejected: each option that a reader would expect, and what speaks against it |
| milestones | M-1 | a state of the project that can be shipped and checked | acceptance: what to run or look at, and what is seen then; after: milestones that come first |
| intents | I-1 | what will be different, in one sentence without code | milestone, decisions that it follows from, files |
| changes | C-1 | the diff of one file for one intent | intent, file, diff (diff-format) |

Checked by the engine: ids are unique and known; a change has an intent; an intent has a milestone and a decision; a milestone has acceptance criteria, an intent, and no circle in "after"; a decision is used by an intent, and a requirement met by one; paths stay inside the project. As soon as there is one change, every intent has one, or says why not: "noChange": "only run, see M-2".

Order of work: decisions, then milestones, then intents, then changes. A change that needs something no intent says means that an intent is missing, and often a decision.

Good acceptance: "GET /jobs/7 answers 404 after the job was pruned." Bad: "Pruning works." A criterion that nobody could see fail is none.
`;
