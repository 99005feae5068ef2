// Owns the skill writing-style: learns how a person writes from samples, by counting and by quoting, writes a text in that
// style, and has it checked by the same counts.

import { arg, defineSkill, formatDetectionQuestions, formatForbidden } from '../../index.ts';
import { HABITS, PROFILE, TRAIT_TABLE, TRAITS_MIN } from './traits.ts';

/** An older name. */
export const aliases = ['leon-writing-style'];

const SAMPLE = '\\bS-\\d+\\b';
const FAULT = '\\bF-\\d+\\b';
const TRAIT = '\\bT-\\d+\\b';
const VOICE = '\\bV-\\d+\\b';
const NEVER = '\\bN-\\d+\\b';

/** The skill writing-style. */
export default defineSkill({
  name: 'writing-style',
  description:
    'Learns how a person writes from samples, writes a text in that style, and checks it by measured traits. Use it when somebody wants a text that reads as if they had written it, or a guide to their style. Invoke it immediately; write nothing before.',
  params: {
    samples: arg({ type: 'string', default: 'the texts that the person gave', description: 'files or folders with texts by the person' }),
    task: arg({ type: 'string', default: 'the text that the person asked for', description: 'what to write' }),
    output: arg({ type: 'string', default: 'notes/writing-style/draft.md', description: 'where the text is written' }),
    folder: arg({ type: 'string', default: 'notes/writing-style', description: 'where its documents are written' }),
  },
  steps: [
    {
      id: 'collect',
      title: 'Collect the Samples',
      actions: ({ params: { samples, folder, task } }) => [
        `Samples: ${samples}. They will be the model for: ${task}.`,
        '',
        `Save text that was pasted, mailed or is on a page, unchanged, in ${folder}/samples/, one file each. A sample counts if the person wrote it alone and it was not edited by others or by a program. Ask if that cannot be seen; do not guess.`,
        'Take out of the count: quotations, code, signatures, templates, reply headers. Keep typing errors: they are no style, but correcting changes the numbers.',
        `Write ${folder}/01-samples.md with these sections:`,
        '- ## Samples: S-1, S-2, … as a table: path | words | kind (mail, article, documentation, post) | reader | date. Quote the first sentence of each.',
        '- ## Left out: which texts, and why.',
        '- ## Coverage: at least two samples and 1000 words; three or more of the kind that is to be written are better. Say what is thin, and ask the person for more if the kind is missing. A style learned from mails does not tell how somebody writes documentation.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/01-samples.md',
            sections: [{ title: 'Samples', minItems: 2 }, 'Left out', { title: 'Coverage', minWords: 15 }],
            ids: { pattern: SAMPLE, min: 2 },
            quotes: 2,
          },
        ],
      },
    },
    {
      id: 'measure',
      title: 'Measure the Traits',
      actions: ({ params: { folder } }) => [
        `Write a small program, ${folder}/measure (in whatever language runs here), that takes text files and prints these numbers per file. Run it on every S of ${folder}/01-samples.md. It is used again on the draft, so keep it; do not count or estimate by eye.`,
        ...TRAIT_TABLE,
        '',
        'Sentences end at . ! ? followed by a space and a capital or the end; abbreviations and decimals do not end one. Check the program by hand on one paragraph before you trust it. The words above are English; for another language take its own.',
        `Each number is a trait: T-1, T-2, …, at least ${TRAITS_MIN}. Per trait: mean over all words, and low and high: the smallest and largest value among the samples. With fewer than four samples, cut them into pieces of about 300 words and take low and high of the pieces.`,
        `Write them to ${folder}/02-traits.json, in the form that done_when gives; samples has the value per S or piece.`,
      ],
      contract: {
        changes: ['{folder}/measure*'],
        documents: [{ path: '{folder}/02-traits.json', json: PROFILE, ids: { pattern: TRAIT, min: TRAITS_MIN } }],
      },
    },
    {
      id: 'describe',
      title: 'Describe the Voice',
      actions: ({ params: { folder } }) => [
        `Read every S of ${folder}/01-samples.md again, slowly, and write down what counting does not see.`,
        `Write ${folder}/03-voice.md with these sections:`,
        '- ## Voice: V-1, V-2, … Each: what the person does, in which situation, stated so that another writer could do it; and two quotes from different samples. Look at all of:',
        '- how a text opens, and how it ends;',
        '- the order of reason and conclusion; how much is explained, and what is taken for granted;',
        '- how disagreement, bad news, requests and thanks are put;',
        '- where the humour is, if there is any; what is allowed to be blunt;',
        '- what examples are made of: people, numbers, code, everyday things;',
        '- pet words, idioms, own abbreviations, how things are named;',
        '- rhythm: what comes after a long sentence; how a list is led in.',
        "  Good: 'V-3 Bad news comes in the first sentence, without a cushion; the reason follows in the second.' Two quotes.",
        "  Bad: 'V-3 Clear and engaging tone.' It is true of anybody.",
        '- ## By kind: which V hold only for one kind of text or reader.',
        '- ## Doubtful: what was seen only once. It is not part of the style.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/03-voice.md',
            sections: [{ title: 'Voice', minWords: 100 }, 'By kind', 'Doubtful'],
            ids: { pattern: VOICE, min: 6, max: 20 },
            quotes: 10,
          },
        ],
      },
    },
    {
      id: 'exclude',
      title: 'Find What Is Never Done',
      actions: ({ params: { folder } }) => [
        `A style is as much what is left out. Search the samples of ${folder}/01-samples.md for each of these; count, do not remember:`,
        formatDetectionQuestions(HABITS),
        '',
        `Write ${folder}/04-never.md with these sections:`,
        '- ## Never: N-1, N-2, … Each: a word, mark or build that does not occur in the samples although there was occasion for it, and how it was searched for (the pattern, 0 hits in how many words). Add what this person avoids and others of the same field use.',
        '- ## Rarely: what occurs: how often per 1000 words, with a quote. It may be used as often as that.',
        '- ## No occasion: what the samples cannot tell.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/04-never.md',
            sections: [{ title: 'Never', minItems: 4 }, { title: 'Rarely', minItems: 1 }, 'No occasion'],
            ids: { pattern: NEVER, min: 4 },
            quotes: 1,
          },
        ],
      },
    },
    {
      id: 'guide',
      title: 'Write the Style Guide',
      actions: ({ params: { folder } }) => [
        `Put ${folder}/02-traits.json, 03-voice.md and 04-never.md together as a guide that somebody can write by without the samples, and that can be used again for other texts. Two pages at most.`,
        `Write ${folder}/05-style-guide.md with these sections:`,
        '- ## In short: five sentences that tell this writer from others of the field. If one would fit most writers, replace it.',
        '- ## Do: the V in the order in which one needs them while writing: opening, body, ending, sentence, word. Each with its best quote.',
        '- ## Never: the N.',
        '- ## Numbers: the ten traits in which this writer differs most from ordinary prose: T, range, and what it means at the desk: every fourth sentence has under 8 words. The others in one list of T and range.',
        '- ## Before and after: three sentences of neutral prose about the subject, each rewritten by the guide, and which V and T changed it.',
        'Where the voice and the numbers disagree, go back to the samples; one of the two is wrong.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/05-style-guide.md',
            sections: [
              { title: 'In short', minWords: 40 },
              { title: 'Do', minItems: 6 },
              { title: 'Never', minItems: 4 },
              { title: 'Numbers', minItems: 10 },
              { title: 'Before and after', minItems: 3 },
            ],
            references: [
              { pattern: TRAIT, to: '{folder}/02-traits.json', all: true },
              { pattern: VOICE, to: '{folder}/03-voice.md', all: true },
              { pattern: NEVER, to: '{folder}/04-never.md', all: true },
            ],
            quotes: 3,
          },
        ],
      },
    },
    {
      id: 'brief',
      title: 'Prepare the Text',
      actions: ({ params: { task, folder } }) => [
        `The text: ${task}`,
        '',
        'Settle what is said before how it is said: a style cannot carry missing facts, and invented ones in the voice of a real person do harm.',
        `Write ${folder}/06-brief.md with these sections:`,
        '- ## Purpose: who reads it, what they know, what they should do or think afterwards; length and form.',
        '- ## Content: the points in order. Each with its source: a file, a link, the word of the person. A point without a source is a question to the person, not a sentence.',
        '- ## Not said: opinions, memories, promises and feelings that the person has not expressed. None of these may be made up.',
        `- ## Model: the S of ${folder}/01-samples.md that is nearest in kind and reader, how it is built paragraph by paragraph, and where this text has to differ.`,
        '- ## Plan: the paragraphs: what each one does, about how many words, and the V that it uses.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/06-brief.md',
            sections: [
              { title: 'Purpose', minWords: 20 },
              { title: 'Content', minItems: 2 },
              'Not said',
              { title: 'Model', minWords: 15 },
              { title: 'Plan', minItems: 2 },
            ],
            references: [
              { pattern: SAMPLE, to: '{folder}/01-samples.md' },
              { pattern: VOICE, to: '{folder}/03-voice.md' },
            ],
          },
        ],
      },
    },
    {
      id: 'draft',
      title: 'Write the Draft',
      actions: ({ params: { folder, output } }) => [
        `Write the text of ${folder}/06-brief.md by ${folder}/05-style-guide.md into ${output}.`,
        '1. Read the model sample once more, then close it.',
        '2. Write it in one go, paragraph by paragraph, by the plan. Think of the reader, not of the numbers: a text that is written to meet counts sounds like it.',
        '3. Then go through it once for the N, and once for sentence rhythm.',
        'The file contains the text and nothing else: no notes, no title that the person would not write.',
        formatForbidden([
          'Do not take over a sentence or a conspicuous phrase of a sample: the style is copied, not the text.',
          'Do not use all pet words: as often as in the samples, which for a short text may be never.',
          'Do not add facts, opinions or anecdotes that the brief does not have.',
        ]),
      ],
      // The text is no document of this work: the next steps quote it, and only what is no such document counts as a source.
      contract: { changes: ['{output}'] },
    },
    {
      id: 'check',
      title: 'Check Against the Traits',
      fresh: true,
      actions: ({ params: { folder, output } }) => [
        `Judge ${output} as somebody who did not write it. Change nothing in it.`,
        `1. Read two samples of ${folder}/01-samples.md, then the text. Mark each sentence at which you would notice that another hand wrote it, before you look at any list.`,
        `2. Run ${folder}/measure on the text and compare with ${folder}/02-traits.json. In a text under 300 words, a mark that occurs once or twice is not judged by its rate.`,
        `3. Search for each N of ${folder}/04-never.md; look for each V of ${folder}/03-voice.md that the situation calls for.`,
        `4. Check each fact against ${folder}/06-brief.md, and search the samples for any run of six words of the text.`,
        '',
        `Write ${folder}/08-check.md with these sections:`,
        '- ## Foreign sentences: quoted from the text, and what gives each away. Find at least three: the weakest ones, if none is foreign.',
        '- ## Traits: one row per T: range | text | inside, outside, or too short to tell.',
        '- ## Rules: each N that occurs, quoted; each V that is missing or overdone.',
        '- ## Content: facts without a source, and passages taken from a sample.',
        '- ## To fix: F-1, F-2, …: what to change, the most audible first. Outside the range alone is no reason: say what one hears.',
      ],
      contract: {
        documents: [
          {
            path: '{folder}/08-check.md',
            sections: [
              { title: 'Foreign sentences', minWords: 30 },
              { title: 'Traits', minItems: TRAITS_MIN },
              'Rules',
              'Content',
              { title: 'To fix', minItems: 1 },
            ],
            ids: { pattern: FAULT, min: 1 },
            references: [
              { pattern: TRAIT, to: '{folder}/02-traits.json', all: true },
              { pattern: NEVER, to: '{folder}/04-never.md' },
              { pattern: VOICE, to: '{folder}/03-voice.md' },
            ],
            quotes: 3,
          },
        ],
      },
    },
    {
      id: 'revise',
      title: 'Revise and Hand Over',
      actions: ({ params: { folder, output } }) => [
        `Fix ${output} by ${folder}/08-check.md: rewrite the sentence or paragraph from what it has to say, instead of exchanging words. Content faults first. Then run ${folder}/measure once more.`,
        '',
        `Write ${folder}/09-handover.md with these sections:`,
        '- ## Fixed: one row per F: done, with a quote of the text as it is now, or not done and why.',
        '- ## Traits: the T that were outside: range | before | now. A trait that stays outside and sounds right stays: say so.',
        '- ## For the person: what they should read twice: facts that they alone can confirm, sentences that are nearest to an opinion, what the samples could not tell.',
        `Then show the person the text, these points, and where the guide is (${folder}/05-style-guide.md). Say that the text was written for them, not by them.`,
      ],
      contract: {
        documents: [
          {
            path: '{folder}/09-handover.md',
            sections: [{ title: 'Fixed', minItems: 1 }, 'Traits', { title: 'For the person', minItems: 1 }],
            references: [
              { pattern: FAULT, to: '{folder}/08-check.md', all: true },
              { pattern: TRAIT, to: '{folder}/02-traits.json' },
            ],
            quotes: 1,
          },
        ],
      },
    },
  ],
});
