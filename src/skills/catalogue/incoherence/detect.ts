// Steps 1 to 12 of `incoherence`: claims are collected from every kind of source, compared with the code, with each other
// and with what runs, and what seems to contradict itself is handed to an agent that tries to explain it away.
//
// Silence is never a finding, and a search that finds nothing is a result: no step asks for a number of contradictions.

import {
  branchRouting,
  formatFactoredVerificationRationale,
  formatForbidden,
  formatIncorrectBehavior,
  type SkillWorkStep,
} from '../../index.ts';
import { document } from '../document.ts';
import { CLAIMS, claimStep } from './claims.ts';

const CANDIDATES = '\\bK-\\d+\\b';

/** Finds contradictions, and ends with those that nobody could explain. */
export const DETECT_STEPS: readonly SkillWorkStep[] = [
  {
    id: 'scope',
    title: 'Scope',
    actions: ({ params: { folder, paths } }) => [
      `List the tracked files under ${paths} (git ls-files) and sort them by kind: specification, documents, help and messages, configuration and schemas, code, tests, examples, build and CI, history. Write ${folder}/01-scope.md:`,
      '- Sources: a row per kind: paths, number of files, newest change (git log -1 --format=%cs -- PATH), and whether you will read all of it or which part. Read the specification and the entry documents in full.',
      "- Authority: for each pair of kinds, which side takes precedence here, and where that is written ('the schema is generated from the types', 'docs/api.md is the contract'). 'Not written anywhere' is an answer. This only shapes later recommendations: a person decides.",
      '- Left out: vendored, generated and archived files, each with its reason. For generated files, name what they are generated from: a mistake in them is fixed there.',
    ],
    contract: document('{folder}/01-scope.md', {
      sections: [{ title: 'Sources', minItems: 3 }, { title: 'Authority', minItems: 1 }, 'Left out'],
      minWords: 80,
    }),
  },
  {
    id: 'dimensions',
    title: 'What to Compare',
    actions: ({ params: { folder } }) => [
      `Choose at least five dimensions, D-1, D-2 …, in which sources of ${folder}/01-scope.md can contradict each other. Write ${folder}/02-dimensions.md.`,
      [
        '| dimension | typical contradiction |',
        '|---|---|',
        '| limits and defaults | the document says 30 s, the code waits 10 |',
        '| names | a flag, variable, path or field that was renamed in one place |',
        '| behaviour | what happens on empty, twice, late, in parallel |',
        '| failure | which error, which exit code, what is undone |',
        '| interface | parameters, types, required or optional, what is returned |',
        '| order and states | steps of a setup, allowed transitions, what must come first |',
        '| rights and safety | who may do what, what is validated, what is logged |',
        '| versions | supported platforms, dependencies, what is deprecated since when |',
        "| counts and lists | 'the five stages' above a table of six |",
        '| words | one word for two things, two words for one |',
      ].join('\n'),
      '- Dimensions: per dimension, which two kinds of source you will compare, and why contradictions are likely there (changed often, written by different people, copied).',
      '- Searches: per dimension a search that finds its claims, with the number of hits. Run each now; refine a search that has no hits or thousands of them.',
      '- Left out: dimensions that do not apply, with the reason.',
    ],
    contract: document('{folder}/02-dimensions.md', {
      sections: [{ title: 'Dimensions', minItems: 5 }, { title: 'Searches', minItems: 5 }, 'Left out'],
      ids: { pattern: '\\bD-\\d+\\b', min: 5 },
    }),
  },
  claimStep({
    id: 'claims-documents',
    title: 'Claims of Specification and Documents',
    file: '03-claims-documents.md',
    kind: CLAIMS.documents,
    quotes: 5,
    where: [
      'Read the specification and the entry documents from the first line to the last, the others by the searches of 02-dimensions.md. Tables, captions, examples and footnotes make claims just as sentences do.',
    ],
  }),
  claimStep({
    id: 'claims-configuration',
    title: 'Claims of Configuration, Schemas and Messages',
    file: '04-claims-configuration.md',
    kind: CLAIMS.configuration,
    quotes: 2,
    where: [
      'Look at defaults and sample values, schemas and types, manifests, CI, environment samples, help texts and error messages. If the program runs here, print its help and compare it with the source of the help text.',
      'A default that is set in several layers is several claims: write down each layer.',
    ],
  }),
  claimStep({
    id: 'claims-comments',
    title: 'Claims of Comments and Tests',
    file: '05-claims-comments.md',
    kind: CLAIMS.comments,
    quotes: 2,
    where: [
      "Search comments for 'must', 'never', 'always', 'only', 'at most', 'default', 'see', 'deprecated', 'for now' and for numbers. The name of a test is a claim, and so are the values that it expects.",
      'Start with comments that are older than their code: git blame shows which code lines are newer than the comment above them.',
    ],
  }),
  {
    id: 'facts',
    title: 'What the Code Does',
    actions: ({ params: { folder } }) => [
      `For every claim of 03, 04 and 05 find the place in the code that decides it, and read on until you know which value or branch takes effect: argument, environment, file, default, in the order in which they actually override each other. Write ${folder}/06-facts.md:`,
      '- Verdicts: a row per claim: id, the path:line that decides it, what happens there, and one verdict.',
      [
        '| verdict | when |',
        '|---|---|',
        '| agrees | you read the deciding line, and it does what the claim says |',
        '| differs | you read it, and it does something else |',
        '| narrower | true only under a condition that the claim does not name |',
        '| nothing decides | no code is responsible; say where you looked |',
        '| undecided | only a run can tell; say which |',
      ].join('\n'),
      '- Deciding lines: quote the line that decides each claim that differs or is narrower, and each claim that a reader depends on most, even if it agrees.',
      formatIncorrectBehavior("A row says 'agrees', and its place is the line on which a constant is declared.", {
        consequence: 'the constant is never used, or overridden two calls later, and the contradiction stays hidden',
      }),
    ],
    contract: document('{folder}/06-facts.md', {
      sections: [{ title: 'Verdicts', minItems: 9 }, 'Deciding lines'],
      references: Object.values(CLAIMS).map(({ letter, file }) => ({
        pattern: `\\b${letter}-\\d+\\b`,
        to: `{folder}/${file}`,
        all: true as const,
      })),
      quotes: 3,
    }),
  },
  {
    id: 'cross-check',
    title: 'Sources Against Each Other',
    actions: ({ params: { folder } }) => [
      `Ignore the code in this step. Sort the claims of 03, 04 and 05 by their subject and compare those about the same thing. Write ${folder}/07-cross-check.md:`,
      '- Subjects: a row per subject with two claims or more: the ids, and one of: same, differs in words only, differs.',
      '- Differs: for each such row, what exactly differs: the value, the unit, the condition, the time, who does it.',
      '- Counted: recount every list, table and series that a text gives a number for. Look up every cross-reference to a section, file or command: does it exist?',
      '- Words: terms that two sources use for different things, and things that have two names. List one only if it would make a reader act wrongly.',
      'Compare subjects, not wordings: search for synonyms and units (30 s, 30000, half a minute) before you decide that only one source mentions it.',
    ],
    contract: document('{folder}/07-cross-check.md', {
      sections: [{ title: 'Subjects', minItems: 2 }, 'Differs', { title: 'Counted', minItems: 1 }, 'Words'],
      references: Object.values(CLAIMS).map(({ letter, file }) => ({ pattern: `\\b${letter}-\\d+\\b`, to: `{folder}/${file}` })),
    }),
  },
  {
    id: 'reverse',
    title: 'From the Code Back',
    actions: ({ params: { folder } }) => [
      `So far you started from texts and saw only what they mention. Now start from the code. Write ${folder}/08-reverse.md:`,
      "- Places: at least five places in the code where decisions are made and texts fall behind. Find them by change (git log --since='6 months ago' --name-only --format= | sort | uniq -c | sort -rn | head -20) and by kind: constants, flags, environment variables, error codes, exported names, validation, permissions. Per place: what it decides, and what every text says about it (search by name and by meaning).",
      '- Differs: where a text says something else. Quote both.',
      "- Only there: what only the code has and no text mentions. That is not a contradiction, unless a text claims to be complete ('all flags', 'the only way').",
    ],
    contract: document('{folder}/08-reverse.md', {
      sections: [{ title: 'Places', minItems: 5 }, 'Differs', 'Only there'],
      minWords: 100,
    }),
  },
  {
    id: 'runs',
    title: 'Run What Can Be Run',
    actions: ({ params: { folder } }) => [
      'Run what reading could not settle: claims that are undecided or narrower in 06-facts.md, commands and examples that documents promise to work, printed help, and defaults that can be observed.',
      `Write ${folder}/09-runs.md. Runs: a row per run: the command, its exit code, the relevant lines of its output, and the claims that it decides. Still undecided: what you could not run, and why (needs a network, a secret, an hour).`,
      'Work in a temporary copy of the repository. If nothing in this repository can be run, check one documented path, name or link per document instead, and record those as runs.',
      formatForbidden([
        'Running anything that publishes, deploys, sends or deletes, or that needs credentials.',
        'Recording a run that you did not make, or output that you did not copy.',
      ]),
    ],
    contract: document('{folder}/09-runs.md', { sections: [{ title: 'Runs', minItems: 1 }, 'Still undecided'] }),
  },
  {
    id: 'candidates',
    title: 'Candidates',
    actions: ({ params: { folder } }) => [
      `Collect everything that differs in 06 to 09 in ${folder}/10-candidates.md as K-1, K-2 …, one per subject: if one decision would settle it, it is one candidate, however many places repeat it.`,
      'A candidate has four parts: the subject; a quotation of each side, from two places; and the sentence that makes it a contradiction:',
      "'If the first holds, then … . The second says … . Both cannot hold when … .'",
      "If you cannot finish that sentence, it is not a contradiction: it may be a gap, a vague passage or a matter of style. Put it under Not contradictions, with one line on what it is. Mark each candidate strong or weak. If nothing is strong, take the closest pairs you saw as weak candidates: the next step tries to explain them, and 'none' is a good result.",
      formatIncorrectBehavior("K-3: 'README says the tool is fast' against 'tests take 4 minutes'.", {
        consequence: 'the sentence cannot be finished; the person reads noise and stops reading',
      }),
    ],
    contract: document('{folder}/10-candidates.md', {
      sections: [{ title: 'Candidates', minWords: 40 }, 'Not contradictions'],
      ids: { pattern: CANDIDATES, min: 1 },
      quotes: 2,
    }),
  },
  {
    id: 'refutation',
    title: 'Refutation',
    fresh: true,
    actions: ({ params: { folder } }) => [
      `An agent that did none of steps 1 to 10 must do this step. If you did any of them, start a new agent and give it only this text. It reads ${folder}/10-candidates.md and the repository, and nothing else in ${folder}.`,
      `Try to explain each candidate away. Write ${folder}/11-refutation.md; Verdicts has a row per candidate: explained, confirmed or unsure, and the reason.`,
      formatFactoredVerificationRationale(
        'Per candidate: read the sentence, write down what you expect at both places, then open both with 30 lines around them, then compare.',
      ),
      [
        '| it is explained if | look at |',
        '|---|---|',
        '| the sides are about different things, layers, units or moments | the definition of the subject |',
        '| a condition separates them | the branch, the platform, the mode, the version |',
        '| one is history, a proposal, an example or a test of a wrong value | its heading, its date, the text around it |',
        '| one is overridden before it takes effect | the callers, the order of configuration |',
        '| the quotation leaves out what agrees | the lines before and after |',
      ].join('\n'),
      'An explanation is a place, not a thought: quote the line that explains the candidate. For a confirmed candidate, quote what shows that no row applies. Mark an unsure one; it counts as confirmed.',
      'The step passes if a candidate is confirmed or unsure. If all are explained, it fails; then only the report is left.',
    ],
    routing: branchRouting({ ifPass: 12, ifFail: 21 }),
    contract: document('{folder}/11-refutation.md', {
      sections: [{ title: 'Verdicts', minItems: 1 }],
      references: [{ pattern: CANDIDATES, to: '{folder}/10-candidates.md', all: true }],
      quotes: 1,
      minWords: 60,
    }),
  },
  {
    id: 'findings',
    title: 'Findings',
    actions: ({ params: { folder } }) => [
      `Write ${folder}/12-findings.md for a person who has not seen your notes. F-1, F-2 …: every candidate that ${folder}/11-refutation.md marks confirmed or unsure, the most serious first. Name the candidate (K-n) in each.`,
      'Per finding, in this order:',
      '1. Subject, in a line without code.',
      '2. The two quotations, from two places, and the sentence that says why both cannot hold.',
      '3. Effect: who does what wrong because of it. Severity: MUST if somebody who follows one of the two gets something wrong, lost or leaked, or a promise of the specification is broken; SHOULD if nothing is wrong today, but whoever changes this place next will be misled; COULD if a reader is only puzzled.',
      '4. Which side is probably right, by evidence: authority (01), age (git log -1 --format=%cs on both places), tests, runs (09). Say what supports the other side.',
      'End with Overview: a row per finding: id, subject, severity, the two places.',
    ],
    contract: document('{folder}/12-findings.md', {
      sections: [{ title: 'Overview', minItems: 1 }],
      ids: { pattern: '\\bF-\\d+\\b', min: 1 },
      references: [{ pattern: CANDIDATES, to: '{folder}/11-refutation.md' }],
      quotes: 2,
      minWords: 80,
    }),
  },
];
