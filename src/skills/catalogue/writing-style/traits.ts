// Owns the traits that the skill writing-style measures in a text, and the habits of machine-written prose that it looks
// for.

import type { StepContract } from '../../index.ts';

/** The traits that are counted, each so defined that two programs get the same number. */
export const TRAIT_TABLE: readonly string[] = [
  '| trait | counted as |',
  '|---|---|',
  '| sentence length | mean words; share under 8; share over 25 |',
  '| paragraph length | mean sentences; share with one sentence |',
  '| commas, semicolons, colons, dashes, parentheses, question marks, exclamation marks | each per 1000 words |',
  '| person | I/we and you, each per 1000 words |',
  '| contractions | per 1000 words |',
  '| openers | share of sentences that begin with And, But, So, Or; with I or we; with the commonest other word |',
  '| long words | share with 8 letters or more |',
  '| adverbs and hedges | words in -ly; perhaps, maybe, might, seems, I think: per 1000 words |',
  '| shape | headings, list items, bold passages, links: per 1000 words |',
];

/** How many traits a profile has at least: the rows of the table, each number by itself. */
export const TRAITS_MIN = 15;

const NUMBER = { type: 'number' };

/** The schema of a profile: numbers per trait, with the range over the samples. */
export const PROFILE: NonNullable<NonNullable<StepContract['documents']>[number]['json']> = {
  type: 'object',
  required: ['words', 'traits'],
  properties: {
    words: { type: 'integer', minimum: 300 },
    traits: {
      type: 'array',
      minItems: TRAITS_MIN,
      items: {
        type: 'object',
        required: ['id', 'name', 'unit', 'mean', 'low', 'high', 'samples'],
        properties: {
          id: { type: 'string', minLength: 3 },
          name: { type: 'string', minLength: 3 },
          unit: { type: 'string', minLength: 1 },
          mean: NUMBER,
          low: NUMBER,
          high: NUMBER,
          samples: { type: 'object', additionalProperties: NUMBER },
        },
      },
    },
  },
};

/** Habits of machine-written prose, to be counted in the samples. */
export const HABITS: readonly string[] = [
  'Does it say what a thing is not before it says what it is (not just X but Y)?',
  'Do things come in threes, with the same structure?',
  'Does a paragraph end with a sentence that sums it up or draws a lesson?',
  'Does a text begin by naming its importance, or end by looking ahead?',
  'Are there bold lead-ins with a colon, a heading for every paragraph, emoji?',
  'Are there dashes in place of commas, colons or full stops?',
  'Does it use delve, crucial, robust, seamless, leverage, landscape, journey, testament, moreover, furthermore?',
  'Does it ask a question and answer it at once?',
  'Are all sentences of about the same length?',
];
