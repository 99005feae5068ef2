// Owns the skill writing-style: learns how a person writes from samples, by counting and by quoting, writes a text in that
// style, and has it checked by the same counts.

import { arg, defineSkill, formatDetectionQuestions, formatForbidden } from '../../index.ts';
import { document } from '../document.ts';
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
    'Learns how a person writes from samples, writes a text in that style, and checks it by measured traits. Use it when somebody wants a text that reads as if they had written it, or a guide to their style. Invoke it immediately; do not write anything first.',
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
        `Save text that was pasted or mailed, or is on a web page, unchanged in ${folder}/samples/, one file each. A sample counts only if the person wrote it alone and nobody else, and no program, edited it. If you cannot tell, ask; do not guess.`,
        'Do not count quotations, code, signatures, templates and reply headers. Keep typing errors: they are not style, but correcting them changes the numbers.',
        `Write ${folder}/01-samples.md with these sections:`,
        '- ## Samples: S-1, S-2, … as a table: path | words | kind (mail, article, documentation, post) | reader | date. Quote the first sentence of each.',
        '- ## Left out: which texts, and why.',
        '- ## Coverage: at least two samples and 1000 words; three or more of the kind to be written are better. Say where samples are scarce, and ask the person for more if that kind is missing. Mails do not show how somebody writes documentation.',
      ],
      contract: document('{folder}/01-samples.md', {
        sections: [{ title: 'Samples', minItems: 2 }, 'Left out', { title: 'Coverage', minWords: 15 }],
        ids: { pattern: SAMPLE, min: 2 },
        quotes: 2,
      }),
    },
    {
      id: 'measure',
      title: 'Measure the Traits',
      actions: ({ params: { folder } }) => [
        `Write a small program, ${folder}/measure (in whatever language runs here), that takes text files and prints these numbers per file. Run it on every S of ${folder}/01-samples.md. Keep it, because you will run it on the draft; do not count or estimate by eye.`,
        ...TRAIT_TABLE,
        '',
        'Sentences end at . ! ? followed by a space and a capital or the end; abbreviations and decimals do not end one. Before you trust the program, check it by hand on one paragraph. The words above are English; for another language, use its own.',
        `Each number is a trait: T-1, T-2, …, at least ${TRAITS_MIN}. Per trait: the mean over all words, and low and high, the smallest and largest value among the samples. If there are fewer than four samples, cut them into pieces of about 300 words and take low and high over the pieces.`,
        `Write them to ${folder}/02-traits.json, in the form that done_when gives; samples holds the value per S or piece.`,
      ],
      contract: {
        changes: ['{folder}/measure*'],
        ...document('{folder}/02-traits.json', { json: PROFILE, ids: { pattern: TRAIT, min: TRAITS_MIN } }),
      },
    },
    {
      id: 'describe',
      title: 'Describe the Voice',
      actions: ({ params: { folder } }) => [
        `Read every S of ${folder}/01-samples.md again, slowly, and write down what counting does not show.`,
        `Write ${folder}/03-voice.md with these sections:`,
        '- ## Voice: V-1, V-2, … Each: what the person does, in which situation, stated so that another writer could imitate it; and two quotes from different samples. Look at all of these:',
        '- how a text opens, and how it ends;',
        '- the order of reasons and conclusions; how much is explained, and what is taken for granted;',
        '- how the person words disagreement, bad news, requests and thanks;',
        '- where there is humour, if any; where the person is blunt;',
        '- what examples are made of: people, numbers, code, everyday things;',
        '- favourite words, idioms, own abbreviations, how things are named;',
        '- rhythm: what comes after a long sentence; how a list is introduced.',
        "  Good: 'V-3 Bad news comes in the first sentence, without a cushion; the reason follows in the second.' Two quotes.",
        "  Bad: 'V-3 Clear and engaging tone.' That is true of anybody.",
        '- ## By kind: which V hold only for one kind of text or reader.',
        '- ## Doubtful: what occurs only once. It is not part of the style.',
      ],
      contract: document('{folder}/03-voice.md', {
        sections: [{ title: 'Voice', minWords: 100 }, 'By kind', 'Doubtful'],
        ids: { pattern: VOICE, min: 6, max: 20 },
        quotes: 10,
      }),
    },
    {
      id: 'exclude',
      title: 'Find What Is Never Done',
      actions: ({ params: { folder } }) => [
        `What a writer avoids is also part of the style. Search the samples of ${folder}/01-samples.md for each of these; count, do not rely on memory:`,
        formatDetectionQuestions(HABITS),
        '',
        `Write ${folder}/04-never.md with these sections:`,
        '- ## Never: N-1, N-2, … Each: a word, punctuation mark or construction that does not occur in the samples although there was an occasion for it, and how you searched for it (the pattern, 0 hits in how many words). Add what others in the same field use but this person avoids.',
        '- ## Rarely: what does occur: how often per 1000 words, with a quote. The text may use it that often.',
        '- ## No occasion: what the samples cannot show, because there was no occasion for it.',
      ],
      contract: document('{folder}/04-never.md', {
        sections: [{ title: 'Never', minItems: 4 }, { title: 'Rarely', minItems: 1 }, 'No occasion'],
        ids: { pattern: NEVER, min: 4 },
        quotes: 1,
      }),
    },
    {
      id: 'guide',
      title: 'Write the Style Guide',
      actions: ({ params: { folder } }) => [
        `Put ${folder}/02-traits.json, 03-voice.md and 04-never.md together into a guide that somebody can follow without the samples and reuse for other texts. Two pages at most.`,
        `Write ${folder}/05-style-guide.md with these sections:`,
        '- ## In short: five sentences that distinguish this writer from others in the field. If one would fit most writers, replace it.',
        '- ## Do: the V in the order in which a writer needs them: opening, body, ending, sentence, word. Each with its best quote.',
        '- ## Never: the N.',
        '- ## Numbers: the ten traits in which this writer differs most from ordinary prose: T, range, and what it means in practice: every fourth sentence has under 8 words. List the others as T and range.',
        '- ## Before and after: three sentences of neutral prose about the subject, each rewritten according to the guide, and the V and T behind each change.',
        'Where the voice and the numbers disagree, go back to the samples; one of the two is wrong.',
      ],
      contract: document('{folder}/05-style-guide.md', {
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
      }),
    },
    {
      id: 'brief',
      title: 'Prepare the Text',
      actions: ({ params: { task, folder } }) => [
        `The text: ${task}`,
        '',
        'Decide what to say before how to say it: style cannot make up for missing facts, and invented ones in the voice of a real person do harm.',
        `Write ${folder}/06-brief.md with these sections:`,
        '- ## Purpose: who reads it, what they know, what they should do or think afterwards; length and form.',
        '- ## Content: the points in order. Each with its source: a file, a link, what the person said. If a point has no source, ask the person; do not write it.',
        '- ## Not said: opinions, memories, promises and feelings that the person has not expressed. Do not make any of these up.',
        `- ## Model: the S of ${folder}/01-samples.md that is nearest in kind and reader, how it is built paragraph by paragraph, and where this text has to differ.`,
        '- ## Plan: the paragraphs: what each one does, its approximate number of words, and the V that it uses.',
      ],
      contract: document('{folder}/06-brief.md', {
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
      }),
    },
    {
      id: 'draft',
      title: 'Write the Draft',
      actions: ({ params: { folder, output } }) => [
        `Write the text that ${folder}/06-brief.md describes, in the style of ${folder}/05-style-guide.md, to ${output}.`,
        '1. Read the model sample once more, then close it.',
        '2. Write it in one go, paragraph by paragraph, following the plan. Think of the reader, not of the numbers: a text written to meet counts sounds like one.',
        '3. Then go through it once for each N, and once for sentence rhythm.',
        'The file contains the text and nothing else: no notes, no title that the person would not write.',
        formatForbidden([
          'Do not copy a sentence or a distinctive phrase from a sample: imitate the style, not the text.',
          'Do not use every favourite word: use each as often as the samples do, which for a short text may be never.',
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
        `1. Read two samples of ${folder}/01-samples.md, then the text. Before you look at any list, mark each sentence that sounds as if somebody else wrote it.`,
        `2. Run ${folder}/measure on the text and compare with ${folder}/02-traits.json. In a text under 300 words, do not judge a punctuation mark that occurs once or twice by its rate.`,
        `3. Search for each N of ${folder}/04-never.md; look for each V of ${folder}/03-voice.md that the situation calls for.`,
        `4. Check each fact against ${folder}/06-brief.md, and search the samples for any six consecutive words of the text.`,
        '',
        `Write ${folder}/08-check.md with these sections:`,
        '- ## Foreign sentences: quoted from the text, and what gives each away. Find at least three; if none is foreign, take the weakest.',
        '- ## Traits: one row per T: range | text | inside, outside, or too short to tell.',
        '- ## Rules: each N that occurs, quoted; each V that is missing or overdone.',
        '- ## Content: facts without a source, and passages taken from a sample.',
        '- ## To fix: F-1, F-2, …: what to change, the most noticeable first. A value outside the range is not enough of a reason: say what sounds wrong.',
      ],
      contract: document('{folder}/08-check.md', {
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
      }),
    },
    {
      id: 'revise',
      title: 'Revise and Hand Over',
      actions: ({ params: { folder, output } }) => [
        `Fix ${output} according to ${folder}/08-check.md, content faults first. Rewrite a sentence or paragraph from what it has to say; do not just exchange words. Then run ${folder}/measure once more.`,
        '',
        `Write ${folder}/09-handover.md with these sections:`,
        '- ## Fixed: one row per F: done, with a quote of the text as it is now, or not done and why.',
        '- ## Traits: the T that were outside: range | before | now. A trait that stays outside and sounds right stays: say so.',
        '- ## For the person: what they should read twice: facts that only they can confirm, sentences that come close to an opinion, what the samples could not show.',
        `Then show the person the text, these points, and where the guide is (${folder}/05-style-guide.md). Say that the text was written for them, not by them.`,
      ],
      contract: document('{folder}/09-handover.md', {
        sections: [{ title: 'Fixed', minItems: 1 }, 'Traits', { title: 'For the person', minItems: 1 }],
        references: [
          { pattern: FAULT, to: '{folder}/08-check.md', all: true },
          { pattern: TRAIT, to: '{folder}/02-traits.json' },
        ],
        quotes: 1,
      }),
    },
  ],
});
