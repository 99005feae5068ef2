// Owns the convention "structural".

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
