// Owns the skill refactor: finds what makes code hard to change, along ten dimensions, checks each finding against the
// code and its history, and ends with an ordered list of small changes that keep behaviour. It changes no code.

import { arg, defineSkill, formatForbidden } from '../../index.ts';
import { document } from '../document.ts';
import { DIMENSION_COUNT, DIMENSION_TABLE } from './dimensions.ts';

const FINDING = '\\bR-\\d+\\b';
const THEME = '\\bT-\\d+\\b';
const CHANGE = '\\bM-\\d+\\b';

/** The skill refactor. */
export default defineSkill({
  name: 'refactor',
  description:
    'Analyses code along ten dimensions and plans a refactoring as small steps that keep behaviour. Use it when code is hard to change, before a larger feature, or when somebody asks what to clean up. Invoke it immediately; do not change code first.',
  params: {
    target: arg({ type: 'string', default: '.', description: 'the files or folders to look at' }),
    goal: arg({
      type: 'string',
      default: 'the next changes to this code become easier and safer',
      description: 'what the refactoring is for',
    }),
    folder: arg({ type: 'string', default: 'notes/refactor', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'scope',
      title: 'Set the Scope',
      actions: ({ params: { target, goal, folder } }) => [
        `Target: \`${target}\`. Goal: ${goal}.`,
        '',
        `Write ${folder}/01-scope.md with these sections:`,
        '- ## Goal: which change is hard today or comes next, for whom, and how you would notice that it became easier (files touched by such a change, minutes of a test run, lines of a function). Take examples from `git log -- TARGET` and open issues. Improving structure that nobody has to change is not a goal.',
        '- ## Files: the files in scope with their lines, and how often each changed in the last 200 commits: `git log --name-only --format= -200 -- TARGET | sort | uniq -c | sort -rn`. Look first at files that are both large and often changed.',
        '- ## Fixed: what must not change: public names, formats, stored data, performance limits, files owned by others. Say who depends on each.',
        '- ## Safety net: the commands that show that behaviour is unchanged (tests, types, lint, a build). Run them now and write down the result of each and how long it took. List what they do not cover in the target: it is a risk.',
        '- ## Conventions: the code rules of this project (a guide, a linter, what neighbouring code does). Findings are judged by these, not by taste.',
      ],
      contract: document('{folder}/01-scope.md', {
        sections: [
          { title: 'Goal', minWords: 20 },
          { title: 'Files', minItems: 1 },
          { title: 'Fixed', minItems: 1 },
          { title: 'Safety net', minItems: 1 },
          'Conventions',
        ],
        minWords: 100,
      }),
    },
    {
      id: 'detect',
      title: 'Look Along Each Dimension',
      actions: ({ params: { folder } }) => [
        `Go through the files of ${folder}/01-scope.md once per dimension, not once per file: if you look for everything at once, you find only what stands out first.`,
        ...DIMENSION_TABLE,
        '',
        `Write ${folder}/02-findings.md with these sections:`,
        '- ## Findings: R-1, R-2, … Each: dimension, what is there with a quote, and a change that it makes hard: one that has happened or that the goal asks for.',
        "  Good: 'R-3 (duplication) The retry limit is in client.ts and queue.ts; commit 4f1c changed one of them, and 9ab2 fixed the other two weeks later.'",
        "  Bad: 'R-3 client.ts is too long.'",
        `- ## By dimension: one row for each of the ${DIMENSION_COUNT}: what you searched, how many candidates, which R. For a dimension without a finding, say what you looked at.`,
        '- ## Good: what is well designed and must be kept, with its place.',
        formatForbidden([
          'Do not propose a solution here: it would distort the finding.',
          'Do not list style issues that a formatter or linter settles.',
        ]),
      ],
      contract: document('{folder}/02-findings.md', {
        sections: [
          { title: 'Findings', minWords: 80 },
          { title: 'By dimension', minItems: DIMENSION_COUNT },
          { title: 'Good', minItems: 1 },
        ],
        ids: { pattern: FINDING, min: 4 },
        quotes: 4,
      }),
    },
    {
      id: 'check',
      title: 'Check the Findings',
      actions: ({ params: { folder } }) => [
        `Try to refute each R of ${folder}/02-findings.md:`,
        '1. Read all callers and tests of the place. Does your claim hold for all of them?',
        '2. Why is it like this? Look at `git log -L LINES:FILE` or `git log -S TEXT`, the comment, the issue. A reason that still holds refutes the finding: a workaround for another program, a measured optimisation, a format that is stored.',
        '3. For duplication: did the copies ever change for different reasons? Then they are two things that look alike.',
        '4. For dead weight: search for dynamic use (names built from text, reflection, configuration, templates, other repositories).',
        '5. Does it get in the way of the goal in 01-scope.md? Keep a true finding that does not, as minor.',
        '',
        `Write ${folder}/03-checked.md with these sections:`,
        '- ## Checked: one row per R: confirmed, minor or refuted | what you looked at: callers, commit, test | the reason. Below the table, quote the lines that decided the doubtful ones.',
        '- ## Unsure: what only the authors know, as questions to them.',
        'Expect to refute some. If you refute none, check points 1 and 2 once more for the three that you like best.',
      ],
      contract: document('{folder}/03-checked.md', {
        sections: [{ title: 'Checked', minItems: 4 }, 'Unsure'],
        references: [{ pattern: FINDING, to: '{folder}/02-findings.md', all: true }],
        quotes: 1,
        minWords: 80,
      }),
    },
    {
      id: 'group',
      title: 'Group by Cause',
      actions: ({ params: { folder } }) => [
        `Take the confirmed and minor findings of ${folder}/03-checked.md and ask for each pair: is there one decision that, if changed, would remove both? Findings with the same cause are one theme; those in the same file are not.`,
        '',
        `Write ${folder}/04-themes.md with these sections:`,
        '- ## Themes: T-1, T-2, … Each: the cause, stated as the decision that the code embodies today and the one it should embody; its findings (R); the places it touches; what it explains that no single finding explains.',
        "  Good: 'T-1 A run's status is a string that every reader parses; it should be a union with one parser. R-2, R-5, R-9.'",
        "  Bad: 'T-1 Code quality in src/run.'",
        '- ## Alone: findings without a theme. If nothing was confirmed, T-1 is the decision under Good that serves the goal best; it stays as it is.',
        '- ## Conflicts: themes that pull in different directions (one adds a layer where another removes one), and which one yields.',
      ],
      contract: document('{folder}/04-themes.md', {
        sections: [{ title: 'Themes', minWords: 40 }, 'Alone', 'Conflicts'],
        ids: { pattern: THEME, min: 1, max: 8 },
        references: [{ pattern: FINDING, to: '{folder}/02-findings.md' }],
      }),
    },
    {
      id: 'weigh',
      title: 'Weigh Value and Risk',
      actions: ({ params: { folder } }) => [
        `Judge each theme of ${folder}/04-themes.md by what can be counted, with the numbers of ${folder}/01-scope.md.`,
        '| | high | low |',
        '|---|---|---|',
        '| value | the goal needs it, or its files changed in more than a tenth of the commits that were counted | nobody has to change it |',
        '| cost | too large for one review (about 400 changed lines), or many authors | one place |',
        '| risk | behaviour without tests, stored data, public names, concurrency | the safety net would notice |',
        '',
        `Write ${folder}/05-weighed.md with these sections:`,
        '- ## Weighed: one row per T: value, cost, risk, each with its number or reason | do, do later, or leave.',
        '  - high value: do it; with high risk, tests come first and are part of the cost.',
        '  - low value: leave it, even if it is cheap; a minor finding may be fixed together with another change at the same place.',
        '  - high value and high cost: find the part that gives most of the value, and judge that part.',
        '- ## What it looks like after: for each theme to do, one real piece of code as it is (quoted), the same code after the change in a few lines, and the example change of the goal made in both. If the example change is not clearly smaller in the new code, the verdict is leave. If no theme is to be done, show the one that came closest.',
        '- ## Left alone: what is not done and why, so that nobody has to analyse it again.',
      ],
      contract: document('{folder}/05-weighed.md', {
        sections: [{ title: 'Weighed', minItems: 1 }, { title: 'What it looks like after', minWords: 30 }, 'Left alone'],
        references: [{ pattern: THEME, to: '{folder}/04-themes.md', all: true }],
        quotes: 1,
      }),
    },
    {
      id: 'sequence',
      title: 'Order the Changes',
      actions: ({ params: { folder } }) => [
        `Cut the themes to do in ${folder}/05-weighed.md into moves, M-1, M-2, …, each of which can be merged alone, keeps every command of the safety net passing, and can be reverted alone.`,
        "- First the missing tests that pin today's behaviour, odd behaviour included.",
        '- Then preparation that changes nothing (rename, extract, move), then the change, then the removal of the old code. Never move and change code in the same M.',
        '- For a public name or stored format, make three moves: widen it, migrate its users, narrow it.',
        '- About 400 changed lines at most. If no theme is to be done, M-1 is the test that would protect the target most.',
        '',
        `Write ${folder}/06-moves.md with these sections:`,
        '- ## Moves: each: theme, files, what changes in one sentence, what stays the same, the command that shows it and what it must print, how to revert it, and the moves that must come first.',
        '- ## Stop points: after which moves the work can stop for good, and what has been gained by then. Put the first one early.',
        '- ## Signs: what would show that the plan is wrong (a move passes only together with another one, a test has to change), and what to do then.',
      ],
      contract: document('{folder}/06-moves.md', {
        sections: [
          { title: 'Moves', minWords: 40 },
          { title: 'Stop points', minItems: 1 },
          { title: 'Signs', minItems: 1 },
        ],
        ids: { pattern: CHANGE, min: 1, max: 30 },
        references: [{ pattern: THEME, to: '{folder}/04-themes.md' }],
      }),
    },
    {
      id: 'recommend',
      title: 'Recommend',
      actions: ({ params: { folder, goal } }) => [
        `The reader is the person who decides whether to do this; they read one page. The goal: ${goal}.`,
        `Write ${folder}/07-recommendation.md with these sections:`,
        '- ## Recommendation: do it, do a part, or leave it, in the first sentence; what it gains for the goal, in numbers; what it costs; what can go wrong.',
        '- ## First move: the first M in full, so that it can be started without reading on: files, code before (quoted) and after, command and result.',
        `- ## Themes: one line per T: verdict, its moves (M of ${folder}/06-moves.md).`,
        '- ## Questions: what the person has to decide or to ask the authors.',
        '- ## Evidence: how many findings were confirmed, minor and refuted; what you did not look at.',
        'If the honest result is that the code serves its goal, recommend leaving it: an empty plan is a result. Show the person this page.',
        formatForbidden(['Do not start the refactoring.', 'Do not recommend what 05-weighed.md leaves.']),
      ],
      contract: document('{folder}/07-recommendation.md', {
        sections: [
          { title: 'Recommendation', minWords: 30 },
          { title: 'First move', minWords: 20 },
          { title: 'Themes', minItems: 1 },
          'Questions',
          { title: 'Evidence', minWords: 10 },
        ],
        references: [
          { pattern: THEME, to: '{folder}/04-themes.md', all: true },
          { pattern: CHANGE, to: '{folder}/06-moves.md' },
        ],
        quotes: 1,
      }),
    },
  ],
});
