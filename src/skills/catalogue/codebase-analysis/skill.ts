// Owns the skill codebase-analysis: answers a question about a repository from what its files say. Every claim in the
// answer goes back to a finding, and every finding to a passage that is quoted with its place.

import { arg, defineSkill, formatForbidden } from '../../index.ts';
import { document } from '../document.ts';
import { investigationStep } from '../investigation-step.ts';

const QUESTION = '\\bQ-\\d+\\b';
const AREA = '\\bA-\\d+\\b';
const FINDING = '\\bF-\\d+\\b';

const INVESTIGATION = investigationStep('03-findings.md', {
  sections: [{ title: 'Findings', minWords: 60 }, { title: 'Searched', minItems: 3 }, 'Open', 'Confidence'],
  ids: { pattern: FINDING, min: 3 },
  references: [{ pattern: QUESTION, to: '{folder}/01-scope.md', all: true }],
  quotes: 3,
  texts: (folder) => ({
    first: [
      `Answer every sub-question of ${folder}/01-scope.md from the code, starting at the areas that ${folder}/02-map.md names. Breadth first: get one good finding for every question before you look for a second one.`,
      'For each question, read the code that does the work, then its callers, then the test that pins it. Comments and documents are claims; code, tests and the output of a run are evidence.',
    ],
    sure: [
      `You said that you are sure. Check ${folder}/03-findings.md before you go on: open every cited line again, correct each finding that its line does not support, and note under Searched that you did.`,
      'Add a finding only if this check turned one up.',
    ],
    noRepetition: 'Do not repeat what it already says.',
    medium:
      '1. Take the finding that the answer depends on most and try to refute it: follow one real input through the code line by line, look for a second implementation, a flag, an override, or a caller that does it differently. Run the code if you can.',
    low: '1. Your map has holes. List the files on the main path and in the areas of open questions that you have not opened, and open them; search by the words of the domain, of error messages and of configuration keys, not only by symbol names.',
    tasks: [
      '2. Take the entry under Open that would change the answer most, and resolve it.',
      '3. A finding that turns out wrong keeps its number: strike it through and say what refutes it.',
    ],
    last: 'Leave what you could not resolve under Open, with what it would take to resolve it.',
    sections: [
      '- ## Findings: F-1, F-2, … Each: one sentence that could be proven wrong, the sub-question it answers, a quote that shows it, and how you know that nothing overrides it.',
      "  Good: 'F-4 (Q-2) An expired token is rejected before the handler runs; the only other caller of verify() is the test.' Then the quote.",
      "  Bad: 'F-4 Authentication is handled by the auth module.'",
      '- ## Searched: what you searched for and what you found, including searches without a result.',
      '- ## Open: what is still unknown and could change an answer.',
      '- ## Confidence: per sub-question and overall. medium: every Q has a finding. high: also, each finding quotes code, and nothing under Open would change an answer. certain: also, you traced or ran the decisive case.',
    ],
  }),
});

/** The skill codebase-analysis. */
export default defineSkill({
  name: 'codebase-analysis',
  description:
    'Explores a repository and answers a question about it with quoted evidence. Use it when somebody asks how a codebase works, where something is done, what a change would touch, or wants an overview of code that they do not know. Invoke it immediately; do not read code first.',
  params: {
    question: arg({
      type: 'string',
      default: 'How is this repository built, and how does its main function work from input to result?',
      description: 'what the person wants to know',
    }),
    paths: arg({ type: 'string', default: '.', description: 'the part of the repository to look at' }),
    folder: arg({ type: 'string', default: 'notes/codebase-analysis', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'scope',
      title: 'Scope the Question',
      actions: ({ params: { question, paths, folder } }) => [
        `The question: ${question}`,
        `The part to look at: ${paths}`,
        '',
        'Get an outline before you split the question. Read no source file yet:',
        '- `git ls-files` (or a listing): count the files per top folder and per extension;',
        '- the README and the manifest (package.json, pyproject.toml, go.mod, Cargo.toml, pom.xml, …): name, purpose, scripts, entry points;',
        '- `git log --oneline -20`, and which folders changed most: `git log --name-only --format= -200 | sort | uniq -c | sort -rn | head`.',
        '',
        `Write ${folder}/01-scope.md with these sections:`,
        '- ## Question: what the person asked, in their words, and what they will decide or do with the answer. If that can be read in two ways, write both and say which one you answer.',
        '- ## Sub-questions: Q-1, Q-2, … Each must be answerable from this repository and name the folders or files to start from. Together they answer the question; drop a sub-question whose answer would change nothing.',
        "  Good: 'Q-2 What happens to a request whose token has expired? Start: src/auth, the tests about tokens.'",
        "  Bad: 'Q-2 Understand the authentication.' It has no answer that can be right or wrong.",
        '- ## Outline: the counts, the manifest facts and the folders that change most.',
        '- ## Out of scope: what you will not look at (generated, vendored, other packages), and why.',
      ],
      contract: document('{folder}/01-scope.md', {
        sections: ['Question', { title: 'Sub-questions', minItems: 3 }, { title: 'Outline', minItems: 4 }, 'Out of scope'],
        ids: { pattern: QUESTION, min: 3, max: 10 },
      }),
    },
    {
      id: 'survey',
      title: 'Survey the Structure',
      actions: ({ params: { folder } }) => [
        `Read ${folder}/01-scope.md. Now look at the code in breadth: open the entry points, one file of every folder in scope, and one test of each kind. Skim; the details come in the next step.`,
        '',
        `Write ${folder}/02-map.md with these sections:`,
        '- ## Areas: A-1, A-2, … One line each: folder or module, what it is responsible for, what it imports, who imports it. Take the imports from the code (search for import lines), not from folder names.',
        '- ## Entry points: where execution starts (commands, servers, exported API, jobs), each with a quote of the line that proves it.',
        '- ## Main path: the calls from one entry point to a result, five to ten steps, each `file:function`. Follow the calls; where dispatch is dynamic (registry, plug-in, reflection), say what resolves it.',
        '- ## State and outside: what is stored where, and which external programs, services, environment variables and files the code uses.',
        '- ## Commands: how the project is built, tested and run, from the manifest or CI configuration. Run the cheap ones and note what happened.',
        '- ## Where to look: for each sub-question, the areas that will answer it.',
        "- ## Surprises: where the code does not do what the README or a name says. 'None seen in …' is an answer if it names what you compared.",
        formatForbidden([
          'Do not describe a file that you did not open.',
          'Do not explain what a well-known framework does; say how this code uses it.',
        ]),
      ],
      contract: document('{folder}/02-map.md', {
        sections: [
          { title: 'Areas', minItems: 2 },
          { title: 'Entry points', minItems: 1 },
          { title: 'Main path', minItems: 4 },
          'State and outside',
          { title: 'Commands', minItems: 1 },
          { title: 'Where to look', minItems: 3 },
          'Surprises',
        ],
        ids: { pattern: AREA, min: 2 },
        references: [{ pattern: QUESTION, to: '{folder}/01-scope.md', all: true }],
        quotes: 2,
      }),
    },
    INVESTIGATION,
    {
      id: 'answer',
      title: 'Answer the Question',
      actions: ({ params: { folder, question } }) => [
        `Write the answer to: ${question}`,
        `Use ${folder}/03-findings.md only. If you need a fact that is not there, look it up and add it there as a finding first.`,
        '',
        `Write ${folder}/04-answer.md with these sections:`,
        '- ## Answer: the first sentence answers the question. Then add what a reader must know to act on it, in under 200 words, and cite the findings that support each statement: (F-2, F-5).',
        '- ## How it works: the mechanism in the order in which it happens, with `path:line` at each stage, and quotes for what a reader would otherwise doubt.',
        "- ## By sub-question: one line per Q with its answer and findings. 'Not known: …' is an answer.",
        "- ## Consequences: what this means for what the person wants to do: what a change would touch, which test would notice, what is fragile. Mark what you infer: 'inferred from F-3'.",
        '- ## Not known: everything under Open, and what it would take to find out. If the confidence in 03-findings.md is below high, state that here and in the first paragraph of the answer.',
        '- ## Read first: three to seven files in reading order, each with what to look for.',
        '',
        "Then read it once as somebody who does not know the repository. Delete each sentence that would be true of any codebase ('well structured', 'follows best practices').",
        'Last, show the person the section Answer and where the document is.',
      ],
      contract: document('{folder}/04-answer.md', {
        sections: [
          { title: 'Answer', minWords: 30 },
          { title: 'How it works', minWords: 40 },
          { title: 'By sub-question', minItems: 3 },
          'Consequences',
          'Not known',
          { title: 'Read first', minItems: 3 },
        ],
        references: [
          { pattern: FINDING, to: '{folder}/03-findings.md' },
          { pattern: QUESTION, to: '{folder}/01-scope.md', all: true },
        ],
        ids: { pattern: FINDING, min: 3 },
        quotes: 2,
      }),
    },
  ],
});
