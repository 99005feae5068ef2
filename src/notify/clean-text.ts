// Cleans texts of agents, people and files for notifications, so that they are readable, inert and short.

import { stripVTControlCharacters } from 'node:util';
import { shortText } from '../base/short-text.ts';

/** Characters that control a terminal, reorder text or are invisible. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
const MENTION = /@(?=[\p{L}\p{N}_])/gu;

/** The text without control characters, invisible characters and mentions, shortened to a maximum length. */
export function cleanText(text: string, charactersMax: number): string {
  const plain = stripVTControlCharacters(text)
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', ' ').replaceAll(HIDDEN, '').trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  // A full-width sign looks the same, but is not a mention.
  return shortText(plain.replaceAll(MENTION, '＠'), charactersMax);
}

/** Cleans a text and puts it on one line. */
export function cleanLine(text: string, charactersMax: number): string {
  return cleanText(text.replaceAll(/\s+/g, ' '), charactersMax);
}
