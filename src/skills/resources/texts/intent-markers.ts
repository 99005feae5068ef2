// Owns the convention "intent-markers".

/** Marks in code for what looks like a mistake and is meant. */
export const INTENT_MARKERS = `# Intent markers

Some code looks wrong and is right: unrolled, unchecked, duplicated, unused. A marker says so at the place, with the reason, so that reviewers spend no round on it and nobody "repairs" it.

Form, in a comment on the line or directly above it:

    INTENT(kind): what looks wrong; because the reason; check: how to see that it still holds

| kind | for | the reason must name |
|---|---|---|
| perf | code that is longer or stranger to be faster | the measurement: what, how much, where it can be repeated |
| unsafe | a check left out, a cast, unescaped or trusted input | what guarantees that it is safe, and where that is enforced |
| duplicate | the same lines twice on purpose | why the two may change apart |
| order | statements whose order matters and does not show | what goes wrong the other way round |
| compat | odd behaviour that others rely on | who relies on it: a version, a client, a stored format |
| unused | something that no code calls | who calls it from outside: a framework, a reflection, a human |
| ignore | a failure or a result that is dropped | why nobody needs to know |

    // INTENT(perf): a loop instead of map/filter; because it runs per frame, 4 ms against 11 ms in bench/frame.ts; check: npm run bench
    // INTENT(unsafe): no escape; because slug() admits [a-z0-9-] only; check: slug.test.ts "refuses markup"

Writing: put one where you chose the strange way knowingly and a careful reader would object. Not for ordinary code, not instead of a clearer name, not to silence a finding that is right.

Reviewing: a marker covers the one smell of its kind, at that place, and nothing else.
1. No "because", or a reason that only repeats what the code does: MUST, "the marker gives no reason".
2. Do its check, or read what it names. It does not hold: MUST, with what you saw.
3. It holds: no finding of that kind here. Other findings count as always.
4. The strange code is gone and the marker is left: SHOULD, remove it.
5. The same marker in more than three places: SHOULD, the reason belongs into one function or one document.
`;
