// Owns the convention "diff-format".

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
