// Owns an agent that plans a small change by a script: what it and its sub-agents write in each step. In the first round the
// review of completeness finds a hole, and something that none of its items asks for.

import { CHANGES, writeDiffs } from './scripted-project.ts';
import { json, QUOTES, review, type ScriptedSteps } from './scripted-steps.ts';

const PLAN = 'notes/planner';

const plan = (more: object = {}) => ({
  title: 'Ranges in the export',
  goal: 'Callers export the rows of a range of days.',
  revision: 1,
  requirements: [
    { id: 'R-1', text: 'exportRows takes from and to and writes only the rows between them' },
    { id: 'R-2', text: 'without a range all rows are written' },
  ],
  decisions: [
    {
      id: 'D-1',
      decision: 'A range includes its first day and leaves out its last.',
      because: 'Consecutive ranges then share no row (R-1).',
      rejected: [{ option: 'both ends included', because: 'a row at the border is exported twice' }],
    },
    { id: 'D-2', decision: 'Days are compared as texts.', because: 'They are ISO dates (src/export.test.js:5).' },
  ],
  milestones: [
    {
      id: 'M-1',
      title: 'Callers can give a range',
      after: [],
      acceptance: ['node src/export.test.js ends with 0 and lists the case: a range leaves out its end'],
      rollback: 'revert the commit; nothing is stored',
    },
    {
      id: 'M-2',
      title: 'The README tells about ranges',
      after: ['M-1'],
      acceptance: ['grep -q "up to, but not including" README.md ends with 0'],
      rollback: 'revert the commit',
    },
  ],
  intents: [
    {
      id: 'I-1',
      milestone: 'M-1',
      requirements: ['R-1', 'R-2'],
      decisions: ['D-1', 'D-2'],
      files: ['src/export.js', 'src/export.test.js'],
      what: 'exportRows leaves out rows outside of the range; without one it leaves out none.',
      errors: 'to before from: a RangeError that names both days',
      tests: ['src/export.test.js: a range leaves out its end'],
    },
    {
      id: 'I-2',
      milestone: 'M-2',
      requirements: ['R-1'],
      decisions: ['D-1'],
      files: ['README.md'],
      what: 'The README says which days a range covers.',
      errors: 'none: it is a document',
      tests: ['the acceptance of M-2'],
    },
  ],
  ...more,
});

const PLAN_MD = (revision: number) => `# Ranges in the export

Revision ${revision}. Read this before you carry it out; the parts with their cross-references are in plan.json.

## Goal

Callers of the export often need the rows of a few days only, and cut them out of the text themselves. After this change they name the range, and get exactly its rows. Callers that name none see no difference.

## Decisions

- D-1 A range includes its first day and leaves out its last, because consecutive ranges then share no row. Including both ends was rejected: a row at the border would be exported twice.
- D-2 Days are compared as texts: they are ISO dates, whose order as texts is their order in time.

## Milestones

- M-1 Callers can give a range. Afterwards exportRows(rows, { from, to }) writes the rows from the first day up to, but not including, the last one; a range that ends before it begins is refused with an error that names both days. It is accepted when node src/export.test.js ends with 0 and lists the case "a range leaves out its end", which does not exist today. It is undone by reverting its commit: nothing is stored.
- M-2 The README tells about ranges. It is accepted when grep finds the sentence about the last day in README.md. It is undone by reverting its commit.

## Risks

A caller that passes days in another form than ISO dates gets wrong rows; the tests of callers would show it first, and the answer is a check of the form.

## Out of Scope

Time zones, and ranges of hours.
`;

/** What the agent does in each step of the planner; `round` is the visit of the step. */
export function plannerSteps(round: number): ScriptedSteps {
  const changes = Object.keys(CHANGES).map((file, index) => {
    const id = index + 1;
    return { id: `C-${id}`, intent: file === 'README.md' ? 'I-2' : 'I-1', file, diff: `diffs/0${id}-C-${id}.diff` };
  });
  return {
    'planner/context': () => ({
      files: {
        [`${PLAN}/01-context.md`]: `# Context

## Request

export takes a range of dates

## Requirements

- R-1 (stated) exportRows takes from and to and writes only the rows between them.
- R-2 (implied: callers without a range exist) without a range all rows are written.

## Where It Happens

- R-1: src/export.js:2; nothing else in the project calls it but its test.
- R-2: src/export.test.js:7 holds it today.

${QUOTES}
## Constraints

The package has no dependencies, and its days are ISO dates.

## Tests

node src/export.test.js runs one test, which passes.

## Unknown

Whether callers outside of this repository pass other forms of days; only they could tell.
`,
      },
    }),
    'planner/approaches': () => ({
      files: {
        [`${PLAN}/02-approaches.md`]: `# Approaches

## Approaches

A-1 exportRows takes the range as a second argument and filters its rows. It touches src/export.js, its test and the README. R-1 is met by the filter, R-2 by a default that filters nothing. If the days are no ISO dates, wrong rows are written, and the tests of callers notice. It is undone by reverting one commit. Afterwards every further option has a place, and none needs another function.

A-2 A function rowsBetween that callers call before the export. It touches a new file and the README. R-1 is met only by callers that know of it, R-2 needs nothing. If somebody forgets to call it, all rows are written, and nobody notices. It is undone by deleting the file. Afterwards there are two things to explain.

A-3 Nothing in the code: the README shows how to filter before the export. R-1 is postponed, R-2 is met. Each caller writes its own comparison, and they differ at the borders. Nothing has to be undone.

## Comparison

| approach | requirements missed | files touched | new concepts | worst failure | way back |
|---|---|---|---|---|---|
| A-1 | none | 3 | 1 option | wrong rows for other forms of days | revert |
| A-2 | R-1 for callers that do not know it | 3 | 1 function | all rows | delete |
| A-3 | R-1 | 1 | none | different borders | none |

## Precedents

The module has one function, and what it does is decided by its arguments:

> export function exportRows(rows) {
> — src/export.js:2
`,
      },
    }),
    'planner/decisions': () => ({
      files: {
        [`${PLAN}/03-decisions.md`]: `# Decisions

## Decisions

- D-1 The approach is A-1, with a range that includes its first day and leaves out its last, because consecutive ranges then share no row. Rejected: A-2, since whoever does not know it exports too much; A-3, since R-1 stays open; both ends included, since a row at the border comes twice. To reverse it, callers have to move their last day by one.
- D-2 Days are compared as texts, because src/export.test.js:5 shows ISO dates. Rejected: Date objects, which bring time zones. It can be reversed inside of the function.

## Assumptions

Callers pass ISO dates. If that is false, rows are left out; a call with another form would show it.

## Risks

- A caller passes days in another form: its own tests notice first; then the form is checked.
- The order of arguments is mistaken: the options are named, so that it cannot be.

## Out of Scope

Time zones, and ranges of hours.
`,
      },
    }),
    'planner/write-plan': () => ({
      files: { [`${PLAN}/plan.json`]: json(plan({ revision: round })), [`${PLAN}/plan.md`]: PLAN_MD(round) },
    }),
    ...review({
      skill: 'qr-plan-completeness',
      at: `${PLAN}/qr/completeness`,
      prefix: 'CO',
      round,
      fails: round === 1 ? [3] : [],
      finding: 'What happens to rows without a day?',
    }),
    'dev-fill-diffs/read': () => ({
      files: {
        [`${PLAN}/04-anchors.md`]: `# Anchors

## Changes

- C-1 of I-1: src/export.test.js, after its last test; it calls exportRows.
- C-2 of I-1: src/export.js, the function exportRows; its only caller is the test.
- C-3 of I-2: README.md, after its last paragraph.

> export function exportRows(rows) {
> — src/export.js:2

## Contradictions

None: searched for exportRows in all files; every call is in the test.
`,
      },
    }),
    'dev-fill-diffs/write': () => ({
      work: (root) => writeDiffs(root, PLAN),
      files: { [`${PLAN}/plan.json`]: json(plan({ revision: 3, changes })) },
    }),
    'dev-fill-diffs/try': () => ({
      files: {
        [`${PLAN}/05-trial.md`]: `# Trial

## Milestones

| milestone | command | exit | deciding line |
|---|---|---|---|
| M-1 | node src/export.test.js | 0 | # pass 3 |
| M-2 | grep -q "up to, but not including" README.md | 0 | no output |

Without the line that filters, the case "a range leaves out its end" fails.

## Whole Test Run

node src/export.test.js, exit code 0; no test fails that passed without the diffs.
`,
      },
    }),
    'dev-fill-diffs/report': () => ({ result: { diffs: 3, checked: 2, open: [] } }),
    ...review({ skill: 'qr-plan-code', at: `${PLAN}/qr/plan-code`, prefix: 'PC', round }),
    'tw-plan-scrub/collect': () => ({
      files: {
        [`${PLAN}/06-texts.md`]: `# Texts

## Texts

| text | file | words | verdict |
|---|---|---|---|
| T-1 | src/export.js | Days are ISO dates, so that their order as texts is their order in time. | keep: it gives the reason |
| T-2 | README.md | up to, but not including | keep: it is true of the filter |

## Reasons

| decision | where a maintainer looks |
|---|---|
| D-1 | README.md, the sentence about the last day |
| D-2 | src/export.js, the comment above the filter |
`,
      },
    }),
    'tw-plan-scrub/rewrite': () => ({
      files: {
        [`${PLAN}/06-rewrites.md`]: `# Rewrites

## Texts

- T-1 kept: it says why, not what.
- T-2 kept: the user needs it.

## Reasons Kept

- D-1 in the README, since callers need it.
- D-2 in a comment, since only maintainers do.
`,
      },
    }),
    'tw-plan-scrub/report': () => ({ result: { rewritten: 0, kept: 2, open: [] } }),
    ...review({ skill: 'qr-plan-docs', at: `${PLAN}/qr/plan-docs`, prefix: 'PD', round }),
    'planner/hand-over': () => ({
      files: {
        [`${PLAN}/07-hand-over.md`]: `# Ranges in the export

## What Will Change

- M-1: callers can give a range; node src/export.test.js shows it.
- M-2: the README tells about it; grep shows it.

## Please Decide

Nothing: the signature only gains an option.

## Follow-ups

None: no finding was left open by the reviews.

## How to Start

pawl run planner-executor --attended -p plan=notes/planner/plan.json -p test='node src/export.test.js' -p code='src/**'
`,
      },
    }),
  };
}
