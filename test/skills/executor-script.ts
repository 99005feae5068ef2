// Owns an agent that carries out the plan of `planner-script.ts`: what it and its sub-agents do in each step.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commit, git } from './scripted-project.ts';
import { QUOTES, review, type ScriptedSteps } from './scripted-steps.ts';

const DONE = 'notes/planner-executor';
const DIFFS = 'notes/planner/diffs';

/** Three passages of the project after the change. */
const AFTER = QUOTES.replace('exportRows(rows) {', 'exportRows(rows, { from, to } = {}) {');

/** What the agent does in each step of the executor. */
export function executorSteps(round: number): ScriptedSteps {
  return {
    'planner-executor/intake': () => ({
      files: {
        [`${DONE}/01-intake.md`]: `# Intake

## Order

- M-1: C-1 and C-2; accepted by node src/export.test.js; needs nothing from outside.
- M-2: C-3; accepted by grep; needs M-1.

## Drift

None: all diffs apply to the present commit.

## Point of No Return

There is none: every step is undone by reverting a commit.
`,
      },
    }),
    'planner-executor/baseline': () => ({
      files: {
        [`${DONE}/02-baseline.md`]: `# Baseline

## Commit

The first commit of main.

## Tests

node src/export.test.js, exit code 0, 1 test, "# pass 1".

## Acceptance Before

- M-1: node src/export.test.js ends with 0, but lists no case about a range.
- M-2: grep ends with 1.
`,
      },
    }),
    'planner-executor/implement': () => ({
      work: (root) => {
        for (const name of readdirSync(join(root, DIFFS)).sort()) git(root, 'apply', join(DIFFS, name));
        commit(root, 'Ranges in the export');
      },
      files: {
        [`${DONE}/03-journal.md`]: `# Journal

## Milestones

M-1: the new tests were applied first and failed, since a range was ignored. With C-2 they pass: node src/export.test.js ends with 0 and lists three cases. The line that carries it:

> const inside = rows.filter(({ day }) => (from === undefined || day >= from) && (to === undefined || day < to));
> — src/export.js:5

M-2: the README has the sentence about the last day; grep ends with 0. Both milestones are one commit, because the project is small; that is a deviation.

## Deviations

One commit for both milestones.
`,
      },
    }),
    ...review({ skill: 'qr-post-impl-code', at: `${DONE}/qr/implementation`, prefix: 'IC', round, quotes: AFTER }),
    'tw-post-impl/survey': () => ({
      files: {
        [`${DONE}/04-survey.md`]: `# Survey

## What Changed

- U-1 Callers can name a range of days.

## Documents

- U-1: the README speaks of it:

> writes the rows from the day \`from\` up to, but not including, the day \`to\`.
> — README.md:5

## Reasons

- D-1: in the README.
- D-2: in a comment of src/export.js.
`,
      },
    }),
    'tw-post-impl/write': () => ({
      files: { 'CHANGELOG.md': '# Changelog\n\n- exportRows takes a range of days: from, and to, which is left out.\n' },
    }),
    'tw-post-impl/prove': () => ({
      files: {
        [`${DONE}/05-statements.md`]: `# Statements

## Statements

### U-1

The sentence of the README, and the line of code that makes it true. The first day is in, since the comparison is "at least"; the last one is not, since the comparison is "less than". An open end leaves out nothing.

> up to, but not including, the day \`to\`.
> — README.md:5

> (to === undefined || day < to)
> — src/export.js:5
`,
      },
    }),
    'tw-post-impl/report': () => ({ result: { documents: ['CHANGELOG.md'], open: [] } }),
    ...review({ skill: 'qr-post-impl-docs', at: `${DONE}/qr/documentation`, prefix: 'ID', round, quotes: AFTER }),
    'planner-executor/report': () => ({
      files: {
        [`${DONE}/06-report.md`]: `# Report

## Requirements

| requirement | state | command | deciding line |
|---|---|---|---|
| R-1 | met | node src/export.test.js | ok 2 - a range leaves out its end |
| R-2 | met | node src/export.test.js | ok 1 - all rows are written, a line each |

## Milestones

| milestone | check | before | after |
|---|---|---|---|
| M-1 | node src/export.test.js lists the case | 0, not listed | 0, listed |
| M-2 | grep | 1 | 0 |

## Deviations

One commit for both milestones.

## Follow-ups

None.

## Way Back

git revert HEAD; nothing is stored.
`,
      },
    }),
  };
}
