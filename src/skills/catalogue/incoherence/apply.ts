// Steps 16 to 21 of `incoherence`: what was decided is applied at every place that says it, searched for again, checked,
// and verified by an agent that changed nothing; then the person gets the report.

import { formatForbidden, TerminalRouting, type WorkStep } from '../../index.ts';

const FINDINGS = '\\bF-\\d+\\b';
const PLACES = '\\bL-\\d+\\b';

/** Applies the decisions and shows that they hold. */
export const APPLY_STEPS: readonly WorkStep[] = [
  {
    id: 'places',
    title: 'Every Place That Says It',
    actions: ({ params: { folder } }) => [
      `A claim that lost is rarely written only once. For each statement of ${folder}/15-resolutions.md search the whole repository for every place that carries the losing claim: by name, by number, by unit (30 s, 30000, half a minute), by synonym, in tests, examples, help, comments, other languages. Write ${folder}/16-places.md:`,
      '- Searches: per finding the searches you ran, with the number of hits.',
      '- Places: L-1, L-2 …: finding, path:line, and what becomes of it: change, change at its source (generated: name the source), or keep (history, changelog of an old version, a test of the refusal), with the reason. Quote the present text of the places that change.',
      '- Order: code before the texts that describe it; a specification before what is derived from it.',
    ],
    contract: {
      documents: [
        {
          path: '{folder}/16-places.md',
          sections: [
            { title: 'Searches', minItems: 1 },
            { title: 'Places', minWords: 15 },
            { title: 'Order', minWords: 3 },
          ],
          ids: { pattern: PLACES, min: 1 },
          references: [{ pattern: FINDINGS, to: '{folder}/12-findings.md' }],
          quotes: 1,
        },
      ],
    },
  },
  {
    id: 'changes',
    title: 'Apply',
    actions: ({ params: { folder } }) => [
      `Change the places of ${folder}/16-places.md in their order, one finding after the other.`,
      '- Text: write the statement in the words and the style of its surroundings.',
      '- Configuration: follow the value to where it takes effect; look for deployed copies and samples.',
      '- Code: first a test that states the decision and fails now; see it fail; then change the code.',
      '- Generated: change the source and generate again.',
      `Record in ${folder}/17-changes.md, a row per place: L-n, what was done, or kept and why. For code: the test, and how it failed before.`,
      formatForbidden([
        'Any change that no decision asks for. What you notice on the way goes into the section Noticed.',
        'Weakening a claim until it contradicts nothing, unless the person decided that.',
      ]),
    ],
    contract: {
      changes: ['**/*'],
      documents: [
        {
          path: '{folder}/17-changes.md',
          sections: [{ title: 'Changes', minItems: 1 }, 'Noticed'],
          references: [{ pattern: PLACES, to: '{folder}/16-places.md', all: true }],
        },
      ],
    },
  },
  {
    id: 'leftovers',
    title: 'Search Again',
    actions: ({ params: { folder } }) => [
      `Repeat every search of ${folder}/16-places.md, and search for the new wording too. Write ${folder}/18-leftovers.md:`,
      '- Searches: each with hits before and after. A hit that is left is a place marked keep, or you change it now.',
      '- New statements: quote each sentence that you wrote into the project. Next to it: what else in the repository speaks of the same subject, and whether it agrees. A change that removes one contradiction often brings in another.',
      '- Diff: read git diff as a whole. Name every hunk that belongs to no place, and take it back.',
    ],
    contract: {
      documents: [
        {
          path: '{folder}/18-leftovers.md',
          sections: [{ title: 'Searches', minItems: 1 }, { title: 'New statements', minWords: 10 }, 'Diff'],
          quotes: 1,
        },
      ],
    },
  },
  {
    id: 'checks',
    title: 'Checks',
    actions: ({ params: { folder, test } }) => [
      test === ''
        ? 'Find what this project checks itself with (scripts of its manifest, CI, a make file): tests, types, lint, links of documents. Run all that touches the changed files.'
        : `Run ${test}, and whatever else this project checks the changed files with: types, lint, links of documents.`,
      `Run the documented commands and examples that you changed. Write ${folder}/19-checks.md, Checks: a row per command: exit code and its last line, copied.`,
      'A failure that your change caused is repaired in the change, never in the check. For one that was there before, show it: run the same check in a fresh checkout of HEAD (git worktree add --detach in a temporary folder), and record both results.',
      'Not checked: changed places that no check covers, and how you looked at them instead.',
    ],
    contract: {
      command: '{test}',
      documents: [{ path: '{folder}/19-checks.md', sections: [{ title: 'Checks', minItems: 1 }, 'Not checked'] }],
    },
  },
  {
    id: 'verification',
    title: 'Verification',
    fresh: true,
    actions: ({ params: { folder } }) => [
      `This step belongs to an agent that changed nothing in steps 16 to 19. If that is not you, start one and give it this text only. It reads 12-findings.md, 14-decisions.json and 15-resolutions.md of ${folder}, and the project as it is now; not 16 to 19.`,
      `Write ${folder}/20-verification.md, Verdicts with a row per finding. Per finding, in this order:`,
      '1. Read the words of the person (14, and Conflicts in 15). Write down what both places should say now.',
      '2. Open both places. Quote what they say now.',
      "3. Verdict: settled (both say what was decided), not settled (say which), or left (decided as 'leave' or 'open', and unchanged).",
      '4. Search once, in your own words, for a third place that says the opposite.',
      'Compare with what the person said, not with the resolution: a resolution that misread them is not settled. Change nothing; what is not settled goes into the report.',
    ],
    contract: {
      documents: [
        {
          path: '{folder}/20-verification.md',
          sections: [{ title: 'Verdicts', minItems: 1 }],
          references: [{ pattern: FINDINGS, to: '{folder}/12-findings.md', all: true }],
          quotes: 2,
          minWords: 40,
        },
      ],
    },
  },
  {
    id: 'report',
    title: 'Report',
    actions: ({ params: { folder } }) => [
      `Write ${folder}/21-report.md from the documents that there are; a run that found nothing, or changed nothing, has fewer. At most one screen:`,
      '- Result: how many claims were compared, candidates explained, findings confirmed, settled, left and open. The numbers are counted in the documents.',
      '- Settled: per finding, what holds now, who decided it, which files changed.',
      '- Open: findings that are undecided or not settled, with what is needed; and what was noticed beyond the decisions.',
      '- Not looked at: sources, dimensions and claims that nobody compared. A reader must not take silence for agreement.',
      'Where a section has nothing, say why in a sentence. Show the person this document and the diff; do not commit unless they ask for it.',
    ],
    routing: TerminalRouting(),
    contract: {
      documents: [
        {
          path: '{folder}/21-report.md',
          sections: ['Result', 'Settled', 'Open', { title: 'Not looked at', minWords: 5 }],
          minWords: 60,
        },
      ],
    },
  },
];
