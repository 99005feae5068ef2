// Owns the convention "documentation".

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
