// Owns the convention "temporal".

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
