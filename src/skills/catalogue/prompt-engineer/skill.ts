// Owns the skill prompt-engineer: improves a prompt, repairs one that fails, orders several that work together, or writes a
// new one. The cases by which the result is judged are fixed before anything is written. The scope chooses the steps.

import { arg, defineSkill, formatForbidden, LinearRouting, type Routing, type SkillContext } from '../../index.ts';
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
  return LinearRouting({ to: PATHS[scopeOf(context)].find((step) => step > context.step) as number });
}

/** What earlier steps of the scope leave for the design. */
const DESIGN_INPUT: Readonly<Record<Scope, (folder: unknown) => string>> = {
  greenfield: (folder) => `There is nothing to change yet: design from ${folder}/01-triage.md. One P per part of the prompt.`,
  'single-prompt': (folder) => `Design from the weak instructions in ${folder}/02-reading.md. One P per change.`,
  problem: (folder) => `Design against the causes in ${folder}/04-diagnosis.md, and only these. One P per change.`,
  ecosystem: (folder) =>
    `Design against the causes in ${folder}/04-diagnosis.md. Change the seams (${folder}/03-map.md) before the prompts: decide for each shared word and each rule which one prompt owns it. One P per change.`,
};

/** The skill prompt-engineer. */
export default defineSkill({
  name: 'prompt-engineer',
  description:
    'Improves prompts and proves it: one prompt, several that work together, one that fails, or a new one. Use it when somebody wants a prompt, system prompt, agent instruction or skill written, reviewed, shortened or repaired. Invoke it immediately; rewrite nothing before.',
  params: {
    scope: arg({ choices: SCOPES, default: 'single-prompt', description: 'what kind of work it is; it chooses the steps' }),
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
        'If another row fits better, stop and start this skill again with that scope: it takes other steps.',
        '',
        `Write ${context.params.folder}/01-triage.md with these sections:`,
        '- ## Scope: why this row and not its neighbour.',
        '- ## Setting: where each prompt is (path), what assembles it, what is filled in, which model or agent reads it with which tools, who or what reads the output, and what a wrong output costs. Take it from the code that makes the call.',
        '- ## Success: K-1, K-2, … Each can be seen in one output without asking you: valid JSON by schema S; names the file; at most 120 words. Not: good, clear, helpful.',
        '- ## Cases: X-1, X-2, … The inputs by which the result will be judged, fixed now: real ones from logs or tests before invented ones. Ordinary ones; the border of each rule; empty, very long and malformed input; input that contains instructions; every known failure; and one that works today and must stay so. Each: the input in full or its path, and the K that it must meet.',
      ],
      routing: nextOf,
      contract: {
        documents: [
          {
            path: '{folder}/01-triage.md',
            sections: ['Scope', { title: 'Setting', minWords: 30 }, { title: 'Success', minItems: 3 }, { title: 'Cases', minItems: 5 }],
            ids: { pattern: CASE, min: 5 },
            frozen: true,
          },
        ],
      },
    },
    {
      id: 'read',
      title: 'Read the Prompts',
      actions: ({ params: { folder } }) => [
        `Read every prompt of ${folder}/01-triage.md from first to last word as it is really sent: with what is filled in, tool descriptions, examples and what is put before or after it. If it is built by code, print one.`,
        '',
        `Write ${folder}/02-reading.md with these sections:`,
        '- ## Instructions: I-1, I-2, … Each thing that the prompt asks for, with its quote, and one mark:',
        '- works: it changes the output in some case;',
        '- weak: vague, or could be followed in two ways: write both readings;',
        '- conflicts: with which I, and in which X;',
        '- dead: leaving it out would change no case (persona, praise, threats, repetition, what the model does anyway);',
        '- unbacked: it needs something that the reader of the prompt does not have.',
        '- ## Not said: what a stranger with only this text would have to ask before the first case, in their words.',
        '- ## Examples: what each one shows, and what it shows by accident (length, topic, order, tone).',
        '- ## Keep: lines that look odd and are there for a reason: `git log -S TEXT`, a test, a comment.',
        '- ## Size: tokens (characters divided by four) of the fixed text, the examples, and what is filled in.',
      ],
      routing: nextOf,
      contract: {
        documents: [
          {
            path: '{folder}/02-reading.md',
            sections: [{ title: 'Instructions', minWords: 60 }, { title: 'Not said', minItems: 1 }, 'Examples', 'Keep', 'Size'],
            ids: { pattern: INSTRUCTION, min: 3 },
            references: [{ pattern: CASE, to: '{folder}/01-triage.md' }],
            quotes: 3,
          },
        ],
      },
    },
    {
      id: 'map',
      title: 'Map the Interactions',
      actions: ({ params: { folder } }) => [
        `Look at what passes between the prompts of ${folder}/02-reading.md, not at each by itself.`,
        `Write ${folder}/03-map.md with these sections:`,
        '- ## Flow: a row per hand-over: from | to | what is passed, in which form | who checks it | what happens if it is missing or wrong. Take it from the code.',
        '- ## Seams: J-1, J-2, … Each place where two prompts must agree and may not, with a quote of both sides:',
        '- a word with two meanings, or a thing with two words;',
        '- a rule written twice, and the copies differ;',
        '- an output that the next prompt reads otherwise than it is written;',
        '- information that is needed later and dropped on the way;',
        '- two prompts that both decide the same thing, or that each leave to the other;',
        '- text from outside that one passes on as if it were an instruction.',
        '- ## Order of authority: if two disagree, which one wins today, and which should.',
        'If a seam is sound, say what makes it so: a schema, a test, one shared text.',
      ],
      routing: nextOf,
      contract: {
        documents: [
          {
            path: '{folder}/03-map.md',
            sections: [
              { title: 'Flow', minItems: 1 },
              { title: 'Seams', minWords: 40 },
              { title: 'Order of authority', minWords: 10 },
            ],
            ids: { pattern: '\\bJ-\\d+\\b', min: 1 },
            quotes: 2,
          },
        ],
      },
    },
    {
      id: 'diagnose',
      title: 'Diagnose',
      actions: ({ params: { folder, scope } }) => [
        `Make it fail before you explain it: run the failing cases of ${folder}/01-triage.md with the prompt as it is, several times if outputs vary, and save each output in ${folder}/runs/before/. If nothing can be run here, use real transcripts; say so.`,
        ...(scope === 'ecosystem'
          ? [`If none is known to fail, run those that cross a seam of ${folder}/03-map.md, and list what came out right only by luck.`]
          : []),
        ...CAUSE_TABLE,
        '',
        `Write ${folder}/04-diagnosis.md with these sections:`,
        '- ## Failures: one row per failing X: the output, quoted; the K that it misses; how often.',
        '- ## Causes: D-1, D-2, … Each: the row of the table, the instruction (I) or seam (J) that it sits in, the X that it explains, and a prediction: which output changes, and how, if only this is changed. Try the cheap ones: change one line, run again.',
        '- ## Not the prompt: what has to be fixed in code, tools or data. Do not paper over it with instructions.',
        'A cause that explains only one of several failures is listed with what it leaves unexplained.',
      ],
      routing: nextOf,
      contract: {
        documents: [
          {
            path: '{folder}/04-diagnosis.md',
            sections: [{ title: 'Failures', minItems: 1 }, { title: 'Causes', minWords: 40 }, 'Not the prompt'],
            ids: { pattern: '\\bD-\\d+\\b', min: 1 },
            references: [
              { pattern: CASE, to: '{folder}/01-triage.md' },
              { pattern: INSTRUCTION, to: '{folder}/02-reading.md' },
            ],
            quotes: 2,
          },
        ],
      },
    },
    {
      id: 'design',
      title: 'Design the Changes',
      actions: (context) => [
        DESIGN_INPUT[scopeOf(context)](context.params.folder),
        ...TECHNIQUE_TABLE,
        '',
        `Write ${context.params.folder}/05-design.md with these sections:`,
        '- ## Proposals: P-1, P-2, … Each: what it answers (I, J, D or K), the change in a sentence, the new words if they are short, the X that should turn out otherwise and how, what may get worse, and the tokens it adds or saves.',
        '- Delete before you add; replace before you append. A rule for one case that a clearer sentence would cover is the sentence.',
        '- A technique that no case asks for is left out, however well known it is.',
        '- ## Outline: the parts of the finished prompt in order: what it is for and for whom, inputs, procedure, rules with reasons, output, examples. Leave out empty parts.',
        '- ## Set aside: what was considered and not proposed, and why.',
      ],
      routing: nextOf,
      contract: {
        documents: [
          {
            path: '{folder}/05-design.md',
            sections: [{ title: 'Proposals', minWords: 60 }, { title: 'Outline', minItems: 2 }, 'Set aside'],
            ids: { pattern: PROPOSAL, min: 1, max: 20 },
            references: [{ pattern: CASE, to: '{folder}/01-triage.md' }],
          },
        ],
      },
    },
    {
      id: 'write',
      title: 'Write',
      actions: ({ params: { folder, scope } }) => [
        scope === 'greenfield'
          ? `Write the prompt of ${folder}/05-design.md where this project keeps its prompts; if it has none, in ${folder}/prompt.md.`
          : `Carry out ${folder}/05-design.md in the files of the prompts, one P after the other. Save each file as it was in ${folder}/before/ first.`,
        '- Keep placeholders, names that code or other prompts look for, and the language of the prompt.',
        '- Imperative, present tense, one instruction per sentence; the same word for the same thing throughout.',
        '- Give the reason where a rule is surprising: a reader who knows it treats the cases you did not think of rightly.',
        '- Examples are complete and correct by every rule of the prompt; check each against the rules.',
        '',
        'Then read it as its reader, with nothing else in mind: at each sentence, can I do this with what I have, and what would I do first? Fix each place where you had to guess.',
        `Write ${folder}/06-changes.md with these sections:`,
        '- ## Changes: per P the file and a quote of the new passage; a P that was not carried out says why.',
        '- ## Size: tokens before and after. Longer than before needs a case that pays for it.',
        formatForbidden([
          'Do not change what no P asks for.',
          'Do not put a case of 01-triage.md into the prompt as an example: it would prove nothing.',
        ]),
      ],
      routing: nextOf,
      contract: {
        documents: [
          {
            path: '{folder}/06-changes.md',
            sections: [
              { title: 'Changes', minWords: 20 },
              { title: 'Size', minWords: 4 },
            ],
            references: [{ pattern: PROPOSAL, to: '{folder}/05-design.md', all: true }],
            quotes: 1,
          },
        ],
      },
    },
    {
      id: 'prove',
      title: 'Try and Compare',
      fresh: true,
      actions: ({ params: { folder, scope } }) => [
        `Judge the prompts as they are now (${folder}/06-changes.md says where) by the cases and criteria of ${folder}/01-triage.md. You did not write them; do not change them here.`,
        `1. For each X write down what K demands of the output. Then run it: with the model and tools of the setting if they can be reached, else with a new sub-agent that sees only the prompt and the input. Three times where outputs vary. Save each output in ${folder}/runs/after/.`,
        scope === 'greenfield'
          ? '2. There is no earlier prompt: compare with the bare request in one sentence, so that it shows what the prompt adds.'
          : `2. The same with the old prompt (${folder}/before/), unless ${folder}/runs/before/ has it.`,
        '3. Judge each output by each K alone: met or not, with the words that show it. An output that is pleasant and misses a K has missed it.',
        '',
        `Write ${folder}/07-results.md with these sections:`,
        '- ## Results: one row per X: before | after | K met and missed. Quote outputs where the two differ.',
        '- ## Regressions: every X that was right before and is not now, and the P that did it. Read also the outputs that pass.',
        '- ## Verdict: keep all; keep without P-n; or take back. Keep a P only if a case got better by it, or the prompt shorter, and none got worse.',
        '- ## Limits: what was not run, with which model it was run, and how often. A prompt that was only read is not proven: say so.',
        'Show the person (or return to whoever sent you, to show the person) the verdict, its limits, and where the prompts are.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/07-results.md',
            sections: [
              { title: 'Results', minItems: 5 },
              'Regressions',
              { title: 'Verdict', minWords: 10 },
              { title: 'Limits', minWords: 10 },
            ],
            references: [
              { pattern: CASE, to: '{folder}/01-triage.md', all: true },
              { pattern: PROPOSAL, to: '{folder}/05-design.md' },
            ],
            quotes: 2,
          },
        ],
      },
    },
  ],
});
