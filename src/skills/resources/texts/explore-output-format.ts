// Owns the format "explore-output-format".

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
