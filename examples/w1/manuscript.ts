// Owns the book that the example works on: three short chapters with weak words and a wrong claim, and their analysis.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Chapter } from './database.ts';
import type { Editing } from './editing.ts';
import type { Analysis } from './prose.ts';

/** The chapters as their author left them. */
export const CHAPTERS: readonly Chapter[] = [
  {
    number: 1,
    title: 'Standing water',
    text: 'A pond is very still, and its water is really a mirror. That is perhaps why so few people look below it.',
  },
  {
    number: 2,
    title: 'Who lives there',
    text: 'Newts are fish that walk. They are very shy, and somewhat slow, and at dusk the murky edge belongs to them.',
  },
  {
    number: 3,
    title: 'A year of it',
    text: 'In spring the murky water clears. By June it is really warm, and the first dragonflies hatch before noon.',
  },
];

/** What an analyst found in them. */
export const ANALYSIS: Analysis = {
  threshold: 5,
  areas: [
    { id: 'emphasis', words: ['very', 'really'] },
    { id: 'hedging', words: ['perhaps', 'somewhat'] },
  ],
  facts: [{ wrong: 'Newts are fish', right: 'Newts are amphibians' }],
};

/** Puts the book, or one with other chapters, into the database and its analysis into a file next to it. */
export function addPondBook({ books, directory }: Pick<Editing, 'books' | 'directory'>, chapters: readonly Chapter[] = CHAPTERS): string {
  const analysisPath = join(directory, 'analysis', 'ponds.json');
  mkdirSync(dirname(analysisPath), { recursive: true });
  writeFileSync(analysisPath, JSON.stringify(ANALYSIS, null, 2));
  books.addBook({ id: 'ponds', title: 'A Field Guide to Ponds', analysisPath }, chapters);
  return 'ponds';
}
