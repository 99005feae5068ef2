// Owns the skill doc-sync: finds what documents say and the code no longer does, in one repository or several, fixes the
// documents, and has the result checked. Each claim and each difference is quoted from both sides.

import { arg, defineSkill, formatDetectionQuestions, formatForbidden, type SkillContext } from '../../index.ts';
import { document } from '../document.ts';

const DOCUMENT = '\\bD-\\d+\\b';
const CLAIM = '\\bC-\\d+\\b';
const DIFFERENCE = '\\bX-\\d+\\b';

/** The repositories as a sentence; `roots` are those beside the current one. */
function repositories({ params: { roots, folder } }: SkillContext): string {
  const others = String(roots)
    .split(/[\s,]+/)
    .filter((root) => root !== '');
  if (others.length === 0) return 'The repository: the current one.';
  return `The repositories: the current one and ${others.join(', ')}. Write every path relative to the current one. A document in one repository may describe code in another: follow names across them. Quotes from another repository are checked against a copy: copy the file, unchanged, to ${folder}/outside/ under the name of its repository, and quote it from there.`;
}

const CLAIM_KINDS = [
  '| kind | example | checked against |',
  '|---|---|---|',
  "| command or flag | 'run `tool build --watch`' | the argument parser, the scripts of the manifest |",
  "| name or signature | 'call `open(path, mode)`' | the export and its parameters |",
  "| value | 'times out after 30 s', 'port 8080' | the constant or default |",
  "| path or link | 'see `src/auth`', `[setup](setup.md)` | the file, the heading |",
  '| example | a code block, a config, an output | running or compiling it; otherwise, looking up every name in it |',
  "| behaviour | 'retries twice, then fails' | the code path and its test |",
  '| structure | a folder table, a diagram, a count | a listing, the imports |',
  "| requirement | 'needs Node 20' | manifest, CI configuration |",
];

/** The skill doc-sync. */
export default defineSkill({
  name: 'doc-sync',
  description:
    'Finds documentation that no longer matches the code, fixes it and verifies the result, in one repository or across several. Use it when documents are out of date, after public behaviour has changed, or before a release. Invoke it immediately; do not edit a document first.',
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
          `Leave out ${folder}, vendored and generated files; for a generated document, list what generates it instead.`,
          '',
          'List the files of each repository with a command (`git ls-files`), so that you miss none. Do not judge them yet.',
          `Write ${folder}/01-inventory.md with these sections:`,
          "- ## Documents: a table: D-1, D-2, … | path | who reads it, for what | the code it describes: paths | last changed | that code last changed. Take both dates from `git log -1 --format=%as -- PATH`; without git, write 'unknown'.",
          since === ''
            ? '- ## Order: the D numbers, most suspect first: documents whose code changed after them; then commands, flags, values and examples before prose; then what newcomers read first before the rest.'
            : `- ## Order: the D numbers, most suspect first: documents that describe something in \`git diff --stat ${since}\`; then documents with commands, flags, values and examples.`,
          '- ## Left out: documents that match the request but are not checked, and why. Leave out changelogs, decision records and dated reports: they describe the time when they were written.',
        ];
      },
      contract: document('{folder}/01-inventory.md', {
        sections: [{ title: 'Documents', minItems: 1 }, { title: 'Order', minWords: 5 }, 'Left out'],
        ids: { pattern: DOCUMENT, min: 1 },
      }),
    },
    {
      id: 'claims',
      title: 'Extract the Claims',
      actions: ({ params: { folder } }) => [
        `Read each document of ${folder}/01-inventory.md from first to last line, in its order, and write down what the code can prove wrong. Do not look at the code yet: whoever knows the answer reads it into the text.`,
        ...CLAIM_KINDS,
        '',
        `Write ${folder}/02-claims.md:`,
        "C-1, C-2, … under a heading per document ('D-2 docs/setup.md'). Each: the kind, the claim in one line, and the quote it comes from. A claim that several documents make is one C with a quote from each: if it has drifted, all of them need the fix.",
        'Include all commands, flags, names, values, paths and examples, and the behaviour that a reader would rely on. Leave out opinions, plans and tutorials for other products.',
        'For a document without claims, write its heading and a line that says what kind of text it is.',
        formatForbidden([
          'Do not quote from memory: copy the line from the file.',
          "Do not sum up a section as one claim ('describes the configuration'): each option is a claim.",
        ]),
      ],
      contract: document('{folder}/02-claims.md', {
        minWords: 40,
        ids: { pattern: CLAIM, min: 3 },
        references: [{ pattern: DOCUMENT, to: '{folder}/01-inventory.md', all: true }],
        quotes: 3,
      }),
    },
    {
      id: 'compare',
      title: 'Compare with the Code',
      actions: ({ params: { folder } }) => [
        `Take the claims of ${folder}/02-claims.md one by one. For each: say where in the code the truth must be, look there, then judge. Run what is safe to run (\`--help\`, a listing, an example in a temporary folder); read the rest.`,
        '',
        `Write ${folder}/03-drift.md with these sections:`,
        "- ## Verdicts: one row per C: holds, drifted or unverifiable | where you looked (`path:line` or the command) | what is there. 'holds' without a place counts as not checked. For an unverifiable claim, say what it would take to verify it.",
        '- ## Drift: X-1, X-2, … Each: its claims, a quote of the document, a quote of the code that contradicts it, and what a reader who believes the document would do wrong. A half-true claim has drifted.',
        '- ## Missing: the other direction. List the public surface from the code (commands, flags, settings, environment variables, exported names, routes) and mark what no document mentions. Add an X for what a user cannot find out in another way.',
        formatDetectionQuestions([
          'Is the name spelled exactly like this, with the same case and hyphens?',
          'Is the default set in one place, or overridden by another (environment, configuration, caller)?',
          'Does the example use an option, an import or a file that was renamed?',
          'Does the sentence still hold for the error case and the empty case?',
          'Was something removed that the document still explains?',
        ]),
        'If nothing drifted, check the five claims that you trusted most again, by running them or at a second place in the code; X-1 is then the claim that the next code change is most likely to break.',
      ],
      contract: document('{folder}/03-drift.md', {
        sections: [{ title: 'Verdicts', minItems: 3 }, 'Drift', { title: 'Missing', minItems: 1 }],
        ids: { pattern: DIFFERENCE, min: 1 },
        references: [{ pattern: CLAIM, to: '{folder}/02-claims.md', all: true }],
        quotes: 2,
      }),
    },
    {
      id: 'decide',
      title: 'Decide Which Side Is Wrong',
      actions: ({ params: { folder } }) => [
        `For each X of ${folder}/03-drift.md decide which side is wrong. The code is what runs, but it can be the mistake:`,
        '| what you see | decision |',
        '|---|---|',
        '| a commit or test shows that the change was intended (`git log -S TEXT -- PATH`) | fix the document |',
        '| a test, a type or a second document agrees with the document, and only one place in the code differs | the code may be wrong: leave the document, report it |',
        '| the document promises something to users (compatibility, security, a limit) | ask the person; leave it until they answer |',
        '| it was never true, or is planned | remove it, or mark it as planned if an issue says so |',
        '| the repositories cannot tell | ask the person |',
        '',
        `Write ${folder}/04-decisions.md with these sections:`,
        '- ## Decisions: one row per X: fix, remove, add, report, ask, or leave (it holds) | the evidence: commit, test, line | the files and headings to change. Include every document that repeats the claim (search for its words in all documents, comments, help texts and examples).',
        '- ## For the person: what you report or ask, each as one question with both sides.',
      ],
      contract: document('{folder}/04-decisions.md', {
        sections: [{ title: 'Decisions', minItems: 1 }, 'For the person'],
        references: [{ pattern: DIFFERENCE, to: '{folder}/03-drift.md', all: true }],
      }),
    },
    {
      id: 'fix',
      title: 'Fix the Documents',
      actions: ({ params: { folder } }) => [
        `Carry out ${folder}/04-decisions.md in the documents, in the repository each belongs to:`,
        '- Make the smallest change that makes the passage true. Keep the voice, format and line width of the document, and its headings: links point to them.',
        "- Describe the current state. No 'previously', 'as of this change', 'now also'.",
        '- Copy names, flags and values from the code. Run every command and example that you write, if that is safe.',
        '- Fix a generated document in its source and generate it again. Fix a document of another repository there, then copy it again.',
        '- Do not change what you report or ask about.',
        '',
        `Write ${folder}/05-changes.md with these sections:`,
        '- ## Changes: per X the file, what it said, and a quote of the passage as it stands now. For an X that you did not change, quote the passage that stays.',
        '- ## Ran: each command and example that you ran, with its result.',
        formatForbidden([
          'Do not change code, tests or configuration, even where they are wrong: report that instead.',
          'Do not rewrite, reorder or polish what did not drift.',
        ]),
      ],
      contract: document('{folder}/05-changes.md', {
        sections: ['Changes', 'Ran'],
        references: [{ pattern: DIFFERENCE, to: '{folder}/03-drift.md', all: true }],
        quotes: 1,
      }),
    },
    {
      id: 'verify',
      title: 'Verify',
      fresh: true,
      actions: (context) => {
        const { folder } = context.params;
        return [
          `Check the documents as a reader who wrote none of these changes. ${repositories(context)}`,
          `1. \`git status --short\` and \`git diff\` in each repository: apart from ${folder}, only documents may have changed, each by a decision in ${folder}/04-decisions.md.`,
          `2. For each X of ${folder}/03-drift.md: read the current passage in the document, derive from it what you would find in the code, then look. Do not read 05-changes.md before that.`,
          '3. Follow every link and path in the passages that changed. Run their commands and examples if that is safe.',
          '4. Search all documents for the old wording of each X (old name, old value): none of it may be left.',
          `5. Take the three least plausible claims of ${folder}/02-claims.md that were judged 'holds', and check them yourself.`,
          '',
          `Write ${folder}/06-report.md with these sections:`,
          '- ## Checks: one row per X and one for each of points 1, 3, 4 and 5: what you looked at or ran | what you saw | right or wrong. Quote the changed passage that matters most.',
          '- ## Corrected: the small slips (a typo, a wrong path) that you corrected yourself. Do not correct anything larger in this step.',
          '- ## Left for the person: what is still wrong, what step 4 reported or asked, what could not be verified. Begin with the most harmful.',
          '- ## Summary: the numbers of documents checked and of claims checked, drifted, fixed and left, then three sentences.',
          'Show the person the summary and what is left for them. If an agent started you, return both to it for the person.',
        ];
      },
      contract: document('{folder}/06-report.md', {
        sections: [{ title: 'Checks', minItems: 4 }, 'Corrected', 'Left for the person', { title: 'Summary', minWords: 20 }],
        references: [
          { pattern: DIFFERENCE, to: '{folder}/03-drift.md', all: true },
          { pattern: CLAIM, to: '{folder}/02-claims.md' },
        ],
        quotes: 1,
      }),
    },
  ],
});
