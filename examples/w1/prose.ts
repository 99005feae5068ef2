// Measures a text: weak words, wrong claims, and a score made of them.

import { readFileSync } from 'node:fs';
import type { Chapter } from './database.ts';

export interface Correction {
  readonly wrong: string;
  readonly right: string;
}

/** The task of one writer: words to remove, or claims to correct. */
export interface Area {
  readonly id: string;
  readonly words?: readonly string[];
  readonly corrections?: readonly Correction[];
}

/** The analysis of a book, from its file. */
export interface Analysis {
  readonly threshold: number;
  readonly areas: readonly Area[];
  readonly facts: readonly Correction[];
}

export function readAnalysis(path: string): Analysis {
  return JSON.parse(readFileSync(path, 'utf8')) as Analysis;
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function wordPattern(words: readonly string[]): RegExp {
  return new RegExp(`\\s*\\b(?:${words.map(escaped).join('|')})\\b`, 'i');
}

export function countWords(text: string, words: readonly string[]): number {
  if (words.length === 0) return 0;
  return [...text.matchAll(new RegExp(wordPattern(words).source, 'gi'))].length;
}

/** How much of an area is still to be done in these chapters. */
export function remaining(chapters: readonly Chapter[], area: Area): number {
  const { words = [], corrections = [] } = area;
  return chapters.reduce(
    (sum, { text }) => sum + countWords(text, words) + corrections.filter(({ wrong }) => text.includes(wrong)).length,
    0,
  );
}

/** One careful pass over a chapter: it removes at most one word, and corrects every wrong claim. */
export function improve(text: string, { words = [], corrections = [] }: Area): string {
  const shorter = words.length === 0 ? text : text.replace(wordPattern(words), '');
  return corrections.reduce((corrected, { wrong, right }) => corrected.replaceAll(wrong, right), shorter);
}

/** 100 less the share of weak words, in percent, to one decimal. */
export function score(chapters: readonly Chapter[], words: readonly string[]): number {
  const text = chapters.map((chapter) => chapter.text).join(' ');
  const all = text.split(/\s+/).length;
  return Math.round((100 - (100 * countWords(text, words)) / all) * 10) / 10;
}
