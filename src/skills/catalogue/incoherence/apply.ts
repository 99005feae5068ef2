// Steps 16 to 21 of `incoherence`: what was decided is applied at every place that says it, searched for again, checked,
// and verified by an agent that changed nothing; then the person gets the report.

import { formatForbidden, type SkillWorkStep, terminalRouting } from '../../index.ts';
import { document } from '../document.ts';

const FINDINGS = '\\bF-\\d+\\b';
const PLACES = '\\bL-\\d+\\b';

/** Applies the decisions and shows that they hold. */
export const APPLY_STEPS: readonly SkillWorkStep[] = [
  {
    id: 'places',
    title: 'Every Place That Says It',
    actions: ({ params: { folder } }) => [
      `A rejected claim is rarely written only once. For each statement of ${folder}/15-resolutions.md, search the whole repository for every place that makes the rejected claim: by name, by number, by unit (30 s, 30000, half a minute), by synonym, in tests, examples, help, comments, other languages. Write ${folder}/16-places.md:`,
      '- Searches: per finding the searches you ran, with the number of hits.',
      '- Places: L-1, L-2 …: finding, path:line, and what to do: change, change at its source (generated: name the source), or keep (history, changelog of an old version, a test that the value is rejected), with the reason. Quote the current text of the places to change.',
      '- Order: code before the texts that describe it; a specification before what is derived from it.',
    ],
    contract: document('{folder}/16-places.md', {
      sections: [
        { title: 'Searches', minItems: 1 },
        { title: 'Places', minWords: 15 },
        { title: 'Order', minWords: 3 },
      ],
      ids: { pattern: PLACES, min: 1 },
      references: [{ pattern: FINDINGS, to: '{folder}/12-findings.md' }],
      quotes: 1,
    }),
  },
  {
    id: 'changes',
    title: 'Apply',
    actions: ({ params: { folder } }) => [
      `Change the places of ${folder}/16-places.md in their order, one finding after the other.`,
      '- Text: write the statement in the words and style of the text around it.',
      '- Configuration: follow the value to where it takes effect; look for deployed copies and samples.',
      '- Code: first write a test that states the decision; see it fail; then change the code.',
      '- Generated: change the source and generate again.',
      `Record in ${folder}/17-changes.md, a row per place: L-n, what you changed, or why you kept it. For code: the test, and how it failed before the change.`,
      formatForbidden([
        'Any change that no decision asks for. Put what you notice on the way into the section Noticed.',
        'Weakening a claim until it contradicts nothing, unless the person decided that.',
      ]),
    ],
    contract: {
      changes: ['**/*'],
      ...document('{folder}/17-changes.md', {
        sections: [{ title: 'Changes', minItems: 1 }, 'Noticed'],
        references: [{ pattern: PLACES, to: '{folder}/16-places.md', all: true }],
      }),
    },
  },
  {
    id: 'leftovers',
    title: 'Search Again',
    actions: ({ params: { folder } }) => [
      `Repeat every search of ${folder}/16-places.md, and search for the new wording too. Write ${folder}/18-leftovers.md:`,
      '- Searches: each with hits before and after. A remaining hit must be a place marked keep; otherwise change it now.',
      '- New statements: quote each sentence that you wrote into the project. Next to it: what else in the repository is about the same subject, and whether it agrees. A change that removes one contradiction often adds another.',
      '- Diff: read git diff as a whole. Name every hunk that belongs to no place, and revert it.',
    ],
    contract: document('{folder}/18-leftovers.md', {
      sections: [{ title: 'Searches', minItems: 1 }, { title: 'New statements', minWords: 10 }, 'Diff'],
      quotes: 1,
    }),
  },
  {
    id: 'checks',
    title: 'Checks',
    actions: ({ params: { folder, test } }) => [
      test === ''
        ? 'Find the checks of this project (scripts in its manifest, CI, a makefile): tests, types, lint, document links. Run all that cover the changed files.'
        : `Run ${test}, and every other check of this project that covers the changed files: types, lint, document links.`,
      `Run the documented commands and examples that you changed. Write ${folder}/19-checks.md, Checks: a row per command: exit code and its last line, copied.`,
      'If your change caused a failure, fix the change, never the check. If it failed before, prove it: run the same check in a fresh checkout of HEAD (git worktree add --detach in a temporary folder), and record both results.',
      'Not checked: changed places that no check covers, and how you checked them instead.',
    ],
    contract: {
      command: '{test}',
      ...document('{folder}/19-checks.md', { sections: [{ title: 'Checks', minItems: 1 }, 'Not checked'] }),
    },
  },
  {
    id: 'verification',
    title: 'Verification',
    fresh: true,
    actions: ({ params: { folder } }) => [
      `An agent that changed nothing in steps 16 to 19 must do this step. If you changed something there, start a new agent and give it only this text. It reads 12-findings.md, 14-decisions.json and 15-resolutions.md of ${folder}, and the project as it is now; not 16 to 19.`,
      `Write ${folder}/20-verification.md, Verdicts with a row per finding. Per finding, in this order:`,
      '1. Read what the person said (14, and Conflicts in 15). Write down what both places should say now.',
      '2. Open both places. Quote what they say now.',
      "3. Verdict: settled (both say what was decided), not settled (say which), or left (decided as 'leave' or 'open', and unchanged).",
      '4. Search once, in your own words, for a third place that says the opposite.',
      'Compare with what the person said, not with the resolution: if the resolution misread them, the finding is not settled. Change nothing; what is not settled goes into the report.',
    ],
    contract: document('{folder}/20-verification.md', {
      sections: [{ title: 'Verdicts', minItems: 1 }],
      references: [{ pattern: FINDINGS, to: '{folder}/12-findings.md', all: true }],
      quotes: 2,
      minWords: 40,
    }),
  },
  {
    id: 'report',
    title: 'Report',
    actions: ({ params: { folder } }) => [
      `Write ${folder}/21-report.md from the documents that exist; there are fewer if nothing was found or changed. At most one screen:`,
      '- Result: how many claims were compared, candidates explained, findings confirmed, settled, left and open. Count these numbers in the documents.',
      '- Settled: per finding, what is true now, who decided it, which files changed.',
      '- Open: findings that are undecided or not settled, with what they need; and what you noticed beyond the decisions.',
      '- Not looked at: sources, dimensions and claims that nobody compared. A reader must not mistake silence for agreement.',
      'If a section has no entries, say why in a sentence. Show the person this document and the diff; do not commit unless they ask for it.',
    ],
    routing: terminalRouting(),
    contract: document('{folder}/21-report.md', {
      sections: ['Result', 'Settled', 'Open', { title: 'Not looked at', minWords: 5 }],
      minWords: 60,
    }),
  },
];
