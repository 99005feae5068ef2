// Owns the format "explore-output-format".

/** What an agent that was sent to explore brings back. */
export const EXPLORE_OUTPUT_FORMAT = `# Explore output

You were sent to look, for somebody who will not open these files again before they decide. Bring back facts with places. At most the number of words that you were given (else 600), most important first.

    ## Answer
    Two or three sentences: what the asker wanted to know. If the answer is no or unknown, say that.

    ## Facts
    - F-1 src/queue/worker.ts:41 — drain() marks a job as done after it ran; a crash between the two runs it twice.
      > await run(job); queue.done(job);
    - F-2 …

    ## Patterns to follow
    - how this code base does what the task needs: name, place, one example (file:line)

    ## Constraints
    - what must not change or has to be kept: tests, interfaces, formats, limits (file:line)

    ## Not found
    - what you looked for and where, without result

    ## Open
    - what looking cannot settle, as a question, with the options you see

Rules
1. Every fact has file:line, and a quotation where the wording matters. You opened the file; a search hit alone is not a fact.
2. Facts and conclusions apart: "so", "probably" and "should" belong into Answer or Open.
3. Counts are counted: say with which command.
4. What contradicts the task, or each other, comes first.
5. Say which parts you did not read. An empty section stays, with "none".
6. No advice on the solution unless asked, no code, no listing of files without what matters in them.
`;
