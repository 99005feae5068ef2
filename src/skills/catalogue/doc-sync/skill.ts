// Owns the skill doc-sync: finds what documents say and the code no longer does, in one repository or several, fixes the
// documents, and has the result checked. Each claim and each difference is quoted from both sides.

import { arg, defineSkill, formatDetectionQuestions, formatForbidden, type SkillContext } from '../../index.ts';

const DOCUMENT = '\\bD-\\d+\\b';
const CLAIM = '\\bC-\\d+\\b';
const DIFFERENCE = '\\bX-\\d+\\b';

/** The repositories as a sentence; `roots` are those beside the current one. */
function repositories({ params: { roots, folder } }: SkillContext): string {
  const others = String(roots)
    .split(/[\s,]+/)
    .filter((root) => root !== '');
  if (others.length === 0) return 'The repository: the current one.';
  return `The repositories: the current one and ${others.join(', ')}. Write every path as it is reached from the current one. Code may be described by a document of another repository: follow names across them. A quote from another repository is checked against a copy: copy the file, unchanged, to ${folder}/outside/ under the name of its repository, and quote it from there.`;
}

const CLAIM_KINDS = [
  '| kind | example | checked against |',
  '|---|---|---|',
  "| command or flag | 'run `tool build --watch`' | the argument parser, the scripts of the manifest |",
  "| name or signature | 'call `open(path, mode)`' | the export and its parameters |",
  "| value | 'times out after 30 s', 'port 8080' | the constant or default |",
  "| path or link | 'see `src/auth`', `[setup](setup.md)` | the file, the heading |",
  '| example | a code block, a config, an output | running or compiling it; else reading every name in it |',
  "| behaviour | 'retries twice, then fails' | the code path and its test |",
  '| structure | a folder table, a diagram, a count | a listing, the imports |',
  "| requirement | 'needs Node 20' | manifest, CI configuration |",
];

/** The skill doc-sync. */
export default defineSkill({
  name: 'doc-sync',
  description:
    'Finds documentation that no longer matches the code, fixes it and verifies the result, in one repository or across several. Use it when documents are out of date, after a change of public behaviour, or before a release. Invoke it immediately; edit no document before.',
  params: {
    documents: arg({
      type: 'string',
      default: 'every README, AGENTS.md or CLAUDE.md, docs folder, and other prose that users or developers read',
      description: 'which documents to check',
    }),
    since: arg({ type: 'string', default: '', description: 'a git revision: look first at what changed after it' }),
    roots: arg({ type: 'string', default: '', description: 'further repositories, separated by commas: ../service,../client' }),
    folder: arg({ type: 'string', default: 'notes/doc-sync', description: 'where its own documents are written' }),
  },
  steps: [
    {
      id: 'inventory',
      title: 'List the Documents',
      actions: (context) => {
        const { documents, since, folder } = context.params;
        return [
          `The documents: ${documents}.`,
          repositories(context),
          `Leave out ${folder}, vendored and generated files; for a generated document, list what generates it in its place.`,
          '',
          'List files by command in each repository (`git ls-files`), so that none is forgotten. Do not judge them yet.',
          `Write ${folder}/01-inventory.md with these sections:`,
          "- ## Documents: a table: D-1, D-2, … | path | who reads it, for what | the code it describes: paths | last changed | that code last changed. Take both dates from `git log -1 --format=%as -- PATH`; without git, write 'unknown'.",
          since === ''
            ? '- ## Order: the D numbers, most suspect first: code that changed after its document; documents with commands, flags, values and examples before prose; what newcomers read first before the rest.'
            : `- ## Order: the D numbers, most suspect first. First those that describe something in \`git diff --stat ${since}\`; then documents with commands, flags, values and examples.`,
          '- ## Left out: what matches the request and is not checked, and why. A changelog, a decision record or a dated report describes its own time: leave it out.',
        ];
      },
      contract: {
        documents: [
          {
            path: '{folder}/01-inventory.md',
            sections: [{ title: 'Documents', minItems: 1 }, { title: 'Order', minWords: 5 }, 'Left out'],
            ids: { pattern: DOCUMENT, min: 1 },
          },
        ],
      },
    },
    {
      id: 'claims',
      title: 'Extract the Claims',
      actions: ({ params: { folder } }) => [
        `Read each document of ${folder}/01-inventory.md from first to last line, in its order, and write down what the code can prove wrong. Do not look at the code yet: who knows the answer reads it into the text.`,
        ...CLAIM_KINDS,
        '',
        `Write ${folder}/02-claims.md:`,
        "C-1, C-2, … under a heading per document ('D-2 docs/setup.md'). Each: the kind, the claim in one line, and the quote it comes from. A claim that several documents make is one C with a quote of each: when it has drifted, all of them need the fix.",
        'Take all commands, flags, names, values, paths and examples. Of behaviour, take what a reader would rely on. Leave out opinions, plans and tutorials of other products.',
        'A document without a claim gets its heading and a line that says what kind of text it is.',
        formatForbidden([
          'Do not quote from memory: copy the line from the file.',
          "Do not sum a section up as one claim ('describes the configuration'): each option is one.",
        ]),
      ],
      contract: {
        documents: [
          {
            path: '{folder}/02-claims.md',
            minWords: 40,
            ids: { pattern: CLAIM, min: 3 },
            references: [{ pattern: DOCUMENT, to: '{folder}/01-inventory.md', all: true }],
            quotes: 3,
          },
        ],
      },
    },
    {
      id: 'compare',
      title: 'Compare with the Code',
      actions: ({ params: { folder } }) => [
        `Take the claims of ${folder}/02-claims.md one by one. For each: say where the truth must be, look there, then judge. Run what can be run without harm (\`--help\`, a listing, an example in a temporary folder); the rest is read.`,
        '',
        `Write ${folder}/03-drift.md with these sections:`,
        "- ## Verdicts: one row per C: holds, drifted or unverifiable | the place you looked at (`path:line` or the command) | what is there. 'holds' without a place counts as not checked. Unverifiable: say what it would take.",
        '- ## Drift: X-1, X-2, … Each: its claims, a quote of the document, a quote of the code that contradicts it, and what a reader who believes the document would do wrong. Half true counts as drifted.',
        '- ## Missing: the other direction. List the public surface from the code (commands, flags, settings, environment variables, exported names, routes) and mark what no document mentions. What a user cannot find out otherwise gets an X as well.',
        formatDetectionQuestions([
          'Is the name spelled exactly so, with this case and these hyphens?',
          'Is the default set in one place, or overridden by another (environment, configuration, caller)?',
          'Does the example use an option, an import or a file that was renamed?',
          'Does the sentence still hold for the error case and the empty case?',
          'Was something removed that the document still explains?',
        ]),
        'If nothing drifted, check the five claims that you trusted most once more by running or by a second place in the code; X-1 is then the claim that the next change of the code is most likely to break.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/03-drift.md',
            sections: [{ title: 'Verdicts', minItems: 3 }, 'Drift', { title: 'Missing', minItems: 1 }],
            ids: { pattern: DIFFERENCE, min: 1 },
            references: [{ pattern: CLAIM, to: '{folder}/02-claims.md', all: true }],
            quotes: 2,
          },
        ],
      },
    },
    {
      id: 'decide',
      title: 'Decide Which Side Is Wrong',
      actions: ({ params: { folder } }) => [
        `For each X of ${folder}/03-drift.md decide which side is wrong. The code is what runs, but it can be the mistake:`,
        '| what you see | decision |',
        '|---|---|',
        '| commit or test shows that the change was meant (`git log -S TEXT -- PATH`) | fix the document |',
        '| a test, a type or a second document agrees with the document, and only one place in the code differs | code suspected: leave the document, report it |',
        '| the document promises something to users (compatibility, security, a limit) | ask the person; until then leave it |',
        '| it was never true, or is planned | remove it, or mark it as planned if an issue says so |',
        '| nobody can know from the repositories | ask the person |',
        '',
        `Write ${folder}/04-decisions.md with these sections:`,
        '- ## Decisions: one row per X: fix, remove, add, report, ask, or leave (it holds) | the evidence: commit, test, line | the files and headings to change. Include every document that repeats the claim (search for its words in all documents, also in comments, help texts and examples).',
        '- ## For the person: what is reported or asked, each as one question with the two sides.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/04-decisions.md',
            sections: [{ title: 'Decisions', minItems: 1 }, 'For the person'],
            references: [{ pattern: DIFFERENCE, to: '{folder}/03-drift.md', all: true }],
          },
        ],
      },
    },
    {
      id: 'fix',
      title: 'Fix the Documents',
      actions: ({ params: { folder } }) => [
        `Carry out ${folder}/04-decisions.md in the documents, in the repository each belongs to:`,
        '- Change the smallest passage that makes it true. Keep the voice, format and line width of the document, and its headings: links point to them.',
        "- Write what is so now. No 'previously', 'as of this change', 'now also'.",
        '- Take names, flags and values from the code by copying. Run every command and example that you write, where that does no harm.',
        '- A generated document is fixed in its source and generated again. A document of another repository is fixed there, then copied again.',
        '- What is reported or asked stays as it is.',
        '',
        `Write ${folder}/05-changes.md with these sections:`,
        '- ## Changes: per X the file, what it said, and a quote of the passage as it stands now. For an X that was left alone, quote the passage that stays.',
        '- ## Ran: each command and example that you ran, and how it ended.',
        formatForbidden([
          'Do not change code, tests or configuration, even where they are wrong: that is reported.',
          'Do not rewrite, reorder or polish what did not drift.',
        ]),
      ],
      contract: {
        documents: [
          {
            path: '{folder}/05-changes.md',
            sections: ['Changes', 'Ran'],
            references: [{ pattern: DIFFERENCE, to: '{folder}/03-drift.md', all: true }],
            quotes: 1,
          },
        ],
      },
    },
    {
      id: 'verify',
      title: 'Verify',
      fresh: true,
      actions: (context) => {
        const { folder } = context.params;
        return [
          `Check the documents as a reader who wrote none of this. ${repositories(context)}`,
          `1. \`git status --short\` and \`git diff\` in each repository: what changed must be decided in ${folder}/04-decisions.md, and must be documents (beside ${folder}).`,
          `2. For each X of ${folder}/03-drift.md: read the passage in the document as it stands, derive from it what you would find in the code, then look. Do not read 05-changes.md before you have.`,
          '3. Follow every link and path in the passages that changed. Run their commands and examples where that does no harm.',
          '4. Search all documents for the old wording of each X (old name, old value): nothing may be left.',
          `5. Take three claims of ${folder}/02-claims.md that were judged 'holds', the least likely ones, and check them yourself.`,
          '',
          `Write ${folder}/06-report.md with these sections:`,
          '- ## Checks: one row per X and one for each of points 1, 3, 4 and 5: what you looked at or ran | what you saw | right or wrong. Quote the changed passage that matters most.',
          '- ## Corrected: a slip (a typo, a wrong path) you correct yourself and list here. Anything larger is not corrected here.',
          '- ## Left for the person: what is still wrong, what was reported or asked in step 4, what could not be verified. Begin with the most harmful.',
          '- ## Summary: documents checked, claims checked, drifted, fixed, left: numbers, then three sentences.',
          'Show the person (or return to whoever sent you, to show the person) the summary and what is left for them.',
        ];
      },
      contract: {
        documents: [
          {
            path: '{folder}/06-report.md',
            sections: [{ title: 'Checks', minItems: 4 }, 'Corrected', 'Left for the person', { title: 'Summary', minWords: 20 }],
            references: [
              { pattern: DIFFERENCE, to: '{folder}/03-drift.md', all: true },
              { pattern: CLAIM, to: '{folder}/02-claims.md' },
            ],
            quotes: 1,
          },
        ],
      },
    },
  ],
});
