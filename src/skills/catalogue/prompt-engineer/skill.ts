// Owns the skill prompt-engineer: improves a prompt, repairs one that fails, orders several that work together, or writes a
// new one. The cases by which the result is judged are fixed before anything is written. The scope chooses the steps.

import { arg, defineSkill, formatForbidden, linearRouting, type Routing, type SkillContext } from '../../index.ts';
import { document } from '../document.ts';
import { CAUSE_TABLE, SCOPE_TABLE, SCOPES, type Scope, TECHNIQUE_TABLE } from './techniques.ts';

const CASE = '\\bX-\\d+\\b';
const INSTRUCTION = '\\bI-\\d+\\b';
const PROPOSAL = '\\bP-\\d+\\b';

/** The steps that each scope takes after triage. */
const PATHS: Readonly<Record<Scope, readonly number[]>> = {
  greenfield: [5, 6, 7],
  'single-prompt': [2, 5, 6, 7],
  problem: [2, 4, 5, 6, 7],
  ecosystem: [2, 3, 4, 5, 6, 7],
};

function scopeOf({ params }: SkillContext): Scope {
  return params.scope as Scope;
}

/** The next step of the scope. */
function nextOf(context: SkillContext): Routing {
  return linearRouting({ to: PATHS[scopeOf(context)].find((step) => step > context.step) as number });
}

/** What earlier steps of the scope leave for the design. */
const DESIGN_INPUT: Readonly<Record<Scope, (folder: unknown) => string>> = {
  greenfield: (folder) => `There is no prompt yet: design one from ${folder}/01-triage.md. One P per part of the prompt.`,
  'single-prompt': (folder) => `Design from the weak instructions in ${folder}/02-reading.md. One P per change.`,
  problem: (folder) => `Design changes that remove the causes in ${folder}/04-diagnosis.md, and nothing else. One P per change.`,
  ecosystem: (folder) =>
    `Design changes that remove the causes in ${folder}/04-diagnosis.md. Change the seams (${folder}/03-map.md) before the prompts: for each shared word and each rule, decide which prompt owns it. One P per change.`,
};

/** The skill prompt-engineer. */
export default defineSkill({
  name: 'prompt-engineer',
  description:
    'Improves prompts and proves it: one prompt, several that work together, one that fails, or a new one. Use it when somebody wants a prompt, system prompt, agent instruction or skill written, reviewed, shortened or repaired. Invoke it immediately; do not rewrite anything first.',
  params: {
    scope: arg({ choices: SCOPES, default: 'single-prompt', description: 'what kind of work it is; this decides the steps' }),
    request: arg({ type: 'string', default: 'what the person asked for', description: 'what should be better' }),
    prompts: arg({ type: 'string', default: 'those that the person named', description: 'the files that hold the prompts' }),
    folder: arg({ type: 'string', default: 'notes/prompt-engineer', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'triage',
      title: 'Triage',
      actions: (context) => [
        `The request: ${context.params.request}. The prompts: ${context.params.prompts}. The scope of this run: ${scopeOf(context)}.`,
        ...SCOPE_TABLE,
        'If another row fits better, stop and start this skill again with that scope, because it has different steps.',
        '',
        `Write ${context.params.folder}/01-triage.md with these sections:`,
        '- ## Scope: why this row and not its neighbour.',
        '- ## Setting: where each prompt is (path), what assembles it, what is filled in, which model or agent reads it with which tools, who or what reads the output, and what a wrong output costs. Read this in the code that makes the call.',
        '- ## Success: K-1, K-2, … Anybody can check each one in a single output without asking you: valid JSON by schema S; names the file; at most 120 words. Not: good, clear, helpful.',
        '- ## Cases: X-1, X-2, … The inputs by which the result will be judged; they are fixed now. Prefer real inputs from logs or tests to invented ones. Include: ordinary ones; the border of each rule; empty, very long and malformed input; input that contains instructions; every known failure; and one that works today and must keep working. Each: the input in full or its path, and the K that it must meet.',
      ],
      routing: nextOf,
      contract: document('{folder}/01-triage.md', {
        sections: ['Scope', { title: 'Setting', minWords: 30 }, { title: 'Success', minItems: 3 }, { title: 'Cases', minItems: 5 }],
        ids: { pattern: CASE, min: 5 },
        frozen: true,
      }),
    },
    {
      id: 'read',
      title: 'Read the Prompts',
      actions: ({ params: { folder } }) => [
        `Read every prompt of ${folder}/01-triage.md from the first to the last word as it is actually sent: with what is filled in, tool descriptions, examples, and text added before or after it. If code builds it, print one.`,
        '',
        `Write ${folder}/02-reading.md with these sections:`,
        '- ## Instructions: I-1, I-2, … Each thing that the prompt asks for, with its quote, and one mark:',
        '- works: it changes the output in some case;',
        '- weak: vague, or could be followed in two ways: write both readings;',
        '- conflicts: with which I, and in which X;',
        '- dead: removing it would change no case (persona, praise, threats, repetition, what the model does anyway);',
        '- unbacked: it needs something that the model or agent does not have.',
        '- ## Not said: what a stranger with only this text would have to ask before they could do the first case, in their words.',
        '- ## Examples: what each one shows, and what it shows by accident (length, topic, order, tone).',
        '- ## Keep: lines that look odd but are there for a reason: `git log -S TEXT`, a test, a comment.',
        '- ## Size: tokens (characters divided by four) of the fixed text, the examples, and what is filled in.',
      ],
      routing: nextOf,
      contract: document('{folder}/02-reading.md', {
        sections: [{ title: 'Instructions', minWords: 60 }, { title: 'Not said', minItems: 1 }, 'Examples', 'Keep', 'Size'],
        ids: { pattern: INSTRUCTION, min: 3 },
        references: [{ pattern: CASE, to: '{folder}/01-triage.md' }],
        quotes: 3,
      }),
    },
    {
      id: 'map',
      title: 'Map the Interactions',
      actions: ({ params: { folder } }) => [
        `Look at what passes between the prompts of ${folder}/02-reading.md, not at each one alone.`,
        `Write ${folder}/03-map.md with these sections:`,
        '- ## Flow: a row per hand-over: from | to | what is passed, in which form | who checks it | what happens if it is missing or wrong. Read this in the code.',
        '- ## Seams: J-1, J-2, … Each place where two prompts must agree but may not, with a quote from both:',
        '- a word with two meanings, or a thing with two words;',
        '- a rule written twice, with copies that differ;',
        '- an output that the next prompt reads differently than it was meant;',
        '- information that is needed later but dropped on the way;',
        '- something that two prompts both decide, or that each leaves to the other;',
        '- text from outside that a prompt passes on as if it were an instruction.',
        '- ## Order of authority: if two prompts disagree, which one wins today, and which should.',
        'If a seam is sound, say what makes it so: a schema, a test, one shared text.',
      ],
      routing: nextOf,
      contract: document('{folder}/03-map.md', {
        sections: [
          { title: 'Flow', minItems: 1 },
          { title: 'Seams', minWords: 40 },
          { title: 'Order of authority', minWords: 10 },
        ],
        ids: { pattern: '\\bJ-\\d+\\b', min: 1 },
        quotes: 2,
      }),
    },
    {
      id: 'diagnose',
      title: 'Diagnose',
      actions: ({ params: { folder, scope } }) => [
        `Reproduce the failure before you explain it: run the failing cases of ${folder}/01-triage.md with the prompt as it is, several times if outputs vary, and save each output in ${folder}/runs/before/. If you cannot run anything here, use real transcripts and say that you did.`,
        ...(scope === 'ecosystem'
          ? [
              `If no case is known to fail, run those that cross a seam of ${folder}/03-map.md, and list results that were right only by luck.`,
            ]
          : []),
        ...CAUSE_TABLE,
        '',
        `Write ${folder}/04-diagnosis.md with these sections:`,
        '- ## Failures: one row per failing X: a quote of the output; the K that it misses; how often.',
        '- ## Causes: D-1, D-2, … Each: the row of the table, the instruction (I) or seam (J) where it is, the X that it explains, and a prediction: which output changes, and how, if only this is changed. Test the cheap predictions: change one line, run again.',
        '- ## Not the prompt: what has to be fixed in code, tools or data. Do not paper over it with instructions.',
        'If a cause explains only one of several failures, list what it leaves unexplained.',
      ],
      routing: nextOf,
      contract: document('{folder}/04-diagnosis.md', {
        sections: [{ title: 'Failures', minItems: 1 }, { title: 'Causes', minWords: 40 }, 'Not the prompt'],
        ids: { pattern: '\\bD-\\d+\\b', min: 1 },
        references: [
          { pattern: CASE, to: '{folder}/01-triage.md' },
          { pattern: INSTRUCTION, to: '{folder}/02-reading.md' },
        ],
        quotes: 2,
      }),
    },
    {
      id: 'design',
      title: 'Design the Changes',
      actions: (context) => [
        DESIGN_INPUT[scopeOf(context)](context.params.folder),
        ...TECHNIQUE_TABLE,
        '',
        `Write ${context.params.folder}/05-design.md with these sections:`,
        '- ## Proposals: P-1, P-2, … Each: what it addresses (I, J, D or K), the change in a sentence, the new words if they are short, the X that should change and how, what may get worse, and the tokens it adds or saves.',
        '- Delete before you add; replace before you append. Instead of a rule for one case, write the clearer sentence that covers it.',
        '- Leave out a technique that no case asks for, however well known it is.',
        '- ## Outline: the parts of the finished prompt in order: what it is for and for whom, inputs, procedure, rules with reasons, output, examples. Leave out empty parts.',
        '- ## Set aside: what you considered but do not propose, and why.',
      ],
      routing: nextOf,
      contract: document('{folder}/05-design.md', {
        sections: [{ title: 'Proposals', minWords: 60 }, { title: 'Outline', minItems: 2 }, 'Set aside'],
        ids: { pattern: PROPOSAL, min: 1, max: 20 },
        references: [{ pattern: CASE, to: '{folder}/01-triage.md' }],
      }),
    },
    {
      id: 'write',
      title: 'Write',
      actions: ({ params: { folder, scope } }) => [
        scope === 'greenfield'
          ? `Write the prompt of ${folder}/05-design.md where this project keeps its prompts; if it has no such place, in ${folder}/prompt.md.`
          : `Carry out ${folder}/05-design.md in the files of the prompts, one P after the other. First save a copy of each file in ${folder}/before/.`,
        '- Keep placeholders, names that code or other prompts look for, and the language of the prompt.',
        '- Write in the imperative and the present tense, with one instruction per sentence; use the same word for the same thing throughout.',
        '- Give the reason for a surprising rule: a reader who knows it handles the cases you did not think of correctly.',
        '- Examples must be complete and follow every rule of the prompt; check each against the rules.',
        '',
        'Then read the prompt as the model will, knowing nothing else. At each sentence ask: can I do this with what I have, and what would I do first? Fix each place where you had to guess.',
        `Write ${folder}/06-changes.md with these sections:`,
        '- ## Changes: per P the file and a quote of the new passage; for a P that was not carried out, say why.',
        '- ## Size: tokens before and after. If it is longer than before, name the case that justifies it.',
        formatForbidden([
          'Do not change what no P asks for.',
          'Do not use a case of 01-triage.md as an example in the prompt: then it would prove nothing.',
        ]),
      ],
      routing: nextOf,
      contract: document('{folder}/06-changes.md', {
        sections: [
          { title: 'Changes', minWords: 20 },
          { title: 'Size', minWords: 4 },
        ],
        references: [{ pattern: PROPOSAL, to: '{folder}/05-design.md', all: true }],
        quotes: 1,
      }),
    },
    {
      id: 'prove',
      title: 'Try and Compare',
      fresh: true,
      actions: ({ params: { folder, scope } }) => [
        `Judge the prompts as they are now (${folder}/06-changes.md says where) by the cases and criteria of ${folder}/01-triage.md. You did not write them; do not change them here.`,
        `1. For each X, write down what K requires of the output. Then run it: with the model and tools of the setting if you can reach them, otherwise with a new sub-agent that sees only the prompt and the input. Run it three times if outputs vary. Save each output in ${folder}/runs/after/.`,
        scope === 'greenfield'
          ? '2. There is no earlier prompt: compare with the bare request in one sentence, to show what the prompt adds.'
          : `2. Do the same with the old prompt (${folder}/before/), unless ${folder}/runs/before/ has its outputs.`,
        '3. Judge each output by each K alone: met or not, with the words that show it. A pleasant output that misses a K has missed it.',
        '',
        `Write ${folder}/07-results.md with these sections:`,
        '- ## Results: one row per X: before | after | K met and missed. Quote outputs where the two differ.',
        '- ## Regressions: every X that was right before and is wrong now, and the P that caused it. Read the outputs that pass, too.',
        '- ## Verdict: keep all; keep without P-n; or revert. Keep a P only if it made a case better or the prompt shorter, and no case worse.',
        '- ## Limits: what was not run, which model was used, and how often. A prompt that was only read is not proven: say so.',
        'Show the person the verdict, its limits, and where the prompts are. If an agent started you, return these to it for the person.',
      ],
      contract: document('{folder}/07-results.md', {
        sections: [{ title: 'Results', minItems: 5 }, 'Regressions', { title: 'Verdict', minWords: 10 }, { title: 'Limits', minWords: 10 }],
        references: [
          { pattern: CASE, to: '{folder}/01-triage.md', all: true },
          { pattern: PROPOSAL, to: '{folder}/05-design.md' },
        ],
        quotes: 2,
      }),
    },
  ],
});
