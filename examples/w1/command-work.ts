// Owns the input of a command: what it got from the engine, and the book of the run in its current state.

import type { Book, BookDatabase, Chapter, Version } from './database.ts';
import { type Analysis, type Area, readAnalysis } from './prose.ts';

/** The fields of a command's standard input that these commands read. */
export interface StepInput {
  readonly runId: string;
  readonly step: string;
  readonly checkpoint: {
    readonly improvementAreas?: readonly Area[];
    readonly metrics?: { readonly baseline: number; readonly current: number; readonly delta: number };
    readonly lastDecision?: { readonly option: string; readonly input?: string };
  };
  readonly item?: Area;
}

/** What a command works on: the book of the run in its current state. */
export interface CommandWork {
  readonly db: BookDatabase;
  readonly input: StepInput;
  readonly book: Book;
  readonly analysis: Analysis;
  readonly version: Version;
  readonly chapters: readonly Chapter[];
}

/** Loads the book of the run. */
export function loadWork(db: BookDatabase, input: StepInput): CommandWork {
  const book = db.bookOfRun(input.runId);
  if (book === undefined || book.analysisPath === null) throw new Error(`run ${input.runId} has no book with an analysis`);
  const version = db.latestVersion(book.id);
  if (version === undefined) throw new Error(`book "${book.id}" has no version`);
  return { db, input, book, analysis: readAnalysis(book.analysisPath), version, chapters: db.chapters(version.id) };
}
