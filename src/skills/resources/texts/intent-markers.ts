// Owns the convention "intent-markers".

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
