// Owns what a command has before it: what the engine told it, and the run's book as it is now.

import type { Book, BookDatabase, Chapter, Version } from './database.ts';
import { type Analysis, type Area, readAnalysis } from './prose.ts';

/** What the engine writes to a command's standard input, as far as these commands read it. */
export interface StepInput {
  readonly runId: string;
  readonly step: string;
  readonly checkpoint: {
    readonly improvementAreas?: readonly Area[];
    readonly metrics?: { readonly baseline: number; readonly current: number; readonly delta: number };
    readonly gateDecision?: { readonly option: string; readonly input?: string };
  };
  readonly item?: Area;
}

/** What a command works on: the run's book as it is now. */
export interface Desk {
  readonly db: BookDatabase;
  readonly input: StepInput;
  readonly book: Book;
  readonly analysis: Analysis;
  readonly version: Version;
  readonly chapters: readonly Chapter[];
}

/** Lays the run's book out. */
export function deskOf(db: BookDatabase, input: StepInput): Desk {
  const book = db.bookOfRun(input.runId);
  if (book === undefined || book.analysisPath === null) throw new Error(`run ${input.runId} has no book with an analysis`);
  const version = db.latestVersion(book.id);
  if (version === undefined) throw new Error(`book "${book.id}" has no version`);
  return { db, input, book, analysis: readAnalysis(book.analysisPath), version, chapters: db.chapters(version.id) };
}
